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
    /// What is left of the effort that searches over all URLs may cost.
    var scope = ListScope()

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
        reportIncludes(list)
        reportAcross(list.statements)
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
}
