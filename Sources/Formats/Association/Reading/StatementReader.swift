// From the values of an assetlinks.json file to the model, with a finding for everything that a consumer rejects, ignores or
// never uses. The three consumers differ, so each finding says which ones fail, and each statement has those that can use it.

public import SourceJSON

/// Reads one file.
struct StatementReader {
    let findings: FindingCollector
    private let host: String?
    private let rules: DynamicRuleReader
    /// The consumers of the current statement, without AOSP, for which `StatementFlaw` decides.
    private var consumers: Set<StatementConsumer> = []

    init(_ list: FindingList, host: String?) {
        findings = FindingCollector(list, Self.keyRules)
        rules = DynamicRuleReader(findings)
        self.host = host
    }

    private static let keyRules = KeyRules(
        rule: .dal041,
        synonyms: [
            "package": "package_name", "packages": "package_name", "applicationid": "package_name",
            "application_id": "package_name", "fingerprints": "sha256_cert_fingerprints",
            "sha256": "sha256_cert_fingerprints", "sha256_fingerprints": "sha256_cert_fingerprints", "url": "site",
            "host": "site", "domain": "site", "path": "/", "query": "?", "fragment": "#", "comment": "comments",
            "not": "exclude",
        ]
    ) { _, intended, _ in
        // Consumers ignore other keys, so one that is like no known key needs no warning.
        intended == nil ? .note : .warning
    }

    mutating func list(_ root: SourceValue) -> StatementList? {
        let entries = findings.read(
            \.asArray, of: root, "the file", .dal002, "so Google, Android and Chromium reject it",
            fix: "put the statements into an array, even a single one", converts: false,
            edit: root.asObject.flatMap { _ in findings.list.wrapping(root.range, in: "[", "]") })
        guard let entries else { return nil }
        if entries.isEmpty {
            findings.report(
                .dal003, at: root.range, "the list is empty, so the host trusts no app",
                fix: "add a statement, or answer 404")
        }
        var list = StatementList(range: root.range)
        for entry in entries {
            let flaw = AOSPEntryReader.flaw(of: entry)
            if let flaw { list.flaws.append(flaw) }
            let members = findings.read(
                \.asObject, of: entry, "an entry", .dal004, "so it has no effect",
                fix: "write {\"relation\": [ … ], \"target\": { … }}")
            guard let members else { continue }
            let copied = CopiedRules(in: members)
            copied?.report(in: entry, to: findings)
            if let include = members.last(where: { $0.key == "include" }), copied?.hidesStatement != true {
                if let url = self.include(include, of: members) { list.includes.append(url) }
            } else {
                let object = ObjectReader(
                    members, "a statement", at: entry.range,
                    keys: ["relation", "target", "relation_extensions", "include"],
                    more: [DynamicRuleReader.key] + (copied?.members.map(\.key) ?? []), findings)
                var statement = statement(object)
                if flaw == nil { statement.consumers.insert(.aosp) }
                if copied?.hidesStatement == true { statement.consumers = [] }
                list.statements.append(statement)
            }
        }
        report(list.flaws, in: list)
        return list
    }

    /// Adds the consequence to the finding about each flaw. A flaw that is no mistake for other consumers gets its own finding
    /// if an app loses its links because of it.
    private func report(_ flaws: [StatementFlaw], in list: StatementList) {
        let apps = list.statements.filter { statement in
            guard case .androidApp? = statement.target else { return false }
            return statement.relations.contains { $0.text == StatementRelation.handleAllURLs }
        }.map(\.range)
        for flaw in flaws.prefix(FindingList.findingsMax) {
            let consequence = flaw.consequence(for: apps.filter { $0 != flaw.entry })
            let isHarmful = flaw.rejectsListSince != nil && !apps.isEmpty
            if findings.list.extend(at: flaw.range, with: consequence, raising: isHarmful) || !isHarmful { continue }
            findings.report(
                .dal045, at: flaw.range, "\(flaw.reason); \(consequence)",
                fix: flaw.rejectsListSince == .android6
                    ? "remove it, or write it as a string"
                    : "remove the statement, or serve it from a host without an app")
        }
    }

    /// Reports why Google rejects the current statement, which Chromium cannot use either.
    private mutating func reject(
        _ rule: RuleID, at range: SourceRange, _ reason: String, fix: String, edit: SourceEdit? = nil
    ) {
        consumers = []
        findings.report(rule, at: range, "\(reason), so Google rejects the statement", fix: fix, edit: edit)
    }

    /// A value as the type without which Google rejects the statement.
    private mutating func read<Value>(
        _ cast: (SourceValue) -> Value?, of value: SourceValue, _ name: String, _ rule: RuleID, fix: String,
        converts: Bool = false
    ) -> Value? {
        let read = findings.read(
            cast, of: value, name, rule, "so Google rejects the statement", fix: fix, converts: converts)
        if read == nil { consumers = [] }
        return read
    }

    private mutating func statement(_ object: ObjectReader) -> Statement {
        consumers = [.google, .chromium]
        var statement = Statement(range: object.range)
        rules.reportMisplaced(in: object)
        let missing = ["relation", "target"].filter { object[$0] == nil }
        if !missing.isEmpty {
            reject(
                .dal004, at: object.range, "the statement has no \(missing.joined(separator: " and no "))",
                fix: "write {\"relation\": [ … ], \"target\": { … }}")
        }
        if let relation = object["relation"]?.value { statement.relations = relations(relation) }
        if let target = object["target"]?.value {
            statement.target = self.target(target, relations: statement.relations)
        }
        if let extensions = object["relation_extensions"]?.value { rules.read(extensions, into: &statement) }
        statement.consumers = consumers
        return statement
    }

    private mutating func relations(_ value: SourceValue) -> [LocatedText] {
        let elements = read(\.asArray, of: value, "relation", .dal005, fix: "write an array of strings", converts: true)
        guard let elements else { return [] }
        if elements.isEmpty {
            reject(
                .dal005, at: value.range, "relation is empty",
                fix: "write \"delegate_permission/common.handle_all_urls\"")
        }
        var relations: [LocatedText] = []
        for element in elements {
            guard let text = read(\.asString, of: element, "a relation", .dal005, fix: "write a string") else {
                continue
            }
            if var problem = StatementRelation.problem(in: text) {
                // Do not add a relation that the list already has.
                if elements.contains(where: { $0.asString == problem.replacement }) {
                    (problem.fix, problem.replacement) = ("remove it", nil)
                }
                findings.report([problem], at: element.range)
                // Consumers accept any other well-formed relation, and ignore it.
                if problem.rule == .dal006 {
                    consumers = []
                    continue
                }
            }
            relations.append(LocatedText(text, range: element.range))
        }
        return relations
    }

    private mutating func target(_ value: SourceValue, relations: [LocatedText]) -> StatementTarget? {
        let members = read(\.asObject, of: value, "target", .dal004, fix: "write {\"namespace\": \"android_app\", … }")
        guard let members else { return nil }
        let fix = "write \"namespace\": \"android_app\""
        guard let namespace = members.last(where: { $0.key == "namespace" })?.value else {
            reject(.dal008, at: value.range, "the target has no namespace", fix: fix)
            return nil
        }
        guard let name = read(\.asString, of: namespace, "namespace", .dal008, fix: fix) else { return nil }
        func object(_ place: String, keys: [String], more: [String] = []) -> ObjectReader {
            ObjectReader(members, place, at: value.range, keys: keys, more: ["namespace"] + more, findings)
        }
        switch name {
        case "android_app":
            let keys = ["package_name", "sha256_cert_fingerprints"]
            return androidApp(
                object("an android_app target", keys: keys, more: [DynamicRuleReader.key]), relations: relations)
        case "web": return web(object("a web target", keys: ["site"]), relations: relations)
        case "ios_app":
            // Chromium reads no such target, and Google requires nothing else of it.
            consumers.remove(.chromium)
            guard let id = object("an ios_app target", keys: ["appid"])["appid"]?.value, let text = id.asString else {
                return nil
            }
            return .iOSApp(id: LocatedText(text, range: id.range))
        default:
            let nearest = findings.list.nearest(name, among: ["android_app", "web", "ios_app"])
            reject(
                .dal008, at: namespace.range, "namespace \(name.quoted) is unknown",
                fix: "write \((nearest ?? "android_app").quoted)" + (nearest == nil ? " or `web`" : ""),
                edit: nearest.map { SourceEdit(range: namespace.range, replacement: $0.jsonQuoted) })
            return nil
        }
    }

    private mutating func androidApp(_ object: ObjectReader, relations: [LocatedText]) -> StatementTarget? {
        rules.reportMisplaced(in: object)
        var package: LocatedText?
        if let value = object["package_name"]?.value {
            package = packageName(value)
        } else {
            reject(.dal009, at: object.range, "the target has no package_name", fix: "add the applicationId of the app")
        }
        var prints: [LocatedText] = []
        if let value = object["sha256_cert_fingerprints"]?.value {
            prints = fingerprints(value, relations: relations)
        } else {
            reject(
                .dal012, at: object.range, "the target has no sha256_cert_fingerprints",
                fix: "add an array of fingerprints")
        }
        return package.map { .androidApp(package: $0, fingerprints: prints) }
    }

    private mutating func packageName(_ value: SourceValue) -> LocatedText? {
        let text = read(\.asString, of: value, "package_name", .dal009, fix: "write the applicationId of the app")
        return text.map { check($0, PackageName.problems(in: $0), at: value.range) }
    }

    /// Reports the problems of a text; with an error among them, no consumer can use the statement.
    private mutating func check(_ text: String, _ problems: [TextProblem], at range: SourceRange) -> LocatedText {
        findings.report(problems, at: range)
        if problems.contains(where: { $0.severity == .error }) { consumers = [] }
        return LocatedText(text, range: range)
    }

    private mutating func fingerprints(_ value: SourceValue, relations: [LocatedText]) -> [LocatedText] {
        let elements = read(
            \.asArray, of: value, "sha256_cert_fingerprints", .dal012, fix: "write an array of strings", converts: true)
        guard let elements else { return [] }
        if elements.isEmpty {
            reject(
                .dal012, at: value.range, "sha256_cert_fingerprints is empty",
                fix: "add the fingerprint of the app's certificate")
        }
        var fingerprints: [LocatedText] = []
        var seen: Set<ExactText> = []
        for element in elements {
            guard let text = read(\.asString, of: element, "a fingerprint", .dal011, fix: "write a string") else {
                continue
            }
            fingerprints.append(check(text, Fingerprint.problems(in: text), at: element.range))
            if !seen.insert(ExactText(text)).inserted {
                findings.report(
                    .dal025, at: element.range, "the statement has this fingerprint twice", fix: "remove one of them",
                    severity: .note)
            }
        }
        if elements.count == 1, relations.contains(where: { $0.text == StatementRelation.handleAllURLs }) {
            findings.list.reportOnce(
                .dal014, at: elements[0].range,
                "the app has only one fingerprint; with Play App Signing, phones need the fingerprint of the app signing "
                    + "key, not of the upload key that keytool prints",
                fix: "compare it with the app signing key (Play Console, App integrity)")
        }
        return fingerprints
    }

    private mutating func web(_ object: ObjectReader, relations: [LocatedText]) -> StatementTarget? {
        let fix = "write \"site\": \"https://…\""
        guard let site = object["site"]?.value else {
            reject(.dal016, at: object.range, "the target has no site", fix: fix)
            return nil
        }
        guard let text = read(\.asString, of: site, "site", .dal016, fix: fix) else { return nil }
        let isForWebAPK = !relations.isEmpty && relations.allSatisfy { $0.text == StatementRelation.queryWebAPK }
        let problems = WebSite.problems(in: text, isForWebAPK: isForWebAPK)
        if problems.contains(where: { $0.rule == .dal017 }) { consumers.remove(.google) }
        return .web(site: check(text, problems, at: site.range))
    }

    /// The URL of an include; nil if it is not valid.
    private func include(_ include: SourceMember, of members: [SourceMember]) -> LocatedText? {
        for other in members where ["relation", "target", "relation_extensions"].contains(other.key) {
            findings.report(
                .dal021, at: other.keyRange,
                "\(other.key.quoted) is next to an include; Google rejects it, and Android ignores the statement",
                fix: "write two entries")
        }
        let range = include.value.range
        let url = findings.read(
            \.asString, of: include.value, "the include", .dal022, "but must be an https URL",
            fix: "write \"https://…\"", converts: false)
        guard let url else { return nil }
        let address = WebAddress(url)
        guard let address, address.scheme == "https" else {
            let isPlain = address?.scheme == "http"
            let problem =
                address == nil
                ? "is not a URL"
                : isPlain ? "is fetched without TLS, so Google rejects it" : "is not an https URL"
            findings.report(
                .dal022, at: range, "include \(url.quoted) \(problem)", fix: "write an https URL that answers 200",
                edit: isPlain
                    ? SourceEdit(range: range, replacement: ("https" + url.dropFirst(4)).jsonQuoted) : nil)
            return nil
        }
        if let host, case .success(let own) = HostPattern.parse(host), own.matches(address.host),
            address.rest == AssociationPath.statements, address.port ?? 443 == 443
        {
            findings.report(
                .dal024, at: range, "include \(url.quoted) is this file itself, so Google gives up at its limit",
                fix: "remove it")
        }
        return LocatedText(url, range: range)
    }
}

extension StatementList {
    /// The largest file that AOSP reads, in bytes after decompression.
    public static let bytesMax = 1_048_576
    /// From this size on there is a warning, because Google's limit is not published.
    private static let bytesNear = 262_144

    /// Reads a file as it is served, after decompression. `file` is its name in the findings; `host` is the host that serves
    /// it, if known. If it is read leniently, a file that no system reads has its intended content, as far as that is clear.
    /// - Parameter document: the file, if it has been parsed already.
    public static func read(
        _ bytes: [UInt8], parsed document: SourceDocument? = nil, file: String, host: String? = nil,
        leniently: Bool = false
    ) -> StatementReading {
        var findings = FindingList(file: file)
        reportSize(bytes.count, &findings)
        // Far beyond the limit, other findings are of no use.
        if bytes.count > 4 * bytesMax { return StatementReading(problems: findings) }
        let document = document ?? SourceReader.read(bytes, as: .json)
        findings.takeProblems(of: document, as: .statements)
        let isReadable = document.isAcceptable
        guard let root = document.value, leniently || document.isWorthLinting else {
            return StatementReading(problems: findings)
        }
        var reader = StatementReader(findings, host: host)
        let content = reader.list(root)
        return StatementReading(
            list: isReadable || leniently ? content : nil, content: content, problems: reader.findings.list)
    }

    private static func reportSize(_ count: Int, _ findings: inout FindingList) {
        guard count > bytesNear else { return }
        let isTooLarge = count > bytesMax
        findings.report(
            .ghst006, at: nil,
            isTooLarge
                ? "the file has \(count) bytes, so Android, which reads at most \(bytesMax), rejects it"
                : "the file has \(count) bytes; Google's limit is not published, and Android rejects more than "
                    + "\(bytesMax)",
            fix: "shorten it, or distribute the apps over several hosts", severity: isTooLarge ? .error : .warning)
    }
}

/// The result of reading a statement list.
public struct StatementReading: Sendable {
    /// Nil if every consumer rejects the file.
    public var list: StatementList?
    /// The content of the text, even if no consumer reads it.
    package var content: StatementList?
    package var problems: FindingList

    /// Findings about the structure of the file and about single values, in the order of the text.
    public var findings: [Finding] { problems.sorted }
}
