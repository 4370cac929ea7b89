// Entries that refer to another list. Nothing is fetched here; what can be said is said of the URL alone.

import SourceJSON

extension StatementReader {
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

    mutating func reportIncludes(_ list: StatementList) {
        guard let first = list.includes.first else { return }
        // Beside statements of its own the file serves App Links without the include, which is then for credentials.
        let hasLinks = list.statements.contains { statement in
            statement.relations.contains { $0.text == StatementRelation.handleAllURLs }
        }
        findings.report(
            .dal023, at: first.range,
            "Chromium ignores includes, and AOSP follows one level only, so App Links should not depend on them",
            fix: "write the statements into this file; keep includes for sharing credentials",
            severity: hasLinks ? .note : .warning)
    }
}
