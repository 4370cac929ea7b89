// From the values of an app file to the model. One reader walks one file, collects findings and goes on after each,
// so that a person sees every mistake at once; the file counts only when none of them is an error.

import SourceJSON

/// Reads one app file and remembers what was wrong with it.
struct AppFileReader {
    var findings: FindingList
    /// The names under `environments`.
    var environments: [String] = []
    /// Where `environments` stands.
    var overlays: SourceRange?
    /// The hosts of all environments, where there are any.
    var allHosts: [HostPattern] = []

    /// Whether everything that the examples are held against could be read; an example that could not is no reason to
    /// let the others go.
    var isFitForExamples = false

    /// Entries of one array: more hosts, ids or rules than any document made from the file can hold.
    static let elementsMax = 10_000
    /// Hosts times what each of them says of the app: at each change of the file it is compared with what is live.
    static let factsMax = 250_000
    /// Characters of one example; no URL that anybody opens is longer.
    static let exampleLengthMax = 2_048
    /// Examples are run at every reading, each against all the rules.
    static let examplesMax = 1_000
    static let variablesMax = 1_000
    static let environmentsMax = 100
    /// Characters of one pattern; no URL that anybody opens is longer.
    static let patternMax = 2_048

    init(_ document: SourceDocument, file: String) {
        findings = FindingList(file: file)
        findings.text = document.text
    }

    mutating func report(
        _ rule: RuleID, _ range: SourceRange?, _ message: String, fix: String? = nil, edit: SourceEdit? = nil
    ) {
        findings.report(rule, at: range, message, fix: fix, edit: edit)
    }

    mutating func wrongType(
        _ value: SourceValue, _ place: String, wanted: String, fix: String? = nil, edit: SourceEdit? = nil
    ) {
        report(
            .app005, value.range, "\(place.quoted) is \(value.spokenName), and must be \(wanted)", fix: fix,
            edit: edit)
    }

    static let rootKeys = [
        "$schema", "name", "hosts", "ios", "android", "scheme", "links", "examples", "priority", "cacheControl",
        "guard", "retired", "pages", "environments",
    ]

    static let pageKeys = ["spa", "landing", "tagline"]
    static let retiredKeys = ["appIDs", "fingerprints", "hosts"]

    /// A year: the longest that any cache keeps to (RFC 9111 leaves it open, browsers cap it there).
    private static let cacheSecondsMax = 31_536_000

    /// Reads the whole file. What comes back is of use only when no error was reported.
    mutating func appFile(_ root: SourceValue, environment: String?) -> AppFile? {
        guard case .object = root.kind else {
            report(
                .app002, root.range, "an app file is an object, and this one is \(root.spokenName)",
                fix: "put its keys into { }")
            return nil
        }
        guard let base = fields(of: root, place: "", known: Self.rootKeys) else { return nil }
        overlays = base["environments"]?.value.range
        environments = environmentNames(in: base)
        let exampleHosts = hostsOfAllEnvironments(base)
        allHosts = exampleHosts
        let merged = overlaid(base, environment: environment, names: environments)
        // For editors; nothing is read from there.
        _ = string("$schema", in: merged)
        let name = string("name", in: merged)
        let (hosts, hostRanges) = hosts("hosts", in: merged)
        if merged["name"] == nil, !merged.lacksMisspelt("name") {
            report(.app006, root.range, "the app file has no `name`", fix: "add name: \"…\"")
        }
        var app = AppFile(file: findings.file, name: name?.value ?? "", hosts: hosts, range: root.range)
        app.ranges.hosts = hostRanges
        app.environments = environments
        if let environment, environments.contains(environment) { app.environment = environment }
        readPlatforms(into: &app, from: merged)
        app.scheme = scheme(in: merged)
        app.links = links(in: merged, app.ios)
        app.ranges.links = merged["links"]?.value.range
        app.priority = integer("priority", in: merged, -1_000_000...1_000_000)?.value ?? 0
        if let seconds = integer("cacheControl", in: merged, 0...Self.cacheSecondsMax) {
            app.cacheSeconds = seconds.value
            app.ranges.cacheControl = seconds.range
        }
        app.removalGuard = word("guard", in: merged, as: RemovalGuard.self)?.value ?? .block
        app.retired = retired(in: merged)
        app.pages = pages(in: merged)
        isFitForExamples = !findings.hasErrors
        app.examples = examples(in: merged, hosts: exampleHosts + hosts)
        checkWhole(app, merged)
        return app
    }

    private mutating func readPlatforms(into app: inout AppFile, from fields: AppFileFields) {
        if let member = fields["ios"] { app.ios = ios(member.value, ranges: &app.ranges) }
        if let member = fields["android"] { app.android = android(member.value, ranges: &app.ranges) }
        let isMisspelt = fields.lacksMisspelt("ios") || fields.lacksMisspelt("android")
        if fields["ios"] == nil, fields["android"] == nil, !isMisspelt {
            report(
                .app016, fields.range, "the app file has neither `ios` nor `android`, so nothing is served for it",
                fix: "add the platform the app is on")
        }
    }

    /// A scheme as RFC 3986 §3.1 has it, in lower case because Android compares it exactly.
    private mutating func scheme(in fields: AppFileFields) -> String? {
        guard let text = string("scheme", in: fields) else { return nil }
        let scalars = text.value.unicodeScalars
        let isScheme =
            scalars.first?.isLowerLetter == true
            && scalars.allSatisfy { $0.isLowerLetter || $0.isDigit || "+-.".unicodeScalars.contains($0) }
        guard isScheme else {
            report(
                .app018, text.range,
                "`scheme` is \(text.value.quoted), which is no URL scheme that works on both platforms",
                fix: "use lower-case letters, digits, +, - and ., without ://")
            return nil
        }
        guard !["http", "https", "file", "data", "javascript", "intent", "mailto", "tel"].contains(text.value) else {
            report(
                .app018, text.range, "`scheme` is \"\(text.value)\", which belongs to the system and not to an app",
                fix: "use one of your own, such as the bundle id")
            return nil
        }
        return text.value
    }

    private mutating func pages(in root: AppFileFields) -> PageOptions {
        var options = PageOptions()
        guard let value = root["pages"]?.value,
            let fields = fields(of: value, place: "pages", known: Self.pageKeys)
        else { return options }
        options.isSinglePageApp = bool("spa", in: fields)?.value ?? false
        // A page that answers every path has its own way of speaking to people without the app.
        options.hasLandingPage = bool("landing", in: fields)?.value ?? !options.isSinglePageApp
        options.tagline = string("tagline", in: fields)?.value
        return options
    }

    private mutating func retired(in root: AppFileFields) -> RetiredIdentities {
        var retired = RetiredIdentities()
        guard let value = root["retired"]?.value,
            let fields = fields(of: value, place: "retired", known: Self.retiredKeys)
        else { return retired }
        retired.appIDs = (strings("appIDs", in: fields, of: "app ids") ?? []).map(\.value)
        retired.fingerprints = fingerprints("fingerprints", in: fields).map(\.value)
        retired.hosts = hosts("hosts", in: fields).0
        return retired
    }

    mutating func checkWhole(_ app: AppFile, _ fields: AppFileFields) {
        checkLinks(app, fields)
        checkVariables(app)
        checkRetired(app, fields)
        checkFacts(app, fields)
        if let ios = app.ios, !ios.appClips.isEmpty,
            let wildcard = zip(app.hosts, app.ranges.hosts).first(where: { $0.0.isWildcard })
        {
            report(
                .app013, wildcard.1,
                "App Clips do not work on \(wildcard.0.text): Apple allows them no wildcards",
                fix: "list the hosts that App Clips are to be invoked from")
        }
    }

    private mutating func checkFacts(_ app: AppFile, _ fields: AppFileFields) {
        let packages = app.android?.packages ?? []
        let ids = (app.ios?.appIDs.count ?? 0) + (app.ios?.appClips.count ?? 0) + packages.count
        let count = app.hosts.count * (1 + ids + packages.reduce(0) { $0 + $1.fingerprints.count })
        if count <= Self.factsMax { return }
        report(
            .app020, fields["hosts"]?.value.range ?? fields.range,
            "\(app.hosts.count) hosts times their app ids, packages and fingerprints are \(count) entries, and at most "
                + "\(Self.factsMax) make sense",
            fix: "split the file into several with fewer hosts each")
    }

    private mutating func checkLinks(_ app: AppFile, _ fields: AppFileFields) {
        // Links that could not be read, and those under another key, have been spoken of.
        if fields.lacksMisspelt("links") { return }
        switch fields["links"]?.value.kind {
        case nil: break
        case .array(let links) where links.isEmpty: break
        default: return
        }
        let wantsLinks = app.ios?.services.contains(.applinks) == true || app.android?.hasDynamicRules == true
        guard wantsLinks else { return }
        report(
            .app017, fields["links"]?.value.range ?? fields.range,
            "there are no `links`, so no URL opens the app on iOS and Android has only the app's manifest to go by",
            fix: "add rules, such as links: [{ \"/\": \"*\" }], or turn the service off")
    }

    private mutating func checkVariables(_ app: AppFile) {
        guard app.ios?.variables.isEmpty == false else { return }
        let used = Set(app.links.flatMap(\.patterns).flatMap { ParsedPattern($0).names.map(ExactText.init(_:)) })
        for (index, variable) in (app.ios?.variables ?? []).enumerated() where !used.contains(ExactText(variable.name))
        {
            findings.report(
                .aasa065, at: app.ranges.variables.element(at: index),
                "the variable \(variable.name.quoted) is used by no rule", fix: "remove it")
        }
    }

    private mutating func checkRetired(_ app: AppFile, _ fields: AppFileFields) {
        guard let range = fields["retired"]?.value.range else { return }
        let ids = Set((app.ios?.appIDs ?? []).map(ExactText.init(_:)))
        let prints = Set(app.android?.packages.flatMap(\.fingerprints) ?? [])
        let both =
            app.retired.appIDs.filter { ids.contains(ExactText($0)) } + app.retired.fingerprints.filter(prints.contains)
            + app.retired.hosts.filter(app.hosts.contains).map(\.text)
        for text in both {
            report(
                .app021, range, "\(text.quoted) is listed as retired and is still in use",
                fix: "remove it in one of the two places")
        }
    }

    /// The examples, in order; `hosts` are those that their URLs may have.
    mutating func examples(in root: AppFileFields, hosts: [HostPattern]) -> [LinkExample] {
        guard let value = root["examples"]?.value else { return [] }
        let members = named(
            value, place: "examples", wanted: "an object of URLs and where they open", max: Self.examplesMax)
        let exactHosts = Set(hosts.lazy.filter { !$0.isWildcard }.map(\.name))
        let wildcards = hosts.filter(\.isWildcard)
        let isKnown = { (host: String) in exactHosts.contains(host) || wildcards.contains { $0.matches(host) } }
        var examples: [LinkExample] = []
        for member in members {
            guard let outcomes = outcomes(of: member), let url = url(member, isKnown) else { continue }
            examples.append(
                LinkExample(
                    url: url, ios: outcomes[0], android: outcomes[1], android14: outcomes[2], range: member.keyRange))
        }
        return examples
    }

    /// For each of the platforms, in their order; nil where nothing can be made of the value.
    private mutating func outcomes(of member: SourceMember) -> [LinkExample.Outcome?]? {
        let place = "examples[\(member.key)]"
        switch member.value.kind {
        case .string(let text):
            let located = Located(value: text, range: member.value.range)
            return word(located, place: place, as: LinkExample.Outcome.self).map { [$0, $0, $0] }
        case .object:
            guard let fields = fields(of: member.value, place: place, known: LinkExample.platforms) else { return nil }
            return LinkExample.platforms.map { word($0, in: fields, as: LinkExample.Outcome.self)?.value }
        default:
            wrongType(
                member.value, place, wanted: "\"app\", \"web\" or an object with `ios`, `android` and `android14`")
            return nil
        }
    }

    /// An example is a whole http or https URL on one of the file's hosts.
    private mutating func url(_ member: SourceMember, _ isKnown: (String) -> Bool) -> LinkURL? {
        guard member.key.utf8.count <= Self.exampleLengthMax else {
            report(
                .app025, member.keyRange,
                "the example \(member.key.quoted) is longer than \(Self.exampleLengthMax) bytes, and no link is",
                fix: "write a shorter one")
            return nil
        }
        switch LinkURL.parse(member.key) {
        case .failure(let problem):
            report(
                .app025, member.keyRange, "the example \(member.key.quoted) cannot be checked: \(problem.message)",
                fix: problem.fix)
            return nil
        case .success(let url):
            if isKnown(url.host) { return url }
            report(
                .app028, member.keyRange, "the example is on \(url.host.quoted), which is not a host of this file",
                fix: "add the host, or remove the example")
            return nil
        }
    }

    /// What an overlay may change. With `links`, rules can be tried in one environment before they go to the others.
    static let overlayKeys = [
        "name", "hosts", "ios", "android", "scheme", "links", "examples", "cacheControl", "guard", "retired", "pages",
    ]

    /// Deep enough for any key of an app file; deeper objects cannot be merged with anything that has a meaning.
    private static let mergeDepthMax = 8

    /// The names under `environments`; reports overlays that are none.
    mutating func environmentNames(in root: AppFileFields) -> [String] {
        guard let value = root["environments"]?.value else { return [] }
        let members = named(
            value, place: "environments", wanted: "an object of names and overlays", max: Self.environmentsMax)
        for member in members {
            _ = fields(of: member.value, place: "environments.\(member.key)", known: Self.overlayKeys)
        }
        return members.map(\.key)
    }

    /// The hosts of every overlay and of the plain file: examples are shared, so they may be on any of these. None
    /// where there are no overlays, and so nothing beside the hosts that are read anyway.
    func hostsOfAllEnvironments(_ root: AppFileFields) -> [HostPattern] {
        guard case .object(let overlays) = root["environments"]?.value.kind else { return [] }
        var values = [root["hosts"]?.value].compactMap { $0 }
        for overlay in overlays {
            guard case .object(let members) = overlay.value.kind else { continue }
            values += members.lazy.filter { $0.key == "hosts" }.map(\.value)
        }
        var hosts: [HostPattern] = []
        for case .array(let elements) in values.map(\.kind) {
            for case .string(let text) in elements.map(\.kind) {
                if case .success(let host) = HostPattern.parse(text) { hosts.append(host) }
            }
        }
        return hosts
    }

    /// The file as it is in an environment, which it need not have: whether any file has it shows only in all of them.
    mutating func overlaid(_ root: AppFileFields, environment: String?, names: [String]) -> AppFileFields {
        guard let environment, !names.isEmpty else { return root }
        guard case .object(let overlays) = root["environments"]?.value.kind,
            let overlay = overlays.first(where: { $0.key.isIdentical(to: environment) })
        else { return root }
        // One that is no object has been spoken of.
        guard case .object(let changes) = overlay.value.kind else { return root }
        let allowed = changes.filter { Self.overlayKeys.contains($0.key) }
        return AppFileFields(
            place: "", range: root.range, members: Self.merged(root.members, with: allowed, depth: 0),
            misspelt: root.misspelt)
    }

    /// RFC 7396: objects merge, null removes, everything else replaces.
    private static func merged(_ base: [SourceMember], with changes: [SourceMember], depth: Int) -> [SourceMember] {
        var result = base
        for change in changes {
            let index = result.firstIndex { $0.key.isIdentical(to: change.key) }
            switch (change.value.kind, index) {
            case (.null, let index?): result.remove(at: index)
            case (.null, nil): break
            case (.object(let new), let index?):
                if case .object(let old) = result[index].value.kind, depth < mergeDepthMax {
                    result[index].value.kind = .object(merged(old, with: new, depth: depth + 1))
                } else {
                    result[index] = withoutNulls(change, depth: depth)
                }
            case (_, let index?): result[index] = change
            case (_, nil): result.append(withoutNulls(change, depth: depth))
            }
        }
        return result
    }

    /// An object that meets none is merged into an empty one: its nulls have nothing to remove, and go.
    private static func withoutNulls(_ change: SourceMember, depth: Int) -> SourceMember {
        guard case .object(let new) = change.value.kind, depth < mergeDepthMax else { return change }
        var result = change
        result.value.kind = .object(merged([], with: new, depth: depth + 1))
        return result
    }
}
