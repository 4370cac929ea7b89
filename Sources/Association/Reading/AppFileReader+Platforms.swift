// The `ios` part of an app file.

import SourceJSON

extension AppFileReader {
    static let iosKeys = [
        "appIDs", "services", "appClips", "storeID", "legacyPaths", "signed", "defaults", "variables",
    ]

    mutating func ios(_ value: SourceValue, ranges: inout AppFile.Ranges) -> IOSApp? {
        guard let fields = fields(of: value, place: "ios", known: Self.iosKeys) else { return nil }
        let appIDs = appIDs("appIDs", in: fields)
        ranges.appIDs = appIDs.map(\.range)
        requireElements("appIDs", in: fields, because: "no app is bound to the hosts")
        var app = IOSApp(appIDs: appIDs.map(\.value))
        app.services = services(in: fields) ?? AppleService.defaults
        app.appClips = self.appIDs("appClips", in: fields).map(\.value)
        app.storeID = storeID(in: fields)
        if let flag = bool("legacyPaths", in: fields) {
            app.hasLegacyPaths = flag.value
            ranges.legacyPaths = flag.range
        }
        app.signing = signing(in: fields)
        ranges.signed = fields["signed"]?.value.range
        app.defaults = defaults(in: fields)
        ranges.iosDefaults = fields["defaults"]?.value.range
        (app.variables, ranges.variables) = variables(in: fields)
        return app
    }

    private mutating func services(in fields: AppFileFields) -> [AppleService]? {
        guard let texts = strings("services", in: fields, of: "services") else { return nil }
        var services: [Located<AppleService>] = []
        for (index, text) in texts.enumerated() {
            if text.value == "appclips" {
                report(
                    .app007, text.range, "the service appclips is turned on by naming App Clips",
                    fix: "remove it here and list their ids under `appClips`")
            } else if let service = word(text, place: "ios.services[\(index)]", as: AppleService.self) {
                services.append(Located(value: service, range: text.range))
            }
        }
        return unique(services, place: "ios.services", text: \.rawValue).map(\.value)
    }

    private mutating func storeID(in fields: AppFileFields) -> String? {
        if let value = fields["storeID"]?.value, case .number(let number) = value.kind {
            wrongType(
                value, "ios.storeID", wanted: "a string", fix: "put it in quotes",
                edit: SourceEdit(range: value.range, replacement: number.text.jsonQuoted))
            return nil
        }
        guard let text = string("storeID", in: fields) else { return nil }
        let digits = text.value.unicodeScalars.allSatisfy(\.isDigit)
        guard digits, text.value.utf8.count <= 20 else {
            report(
                .app019, text.range, "`ios.storeID` is \(text.value.quoted), and must be the number of the app",
                fix: "use the digits after /id in its App Store address")
            return nil
        }
        return text.value
    }

    /// `true` signs everything, `"root"` the copy at the root of the site only.
    private mutating func signing(in fields: AppFileFields) -> DocumentSigning {
        guard let value = fields["signed"]?.value else { return .none }
        switch value.kind {
        case .bool(let flag): return flag ? .everywhere : .none
        case .string("root"): return .root
        default:
            report(.app007, value.range, "`ios.signed` must be true, false or \"root\"")
            return .none
        }
    }

    private mutating func defaults(in root: AppFileFields) -> AppleDefaults {
        guard let value = root["defaults"]?.value else { return AppleDefaults() }
        guard let fields = fields(of: value, place: "ios.defaults", known: ["caseSensitive", "percentEncoded"]) else {
            return AppleDefaults()
        }
        return AppleDefaults(
            caseSensitive: bool("caseSensitive", in: fields)?.value,
            percentEncoded: bool("percentEncoded", in: fields)?.value)
    }

    /// The variables in order, with the ranges of their names.
    private mutating func variables(in root: AppFileFields) -> ([SubstitutionVariable], [SourceRange]) {
        guard let value = root["variables"]?.value else { return ([], []) }
        let members = named(
            value, place: "ios.variables", wanted: "an object of names and their values", max: Self.variablesMax)
        var variables: [SubstitutionVariable] = []
        var ranges: [SourceRange] = []
        for member in members {
            if member.key.isEmpty || member.key.unicodeScalars.contains(where: { "$()".contains($0) }) {
                report(
                    .app024, member.keyRange, "\(member.key.quoted) cannot be named in $(…)",
                    fix: "use a name without $, ( and )")
                continue
            }
            let place = "ios.variables[\(member.key)]"
            let values = strings(member.value, place: place, of: "values") ?? []
            for text in values where text.value.contains(run: "$(") {
                findings.report(
                    .aasa062, at: text.range,
                    "a value of \(member.key.quoted) names a variable, and Apple drops such a value",
                    fix: "write out what it stands for")
            }
            if values.isEmpty {
                report(.app024, member.value.range, "\(member.key.quoted) has no values, so it never matches")
            }
            variables.append(SubstitutionVariable(name: member.key, values: values.map(\.value)))
            ranges.append(member.keyRange)
        }
        return (variables, ranges)
    }
}

extension AppFileReader {
    static let androidKeys = ["package", "packages", "fingerprints", "relations", "dynamicRules", "playStore"]

    mutating func android(_ value: SourceValue, ranges: inout AppFile.Ranges) -> AndroidApp? {
        guard let fields = fields(of: value, place: "android", known: Self.androidKeys) else { return nil }
        let packages = packages(in: fields)
        ranges.packages = packages.map(\.range)
        var app = AndroidApp(packages: packages.map(\.value))
        app.relations = relations(in: fields) ?? [AndroidApp.handleAllURLs]
        if let flag = bool("dynamicRules", in: fields) {
            app.hasDynamicRules = flag.value
            ranges.dynamicRules = flag.range
        }
        app.isInPlayStore = bool("playStore", in: fields)?.value ?? true
        if app.hasDynamicRules, !app.relations.contains(AndroidApp.handleAllURLs) {
            report(
                .app023, ranges.dynamicRules,
                "`android.dynamicRules` belongs to handle_all_urls, which is not among the relations",
                fix: "add \"handle_all_urls\" to `android.relations`")
        }
        return app
    }

    /// Either one `package` with `fingerprints`, or `packages`.
    private mutating func packages(in fields: AppFileFields) -> [Located<AndroidPackage>] {
        if fields["packages"] != nil {
            if let single = fields["package"] ?? fields["fingerprints"] {
                report(
                    .app007, single.keyRange, "`android` has both `\(single.key)` and `packages`",
                    fix: "move everything into `packages`")
            }
            return packageList(in: fields)
        }
        guard fields["package"] != nil else {
            if fields.lacksMisspelt("package") || fields.lacksMisspelt("packages") { return [] }
            report(
                .app006, fields.range, "`android` has no `package`, so no app is bound to the hosts",
                fix: "add package: \"<application id>\"")
            return []
        }
        guard let name = packageName("package", in: fields) else { return [] }
        requireElements("fingerprints", in: fields, because: "no build of the app is trusted")
        let prints = fingerprints("fingerprints", in: fields)
        return [Located(value: AndroidPackage(name: name.value, fingerprints: prints.map(\.value)), range: name.range)]
    }

    private mutating func packageList(in fields: AppFileFields) -> [Located<AndroidPackage>] {
        guard let values = elements("packages", in: fields, of: "packages") else { return [] }
        requireElements("packages", in: fields, because: "no app is bound to the hosts")
        var packages: [Located<AndroidPackage>] = []
        var seen: Set<ExactText> = []
        for (index, value) in values.enumerated() {
            let place = "android.packages[\(index)]"
            guard let entry = self.fields(of: value, place: place, known: ["name", "fingerprints"]) else { continue }
            if entry["name"] == nil, !entry.lacksMisspelt("name") {
                report(.app006, value.range, "`\(place)` has no `name`")
            }
            guard let name = packageName("name", in: entry) else { continue }
            requireElements("fingerprints", in: entry, because: "no build of the app is trusted")
            let prints = fingerprints("fingerprints", in: entry)
            if !seen.insert(ExactText(name.value)).inserted {
                report(
                    .app014, name.range, "`android.packages` lists \(name.value) twice", fix: "merge the two")
            }
            packages.append(
                Located(
                    value: AndroidPackage(name: name.value, fingerprints: prints.map(\.value)), range: name.range))
        }
        return packages
    }

    private mutating func relations(in fields: AppFileFields) -> [String]? {
        guard let texts = strings("relations", in: fields, of: "relations") else { return nil }
        if texts.isEmpty { requireElements("relations", in: fields, because: "the app is allowed nothing") }
        var relations: [Located<String>] = []
        for text in texts {
            guard let relation = AndroidRelation.expanded(text.value) else {
                findings.report(
                    .dal006, at: text.range, "\(text.value.quoted) is no relation, so Google rejects the statement",
                    fix: "use a short name such as handle_all_urls, or kind/detail in lower case")
                continue
            }
            if !AndroidRelation.known.contains(relation) { reportUnknown(relation, text, beside: texts) }
            relations.append(Located(value: relation, range: text.range))
        }
        return unique(relations, place: "android.relations") { $0 }.map(\.value)
    }

    private mutating func reportUnknown(_ relation: String, _ text: Located<String>, beside texts: [Located<String>]) {
        let short = AndroidRelation.known.map(AndroidRelation.shortened)
        let nearest = NearestKey.find(AndroidRelation.shortened(relation), among: short)
        let isThere = texts.contains { AndroidRelation.expanded($0.value).map(AndroidRelation.shortened) == nearest }
        findings.report(
            .dal007, at: text.range, "nothing on Android reads the relation \(relation.quoted)",
            fix: nearest.map { isThere ? "remove it" : "write \"\($0)\"" }
                ?? "use one of \(short.joined(separator: ", "))",
            edit: nearest.flatMap { isThere ? nil : SourceEdit(range: text.range, replacement: $0.jsonQuoted) },
            severity: nearest == nil ? .warning : .error)
    }
}

extension AppFileReader {
    /// The hosts under `key`, each once, and where each stands. Required at the top, optional under `retired`.
    mutating func hosts(_ key: String, in fields: AppFileFields) -> ([HostPattern], [SourceRange]) {
        if fields.place.isEmpty { requireElements(key, in: fields, because: "nothing of the app is served") }
        guard let texts = strings(key, in: fields, of: "host names") else { return ([], []) }
        var located: [Located<HostPattern>] = []
        for text in texts {
            switch HostPattern.parse(text.value) {
            case .success(let host):
                noteNormalised(host, text)
                located.append(Located(value: host, range: text.range))
            case .failure(let fault): reportHost(text, fault)
            }
        }
        let kept = unique(located, place: fields.path(key), rule: .app010, text: \.text)
        if fields.place.isEmpty { checkReach(kept) }
        return (kept.map(\.value), kept.map(\.range))
    }

    private mutating func noteNormalised(_ host: HostPattern, _ text: Located<String>) {
        guard host.text != text.value else { return }
        report(
            .app009, text.range,
            "\(text.value.quoted) is read as \(host.text), which is how clients ask for it",
            edit: SourceEdit(range: text.range, replacement: host.text.jsonQuoted))
    }

    /// What is a host name, and yet not one that phones will verify.
    private mutating func checkReach(_ hosts: [Located<HostPattern>]) {
        let exact = Set(hosts.lazy.map(\.value).filter { !$0.isWildcard }.map(\.name))
        for host in hosts {
            let name = host.value.name
            if host.value.isWildcard, !exact.contains(name) {
                report(
                    .app011, host.range,
                    "Apple and Android fetch the file for \(host.value.text) from \(name), which is not listed",
                    fix: "add \"\(name)\"")
            }
            // `localhost` and the names below it are for trying things out.
            if !name.utf8.contains(UInt8(ascii: ".")), name != "localhost" {
                let reason = host.value.isWildcard ? "covers a whole top-level domain" : "has no dot"
                report(
                    .app012, host.range, "\(host.value.text) \(reason), and phones accept no such name",
                    fix: "use a full domain name")
            }
        }
    }

    private mutating func reportHost(_ text: Located<String>, _ fault: HostPattern.Fault) {
        let (reason, fix) = fault.explained
        report(.app008, text.range, "\(text.value.quoted) is not a host: \(reason)", fix: fix)
    }
}

extension AppFileReader {
    /// The app ids under `key`, each once, without those that no app can have.
    mutating func appIDs(_ key: String, in fields: AppFileFields) -> [Located<String>] {
        guard let texts = strings(key, in: fields, of: "app ids") else { return [] }
        var kept: [Located<String>] = []
        for text in texts where isFree(of: AppID.problems(in: text.value), text) { kept.append(text) }
        return unique(kept, place: fields.path(key), by: ExactText.init(_:)) { $0 }
    }

    mutating func packageName(_ key: String, in fields: AppFileFields) -> Located<String>? {
        guard let text = string(key, in: fields) else { return nil }
        return isFree(of: PackageName.problems(in: text.value), text) ? text : nil
    }

    /// The fingerprints under `key`, in the form they are served in. Any spelling of 32 bytes is good here, and said to
    /// be changed; in a published file most spellings are errors.
    mutating func fingerprints(_ key: String, in fields: AppFileFields) -> [Located<String>] {
        guard let texts = strings(key, in: fields, of: "fingerprints") else { return [] }
        var prints: [Located<String>] = []
        for text in texts {
            guard let print = Fingerprint(normalising: text.value) else {
                report(Fingerprint.problems(in: text.value), text)
                continue
            }
            if !print.text.isIdentical(to: text.value) {
                report(
                    .app015, text.range,
                    "the fingerprint is served in upper case with colons, because Google rejects any other form",
                    fix: "write it that way, so that file and answer look alike",
                    edit: SourceEdit(range: text.range, replacement: print.text.jsonQuoted))
            }
            report(Fingerprint.problems(in: print.text), text)
            prints.append(Located(value: print.text, range: text.range))
        }
        return unique(prints, place: fields.path(key)) { String($0.prefix(11)) + "…" }
    }

    /// Reports the problems; true when none of them is an error.
    private mutating func isFree(of problems: [TextProblem], _ text: Located<String>) -> Bool {
        report(problems, text)
        return !problems.contains { $0.severity == .error }
    }

    private mutating func report(_ problems: [TextProblem], _ text: Located<String>) {
        for problem in problems { findings.report(problem, at: text.range) }
    }
}

extension AppFileReader {
    static let linkKeys = ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded", "comment"]

    /// The rules, which use what `ios` defines.
    mutating func links(in fields: AppFileFields, _ ios: IOSApp?) -> [AppleComponent] {
        guard let values = elements("links", in: fields, of: "rules") else { return [] }
        var links: [AppleComponent] = []
        let names = VariableNames(ios?.variables ?? [])
        for (index, value) in values.enumerated() {
            if let link = link(value, place: "links[\(index)]", ios, names) { links.append(link) }
        }
        return links
    }

    private mutating func link(
        _ value: SourceValue, place: @autoclosure () -> String, _ ios: IOSApp?, _ names: VariableNames
    ) -> AppleComponent? {
        if case .string(let path) = value.kind {
            let object = Self.rule(fromText: path)
            wrongType(
                value, place(), wanted: "an object", fix: "write \(object.quoted)",
                edit: SourceEdit(range: value.range, replacement: object))
            return nil
        }
        guard let fields = fields(of: value, place: place(), known: Self.linkKeys) else { return nil }
        var link = AppleComponent(range: value.range)
        link.percentEncoded = bool("percentEncoded", in: fields)?.value
        link.caseSensitive = bool("caseSensitive", in: fields)?.value
        var check = ApplePatternCheck(
            part: .path, percentEncoded: link.percentEncoded ?? ios?.defaults.percentEncoded ?? true,
            caseSensitive: link.caseSensitive ?? ios?.defaults.caseSensitive ?? true, variables: names)
        link.path = pattern("/", in: fields, check)
        check.part = .query
        link.query = query(in: fields, check)
        check.part = .fragment
        link.fragment = pattern("#", in: fields, check)
        link.exclude = bool("exclude", in: fields)?.value
        link.comment = string("comment", in: fields)?.value
        // A key that is none of these may be the misspelt pattern, and has been reported.
        if ["/", "?", "#"].allSatisfy({ fields[$0] == nil }), fields.unknownCount == 0 {
            findings.reportRuleWithoutPattern("rule", excludes: link.exclude == true, at: value.range)
        }
        return link
    }

    /// The rule that a path of iOS 9 to 12 stands for.
    private static func rule(fromText path: String) -> String {
        guard path.lowercased().begins(with: "not ") else { return "{ \"/\": \(path.jsonQuoted) }" }
        return "{ \"/\": \(path.dropping(firstBytes: 4).jsonQuoted), exclude: true }"
    }

    private mutating func pattern(_ key: String, in fields: AppFileFields, _ check: ApplePatternCheck) -> String? {
        guard let text = string(key, in: fields) else { return nil }
        lint(text.value, text.range, fields.path(key), check)
        return text.value
    }

    /// A pattern for the whole query, or one for each named item. An empty pattern is a pattern: no query, no item.
    private mutating func query(in fields: AppFileFields, _ check: ApplePatternCheck) -> AppleQuery? {
        guard let value = fields["?"]?.value else { return nil }
        switch value.kind {
        case .string(let pattern):
            lint(pattern, value.range, fields.path("?"), check)
            findings.reportWholeQuery(pattern, at: value.range)
            return .whole(pattern)
        case .object:
            let place = fields.path("?")
            var items: [QueryItemPattern] = []
            for member in named(value, place: place, wanted: "an object", max: Self.elementsMax) {
                if let item = item(member, place: place, check) { items.append(item) }
            }
            return .items(items)
        default:
            wrongType(value, fields.path("?"), wanted: "a string, or an object of strings")
            return nil
        }
    }

    private mutating func item(
        _ member: SourceMember, place: String, _ check: ApplePatternCheck
    ) -> QueryItemPattern? {
        let place = "\(place)[\(member.key)]"
        guard case .string(let pattern) = member.value.kind else {
            wrongType(
                member.value, place, wanted: "a string; Apple would drop the whole query", fix: "put it in quotes")
            return nil
        }
        lint(pattern, member.value.range, place, check)
        findings.reportLoneStar(pattern, at: member.value.range)
        return QueryItemPattern(name: member.key, pattern: pattern)
    }

    private mutating func lint(
        _ pattern: String, _ range: SourceRange, _ place: @autoclosure () -> String, _ check: ApplePatternCheck
    ) {
        guard pattern.unicodeScalars.count <= Self.patternMax else {
            report(.app020, range, "\(place().quoted) is a pattern of more than \(Self.patternMax) characters")
            return
        }
        guard findings.hasRoom else { return }
        for var problem in check.problems(in: pattern) {
            // The same mistake has another remedy here than in the document.
            if problem.rule == .aasa060, problem.replacement == nil {
                problem.fix = "define it under `ios.variables`"
            }
            findings.report(problem, at: range)
        }
    }
}
