// From the values of an assetlinks.json file to the model, with a finding for whatever a consumer rejects, ignores or
// never uses. The three consumers differ, so each finding says who breaks, and each statement remembers who can use it.

import SourceJSON

/// Reads one file and remembers what was wrong with it.
struct StatementReader {
    var findings: FindingList
    let host: String?
    /// Who can use the statement that is being read, apart from AOSP, of which `StatementFlaw` knows.
    var consumers: Set<StatementConsumer> = []
    /// The place of the dynamic rule that is being read, and the first one with a value of the wrong type, for which
    /// Android discards them all.
    var ruleIndex = 0
    var malformedRule: MalformedRule?

    init(findings: FindingList, host: String?) {
        self.findings = findings
        self.host = host
    }

    mutating func list(_ root: SourceValue) -> StatementList? {
        guard case .array(let entries) = root.kind else {
            var edit: SourceEdit?
            if case .object = root.kind { edit = findings.wrapping(root.range, in: "[", "]") }
            findings.report(
                .dal002, at: root.range,
                "the top level is \(root.spokenName); Google, AOSP and Chromium reject the file, even with a single "
                    + "statement",
                fix: "put the statements into one array", edit: edit)
            return nil
        }
        if entries.isEmpty {
            findings.report(
                .dal003, at: root.range, "the list is empty, so the host trusts no app",
                fix: "add a statement, or answer 404")
        }
        var list = StatementList(range: root.range)
        for entry in entries {
            let flaw = AOSPEntryReader.flaw(of: entry)
            if let flaw { list.flaws.append(flaw) }
            guard case .object(let members) = entry.kind else {
                findings.report(
                    .dal004, at: entry.range, "an entry is \(entry.spokenName), so it says nothing",
                    fix: "write {\"relation\": [ … ], \"target\": { … }}")
                continue
            }
            if let include = members.last(where: { $0.key == "include" }) {
                if let url = self.include(include, beside: members) { list.includes.append(url) }
            } else {
                list.statements.append(statement(members, range: entry.range, isReadByAOSP: flaw == nil))
            }
        }
        report(list.flaws, in: list)
        return list
    }

    /// The statement that is being read cannot be used by these.
    mutating func reject(for rejecting: Set<StatementConsumer> = [.google, .chromium]) {
        consumers.subtract(rejecting)
    }

    mutating func reportUnknownKey(
        _ member: SourceMember, in place: String, known: [String], beside members: [SourceMember]
    ) {
        let synonym = Self.synonyms[member.key.lowercased()].flatMap { known.contains($0) ? $0 : nil }
        let nearest = synonym ?? findings.nearest(member.key, among: known)
        let remedy = KeyRemedy(member, nearest: nearest, beside: members, replacement: \.jsonQuoted)
        // Consumers let other fields pass, so a key of the author's own is nothing to warn of.
        findings.report(
            .dal041, at: member.keyRange, "\(member.key.quoted) is no key of \(place), so it is ignored",
            fix: remedy.fix ?? "remove it", edit: remedy.edit,
            severity: nearest == nil ? .note : .warning)
    }

    private static let synonyms = [
        "package": "package_name", "packages": "package_name", "applicationid": "package_name",
        "application_id": "package_name", "fingerprints": "sha256_cert_fingerprints",
        "sha256": "sha256_cert_fingerprints",
        "sha256_fingerprints": "sha256_cert_fingerprints", "url": "site", "host": "site", "domain": "site",
        "path": "/", "query": "?", "fragment": "#", "comment": "comments", "not": "exclude",
    ]

    private static let statementKeys = ["relation", "target", "relation_extensions", "include"]

    mutating func statement(_ members: [SourceMember], range: SourceRange, isReadByAOSP: Bool) -> Statement {
        consumers = [.google, .chromium]
        var statement = Statement(range: range)
        var relation: SourceValue?
        var target: SourceValue?
        var extensions: SourceMember?
        for member in members {
            switch member.key {
            case "relation": relation = member.value
            case "target": target = member.value
            case "relation_extensions": extensions = member
            case Self.dynamicRulesKey: reportMisplacedRules(member, in: "a statement")
            default: reportUnknownKey(member, in: "a statement", known: Self.statementKeys, beside: members)
            }
        }
        let missing = [relation == nil ? "relation" : nil, target == nil ? "target" : nil].compactMap { $0 }
        if !missing.isEmpty {
            reject()
            findings.report(
                .dal004, at: range,
                "the statement has no \(missing.joined(separator: " and no ")), so Google rejects it",
                fix: "write {\"relation\": [ … ], \"target\": { … }}")
        }
        if let relation { statement.relations = relations(relation) }
        if let target { statement.target = self.target(target, relations: statement.relations) }
        if let extensions { readDynamicRules(extensions, into: &statement) }
        statement.consumers = isReadByAOSP ? consumers.union([.aosp]) : consumers
        return statement
    }

    private mutating func relations(_ value: SourceValue) -> [LocatedText] {
        guard case .array(let elements) = value.kind else {
            reject()
            var edit: SourceEdit?
            if case .string = value.kind { edit = findings.wrapping(value.range, in: "[", "]") }
            findings.report(
                .dal005, at: value.range, "relation is \(value.spokenName), so Google rejects the statement",
                fix: "write an array of strings", edit: edit)
            return []
        }
        if elements.isEmpty {
            reject()
            findings.report(
                .dal005, at: value.range, "relation is empty, so the statement says nothing",
                fix: "write \"delegate_permission/common.handle_all_urls\"")
        }
        var relations: [LocatedText] = []
        for element in elements {
            guard case .string(let text) = element.kind else {
                reject()
                findings.report(
                    .dal005, at: element.range,
                    "a relation is \(element.spokenName), so Google rejects the statement",
                    fix: "write a string")
                continue
            }
            if var problem = StatementRelation.problem(in: text) {
                // What is listed already would stand there twice.
                if elements.contains(where: { $0.asString == problem.replacement }) {
                    (problem.fix, problem.replacement) = ("remove it", nil)
                }
                findings.report(problem, at: element.range)
                // A relation of another spelling is accepted, and nobody looks for it.
                if problem.rule == .dal006 {
                    reject()
                    continue
                }
            }
            relations.append(LocatedText(text, range: element.range))
        }
        return relations
    }

    private mutating func target(_ value: SourceValue, relations: [LocatedText]) -> StatementTarget? {
        guard case .object(let members) = value.kind else {
            reject()
            findings.report(
                .dal004, at: value.range, "target is \(value.spokenName), so Google rejects the statement",
                fix: "write {\"namespace\": \"android_app\", … }")
            return nil
        }
        let namespace = members.last { $0.key == "namespace" }
        guard case .string(let name)? = namespace?.value.kind else {
            reject()
            let fault = namespace.map { "namespace is \($0.value.spokenName)" } ?? "the target has no namespace"
            findings.report(
                .dal008, at: namespace?.value.range ?? value.range, "\(fault), so Google rejects the statement",
                fix: "write \"namespace\": \"android_app\"")
            return nil
        }
        switch name {
        case "android_app": return androidApp(members, range: value.range, relations: relations)
        case "web": return web(members, range: value.range, relations: relations)
        case "ios_app": return iOSApp(members)
        default:
            reject()
            let nearest = findings.nearest(name, among: ["android_app", "web", "ios_app"])
            let range = namespace?.value.range ?? value.range
            findings.report(
                .dal008, at: range,
                "namespace \(name.quoted) is unknown, so Google rejects the statement",
                fix: "write \((nearest ?? "android_app").quoted)" + (nearest == nil ? " or `web`" : ""),
                edit: nearest.map { SourceEdit(range: range, replacement: $0.jsonQuoted) })
            return nil
        }
    }

    private mutating func iOSApp(_ members: [SourceMember]) -> StatementTarget? {
        for member in members where !["namespace", "appid"].contains(member.key) {
            reportUnknownKey(member, in: "an ios_app target", known: ["appid"], beside: members)
        }
        // Chromium reads no such target, and Google asks nothing more of it.
        reject(for: [.chromium])
        guard let id = members.last(where: { $0.key == "appid" })?.value, case .string(let text) = id.kind else {
            return nil
        }
        return .iOSApp(id: LocatedText(text, range: id.range))
    }

    private static let appKeys = ["package_name", "sha256_cert_fingerprints"]

    mutating func androidApp(
        _ members: [SourceMember], range: SourceRange, relations: [LocatedText]
    ) -> StatementTarget? {
        var package: LocatedText?
        var fingerprints: [LocatedText]?
        for member in members {
            switch member.key {
            case "namespace": continue
            case "package_name": package = packageName(member.value)
            case "sha256_cert_fingerprints": fingerprints = self.fingerprints(member.value, relations: relations)
            case Self.dynamicRulesKey: reportMisplacedRules(member, in: "a target")
            default: reportUnknownKey(member, in: "an android_app target", known: Self.appKeys, beside: members)
            }
        }
        if !members.contains(where: { $0.key == "package_name" }) {
            reject()
            findings.report(
                .dal009, at: range, "the target has no package_name, so Google rejects the statement",
                fix: "add the applicationId of the app")
        }
        if !members.contains(where: { $0.key == "sha256_cert_fingerprints" }) {
            reject()
            findings.report(
                .dal012, at: range,
                "the target has no sha256_cert_fingerprints, so Google rejects the statement and no certificate is "
                    + "trusted",
                fix: "add an array of fingerprints")
        }
        guard let package else { return nil }
        return .androidApp(package: package, fingerprints: fingerprints ?? [])
    }

    private mutating func packageName(_ value: SourceValue) -> LocatedText? {
        guard case .string(let text) = value.kind else {
            reject()
            findings.report(
                .dal009, at: value.range, "package_name is \(value.spokenName), so Google rejects the statement",
                fix: "write the applicationId of the app")
            return nil
        }
        for problem in PackageName.problems(in: text) {
            if problem.severity == .error { reject() }
            findings.report(problem, at: value.range)
        }
        return LocatedText(text, range: value.range)
    }

    private mutating func fingerprints(_ value: SourceValue, relations: [LocatedText]) -> [LocatedText] {
        guard case .array(let elements) = value.kind else {
            var edit: SourceEdit?
            if case .string = value.kind { edit = findings.wrapping(value.range, in: "[", "]") }
            reject()
            findings.report(
                .dal012, at: value.range,
                "sha256_cert_fingerprints is \(value.spokenName), so Google rejects the statement and Chromium finds no "
                    + "match",
                fix: "write an array of strings", edit: edit)
            return []
        }
        if elements.isEmpty {
            reject()
            findings.report(
                .dal012, at: value.range,
                "sha256_cert_fingerprints is empty, so Google rejects the statement and no certificate is trusted",
                fix: "add the fingerprint of the app's certificate")
        }
        var fingerprints: [LocatedText] = []
        var seen: Set<ExactText> = []
        for element in elements {
            guard case .string(let text) = element.kind else {
                reject()
                findings.report(
                    .dal011, at: element.range,
                    "a fingerprint is \(element.spokenName), so Google rejects the statement",
                    fix: "write a string")
                continue
            }
            let problems = Fingerprint.problems(in: text)
            for problem in problems { findings.report(problem, at: element.range) }
            if problems.contains(where: { $0.severity == .error }) { reject() }
            if !seen.insert(ExactText(text)).inserted {
                findings.report(
                    .dal025, at: element.range, "the fingerprint stands twice in this statement", fix: "remove one",
                    severity: .note)
            }
            fingerprints.append(LocatedText(text, range: element.range))
        }
        if elements.count == 1, relations.contains(where: { $0.text == StatementRelation.handleAllURLs }) {
            findings.reportOnce(
                .dal014, at: elements[0].range,
                "the app has one fingerprint; with Play App Signing it has to be the app signing key of the Play "
                    + "Console, and keytool prints the upload key",
                fix: "compare it with App integrity in the Play Console")
        }
        return fingerprints
    }

    mutating func web(_ members: [SourceMember], range: SourceRange, relations: [LocatedText]) -> StatementTarget? {
        for member in members where !["namespace", "site"].contains(member.key) {
            reportUnknownKey(member, in: "a web target", known: ["site"], beside: members)
        }
        let site = members.last { $0.key == "site" }
        guard case .string(let text)? = site?.value.kind, let site else {
            reject()
            let what = site.map { "site is \($0.value.spokenName)" } ?? "the target has no site"
            findings.report(
                .dal016, at: site?.value.range ?? range,
                "\(what), so Google rejects the statement",
                fix: "write \"site\": \"https://…\"")
            return nil
        }
        let isForWebAPK = !relations.isEmpty && relations.allSatisfy { $0.text == StatementRelation.queryWebAPK }
        for problem in WebSite.problems(in: text, isForWebAPK: isForWebAPK) {
            if problem.severity == .error { reject() }
            if problem.rule == .dal017 { reject(for: [.google]) }
            findings.report(problem, at: site.value.range)
        }
        return .web(site: LocatedText(text, range: site.value.range))
    }

    /// The URL of an include; nil where it is none.
    mutating func include(_ member: SourceMember, beside members: [SourceMember]) -> LocatedText? {
        for other in members where ["relation", "target", "relation_extensions"].contains(other.key) {
            findings.report(
                .dal021, at: other.keyRange,
                "\(other.key.quoted) stands beside an include: Google reports an invalid field, and AOSP follows the "
                    + "include and drops the statement",
                fix: "write two entries")
        }
        guard case .string(let url) = member.value.kind else {
            findings.report(
                .dal022, at: member.value.range,
                "the include is \(member.value.spokenName) and must be an https URL",
                fix: "write \"https://…\"")
            return nil
        }
        let address = WebAddress(url)
        let problem: String?
        if address == nil {
            problem = "is no URL"
        } else if address?.scheme == "http" {
            problem = "is fetched without TLS, which Google refuses in a list that was fetched with it"
        } else if address?.scheme != "https" {
            problem = "is no https URL"
        } else {
            problem = nil
        }
        if let problem {
            var edit: SourceEdit?
            if address?.scheme == "http" {
                edit = SourceEdit(range: member.value.range, replacement: ("https" + url.dropFirst(4)).jsonQuoted)
            }
            findings.report(
                .dal022, at: member.value.range, "include \(url.quoted) \(problem)",
                fix: "write an https URL that answers 200",
                edit: edit)
            return nil
        }
        if let host, let address, case .success(let own) = HostPattern.parse(host), own.matches(address.host),
            address.rest == AssociationPath.statements, address.port ?? 443 == 443
        {
            findings.report(
                .dal024, at: member.value.range,
                "include \(url.quoted) is this file itself: Google gives up with an exhausted budget",
                fix: "remove it")
        }
        return LocatedText(url, range: member.value.range)
    }
}

extension StatementList {
    /// What AOSP reads.
    public static let bytesMax = 1_048_576
    /// Google's limit is not published; from here on it is said.
    static let bytesNear = 262_144

    /// Reads a file as it is served, after any gzip is undone. `file` is its name in the findings; `host` is the host
    /// that serves it, where that is known. Leniently read, a file that no system reads has the content that it was meant
    /// to have, as far as that shows.
    public static func read(
        _ bytes: [UInt8], file: String, host: String? = nil, leniently: Bool = false
    ) -> StatementReading {
        var findings = FindingList(file: file)
        reportSize(bytes.count, &findings)
        // So far beyond the limit nobody wants to know the rest.
        if bytes.count > 4 * bytesMax { return StatementReading(problems: findings) }
        let document = SourceReader.read(bytes, as: .json)
        findings.takeProblems(of: document, as: .statements)
        let isReadable = document.isAcceptable
        guard let root = document.value, leniently || document.isWorthLinting else {
            return StatementReading(problems: findings)
        }
        var reader = StatementReader(findings: findings, host: host)
        let content = reader.list(root)
        return StatementReading(
            list: isReadable || leniently ? content : nil, content: content, problems: reader.findings)
    }

    private static func reportSize(_ count: Int, _ findings: inout FindingList) {
        guard count > bytesNear else { return }
        let isTooLarge = count > bytesMax
        findings.report(
            .ghst006, at: nil,
            isTooLarge
                ? "the file has \(count) bytes, more than the \(bytesMax) that AOSP reads; Google's limit is not "
                    + "published"
                : "the file has \(count) bytes; Google's limit is not published, and AOSP refuses more than "
                    + "\(bytesMax)",
            fix: "shorten it; split the apps over several hosts", severity: isTooLarge ? .error : .warning)
    }
}

/// What reading a statement list gave.
public struct StatementReading: Sendable {
    /// Nil where no consumer sees a list.
    public var list: StatementList?
    /// What the text says, whether or not a consumer reads it.
    package var content: StatementList?
    package var problems: FindingList

    /// What is wrong with the structure of the file and with single values, in the order of the text.
    public var findings: [Finding] { problems.sorted }
}
