// From the values of an app file to the model. The reader continues after each finding, so that a person sees every mistake at
// once; the file counts only if none of them is an error.

import SourceJSON

struct AppFileReader {
    let findings: FindingCollector
    /// The names under `environments`.
    private(set) var environments: [String] = []
    /// The hosts of all environments, where there are any.
    private(set) var allHosts: [HostPattern] = []
    /// Whether everything that the examples depend on could be read; an example itself does not count.
    private(set) var canCheckExamples = false

    /// Entries of one array: more hosts, ids or rules than any document made from the file can have.
    static let elementsMax = 10_000
    /// Hosts times the entries for each of them: each change of the file is compared with what is live.
    private static let entriesMax = 250_000
    /// Bytes of one example; no real URL is longer.
    private static let exampleBytesMax = 2_048
    /// Examples are checked at each reading, against all the rules.
    private static let examplesMax = 1_000
    private static let environmentsMax = 100

    init(_ document: SourceDocument, file: String) {
        var list = FindingList(file: file)
        list.text = document.text
        findings = FindingCollector(list, FindingCollector.appFile)
    }

    /// Reads the whole file. The result is valid only if no error was reported.
    mutating func appFile(_ value: SourceValue, environment: String?) -> AppFile? {
        if let name = AppFileReader.associationFile(value) {
            findings.report(
                .app002, at: value.range, "this is \(name), not an app file",
                fix: "move it out of the configuration, and convert it with `associated import FILE --host HOST`")
            return nil
        }
        let members = findings.read(
            \.asObject, of: value, "the file", .app002, "but an app file is an object", fix: "put its keys into { }")
        guard let members else { return nil }
        findings.overlays = value.member(named: "environments")?.range
        var root = ObjectReader(members, "", at: value.range, keys: AppFileSchema.rootKeys, findings)
        readEnvironments(of: root)
        if let environment, let overlay = EnvironmentOverlay(environment, in: root["environments"]?.value) {
            root.members = overlay.merged(into: root.members, changing: AppFileSchema.appKeys)
        }
        // For editors; only its type is checked.
        _ = root.string("$schema")
        let name = root.string("name")
        let hosts = root.hosts("hosts")
        if root["name"] == nil, !root.misspells("name") {
            findings.report(
                .app006, at: root.range, "`name` is missing, so pages cannot name the app", fix: "add name: \"…\"")
        }
        var app = AppFile(
            file: findings.list.file, name: name?.text ?? "", hosts: hosts.map(\.value), range: root.range)
        app.ranges.hosts = hosts.map(\.range)
        readPlatforms(into: &app, from: root)
        app.passkeys = PasskeysReader(findings).passkeys(in: root)
        app.addPasskeyPermissions()
        app.scheme = scheme(in: root)
        app.links = LinkReader(findings, app.ios).links(in: root)
        app.ranges.links = root["links"]?.value.range
        app.priority = root.integer("priority", AppFileSchema.priorities)?.value ?? 0
        if let seconds = root.integer("cacheControl", AppFileSchema.cacheSeconds) {
            app.cacheSeconds = seconds.value
            app.ranges.cacheControl = seconds.range
        }
        app.removalGuard = root.word("guard", as: RemovalGuard.self) ?? .block
        app.retired = retired(in: root)
        app.pages = pages(in: root)
        canCheckExamples = !findings.list.hasErrors
        app.examples = examples(in: root, hosts: allHosts + app.hosts)
        checkWhole(app, root)
        return app
    }

    /// The kind of an association file that lies where an app file should be.
    private static func associationFile(_ value: SourceValue) -> String? {
        func has(_ value: SourceValue, _ keys: [String]) -> Bool { keys.contains { value.member(named: $0) != nil } }
        if value.asArray?.first.map({ has($0, ["relation", "target", "include"]) }) == true {
            return "a statement list (assetlinks.json)"
        }
        let isOther = has(value, AppleAssociation.services) && !has(value, AppFileSchema.rootKeys)
        return isOther ? "an apple-app-site-association file" : nil
    }

    /// Reads the names under `environments`, and the hosts of every overlay and of the plain file: examples are shared, so
    /// they may be on any of these. Without overlays, the hosts are read anyway.
    private mutating func readEnvironments(of root: ObjectReader) {
        environments = root.names("environments", of: "an object of names and overlays", max: Self.environmentsMax).map
        {
            _ = findings.object($0.value, "environments.\($0.key)", keys: AppFileSchema.appKeys)
            return $0.key
        }
        guard let overlays = root["environments"]?.value.asObject else { return }
        let lists = overlays.flatMap { $0.value.members(named: "hosts") } + [root["hosts"]].compactMap { $0 }
        allHosts = lists.flatMap { $0.value.asArray ?? [] }.compactMap {
            $0.asString.flatMap { try? HostPattern.parse($0).get() }
        }
    }

    private func readPlatforms(into app: inout AppFile, from root: ObjectReader) {
        if let ios = root.object("ios", keys: AppFileSchema.iosKeys) {
            app.ios = IOSReader(ios).app(ranges: &app.ranges)
        }
        if let android = root.object("android", keys: AppFileSchema.androidKeys) {
            app.android = AndroidReader(android).app(ranges: &app.ranges)
        }
        let isMisspelt = root.misspells("ios") || root.misspells("android")
        if root["ios"] == nil, root["android"] == nil, !isMisspelt {
            findings.report(
                .app016, at: root.range, "the file has neither `ios` nor `android`, so nothing is served for it",
                fix: "add the platform of the app")
        }
    }

    /// A scheme of RFC 3986 §3.1, in lower case because Android compares it exactly.
    private func scheme(in root: ObjectReader) -> String? {
        guard let text = root.string("scheme") else { return nil }
        let scalars = text.text.unicodeScalars
        let isScheme =
            scalars.first?.isLowerLetter == true
            && scalars.allSatisfy { $0.isLowerLetter || $0.isDigit || "+-.".unicodeScalars.contains($0) }
        guard isScheme else {
            findings.report(
                .app018, at: text.range, "`scheme` is \(text.text.quoted), which is not valid on at least one platform",
                fix: "use lower-case letters, digits, +, - and ., without ://")
            return nil
        }
        guard !["http", "https", "file", "data", "javascript", "intent", "mailto", "tel"].contains(text.text) else {
            findings.report(
                .app018, at: text.range, "`scheme` is \(text.text.quoted), which belongs to the system, not to an app",
                fix: "use a scheme of the app, such as its bundle id")
            return nil
        }
        return text.text
    }

    private func pages(in root: ObjectReader) -> PageOptions {
        var options = PageOptions()
        guard let object = root.object("pages", keys: AppFileSchema.pageKeys) else { return options }
        options.isSinglePageApp = object.bool("spa")?.value ?? false
        // A page that answers every path can itself offer the app.
        options.hasLandingPage = object.bool("landing")?.value ?? !options.isSinglePageApp
        options.tagline = object.string("tagline")?.text
        return options
    }

    private func retired(in root: ObjectReader) -> RetiredIdentities {
        guard let object = root.object("retired", keys: AppFileSchema.retiredKeys) else { return RetiredIdentities() }
        return RetiredIdentities(
            appIDs: (object.strings("appIDs", of: "app ids") ?? []).map(\.text),
            fingerprints: object.fingerprints("fingerprints").map(\.value.text),
            hosts: object.hosts("hosts").map(\.value))
    }

    /// Checks that need several parts of the file.
    private func checkWhole(_ app: AppFile, _ root: ObjectReader) {
        checkLinks(app, root)
        checkVariables(app)
        checkRetired(app, root)
        checkEntries(app, root)
        if let ios = app.ios, !ios.appClips.isEmpty,
            let wildcard = zip(app.hosts, app.ranges.hosts).first(where: { $0.0.isWildcard })
        {
            findings.report(
                .app013, at: wildcard.1,
                "App Clips do not work on \(wildcard.0.text), because Apple does not allow wildcards",
                fix: "list the hosts of App Clips by name")
        }
    }

    private func checkEntries(_ app: AppFile, _ root: ObjectReader) {
        let packages = app.android?.packages ?? []
        let ids = (app.ios?.appIDs.count ?? 0) + (app.ios?.appClips.count ?? 0) + packages.count
        let count = app.hosts.count * (1 + ids + packages.reduce(0) { $0 + $1.fingerprints.count })
        if count <= Self.entriesMax { return }
        findings.report(
            .app020, at: root["hosts"]?.value.range ?? root.range,
            "\(app.hosts.count) hosts times their app ids, packages and fingerprints are \(count) entries; the limit is "
                + "\(Self.entriesMax)",
            fix: "split the file into several with fewer hosts each")
    }

    private func checkLinks(_ app: AppFile, _ root: ObjectReader) {
        // Links that could not be read, or are under a misspelt key, are reported already.
        guard app.links.isEmpty, !root.misspells("links"),
            root["links"]?.value.asArray?.isEmpty ?? (root["links"] == nil)
        else { return }
        let needsLinks = app.ios?.services.contains(.applinks) == true || app.android?.hasDynamicRules == true
        guard needsLinks else { return }
        findings.report(
            .app017, at: root["links"]?.value.range ?? root.range,
            "there are no `links`, so no URL opens the app on iOS, and on Android only its manifest counts",
            fix: "add rules, such as links: [{ \"/\": \"*\" }], or turn the service off")
    }

    private func checkVariables(_ app: AppFile) {
        guard let variables = app.ios?.variables, !variables.isEmpty else { return }
        let used = Set(app.links.flatMap(\.variableNames))
        for (index, variable) in variables.enumerated() where !used.contains(ExactText(variable.name)) {
            findings.report(
                .aasa065, at: app.ranges.variables.element(at: index),
                "no rule uses the variable \(variable.name.quoted)",
                fix: "remove it")
        }
    }

    private func checkRetired(_ app: AppFile, _ root: ObjectReader) {
        guard let range = root["retired"]?.value.range else { return }
        let ids = Set((app.ios?.appIDs ?? []).map(ExactText.init(_:)))
        let prints = Set(app.android?.packages.flatMap(\.fingerprints) ?? [])
        let both =
            app.retired.appIDs.filter { ids.contains(ExactText($0)) } + app.retired.fingerprints.filter(prints.contains)
            + app.retired.hosts.filter(app.hosts.contains).map(\.text)
        for text in both {
            findings.report(
                .app021, at: range, "\(text.quoted) is listed as retired, but the file still uses it",
                fix: "remove it in one of the two places")
        }
    }

    /// The examples, in order; `hosts` are those that their URLs may have.
    private func examples(in root: ObjectReader, hosts: [HostPattern]) -> [LinkExample] {
        let members = root.names("examples", of: "an object of URLs and where they open", max: Self.examplesMax)
        let exactHosts = Set(hosts.lazy.filter { !$0.isWildcard }.map(\.name))
        let wildcards = hosts.filter(\.isWildcard)
        return members.compactMap { member in
            guard let outcomes = outcomes(of: member),
                let url = url(
                    member, in: root.range,
                    { host in exactHosts.contains(host) || wildcards.contains { $0.matches(host) } })
            else { return nil }
            return LinkExample(
                url: url, ios: outcomes[0], android: outcomes[1], android14: outcomes[2], range: member.keyRange)
        }
    }

    /// The outcome on each platform, in their order; nil if the value is not valid.
    private func outcomes(of member: SourceMember) -> [LinkExample.Outcome?]? {
        let place = "examples[\(member.key)]"
        if let text = member.value.asString {
            let located = LocatedText(text, range: member.value.range)
            return findings.word(located, place, as: LinkExample.Outcome.self).map { [$0, $0, $0] }
        }
        let members = findings.read(
            \.asObject, of: member.value, place.quoted, .app005,
            "but must be \"app\", \"web\" or an object with `ios`, `android` and `android14`")
        guard let members else { return nil }
        let object = ObjectReader(members, place, at: member.value.range, keys: LinkExample.platforms, findings)
        return LinkExample.platforms.map { object.word($0, as: LinkExample.Outcome.self) }
    }

    /// The URL of an example: a whole http or https URL on one of the file's hosts.
    private func url(_ member: SourceMember, in root: SourceRange, _ isKnown: (String) -> Bool) -> LinkURL? {
        func report(_ rule: RuleID, _ message: String, fix: String) {
            findings.report(rule, at: member.keyRange, message, fix: fix)
        }
        guard member.key.utf8.count <= Self.exampleBytesMax else {
            report(.app025, "the example is longer than \(Self.exampleBytesMax) bytes", fix: "write a shorter URL")
            return nil
        }
        switch LinkURL.parse(member.key) {
        case .failure(let problem):
            report(.app025, "the example cannot be checked: \(problem.message)", fix: problem.fix)
            return nil
        case .success(let url):
            if isKnown(url.host) { return url }
            // It may be on the host that could not be read.
            if findings.list.hasFinding(.app008, within: root) { return nil }
            report(
                .app028, "the example is on \(url.host.quoted), which is not a host of this file",
                fix: "add the host, or remove the example")
            return nil
        }
    }
}
