// Checks that need all statements of a list together, and the order of their dynamic rules.

import Association
import SourceJSON

/// Checks a list that has been read.
struct StatementListCheck {
    let list: StatementList
    /// At first, what reading the list found.
    var findings: FindingList

    mutating func run() -> [Finding] {
        var budget = SearchBudget()
        for rules in list.statements.lazy.flatMap(\.ruleLists) where !rules.isEmpty {
            AndroidListCheck.report(rules, into: &findings, &budget)
        }
        reportIncludes()
        reportDuplicates(list.statements)
        reportSecondRuleLists(list.statements)
        reportCredentials(list.statements)
        return findings.sorted
    }

    private mutating func reportIncludes() {
        guard let first = list.includes.first else { return }
        // If the file has a statement for links too, the include is probably for credentials.
        let hasLinks = list.statements.contains { statement in
            statement.relations.contains { $0.text == StatementRelation.handleAllURLs }
        }
        findings.report(
            .dal023, at: first.range,
            "Chromium ignores includes, and Android follows only one level, so App Links should not depend on them",
            fix: "write the statements into this file; use includes only for sharing credentials",
            severity: hasLinks ? .note : .warning)
    }

    /// Reports a statement that grants a relation to a target for the second time.
    private mutating func reportDuplicates(_ statements: [Statement]) {
        var lines: [Grant: Int] = [:]
        for statement in statements {
            guard let target = statement.target else { continue }
            let key = targetKey(target)
            var earlier: Int?
            for relation in statement.relations {
                let grant = Grant(relation: ExactText(relation.text), target: key)
                if let line = lines[grant] {
                    earlier = earlier ?? line
                } else {
                    lines[grant] = statement.range.start.line
                }
            }
            guard let earlier else { continue }
            findings.report(
                .dal025, at: statement.range,
                "the statement on line \(earlier) grants the same relation to the same target",
                fix: "merge them")
        }
    }

    private struct Grant: Hashable {
        var relation: ExactText
        var target: [ExactText]
    }

    private func targetKey(_ target: StatementTarget) -> [ExactText] {
        let parts: [String] =
            switch target {
            case .androidApp(let package, let fingerprints):
                ["android_app", package.text] + Set(fingerprints.map { $0.text.uppercased() }).sorted()
            case .web(let site): ["web", site.text]
            case .iOSApp(let id): ["ios_app", id.text]
            }
        return parts.map(ExactText.init(_:))
    }

    private mutating func reportSecondRuleLists(_ statements: [Statement]) {
        var lines: [ExactText: Int] = [:]
        for statement in statements where statement.dynamicRules != nil {
            guard case .androidApp(let package, _)? = statement.target else { continue }
            if let line = lines[ExactText(package.text)] {
                findings.report(
                    .dal026, at: statement.range,
                    "app \(package.text.quoted) also has dynamic rules in the statement on line \(line); it is undefined "
                        + "which list Android uses",
                    fix: "merge them into one")
            } else {
                lines[ExactText(package.text)] = statement.range.start.line
            }
        }
    }

    /// Passkeys need both relations; sharing passwords needs one.
    private mutating func reportCredentials(_ statements: [Statement]) {
        var openers: Set<ExactText> = []
        var sharers: [LocatedText] = []
        for statement in statements {
            guard case .androidApp(let package, _)? = statement.target else { continue }
            for relation in statement.relations {
                if relation.text == StatementRelation.handleAllURLs { openers.insert(ExactText(package.text)) }
                if relation.text == StatementRelation.getLoginCredentials {
                    sharers.append(LocatedText(package.text, range: relation.range))
                }
            }
        }
        var reported: Set<ExactText> = []
        for sharer in sharers {
            let package = ExactText(sharer.text)
            guard !openers.contains(package), reported.insert(package).inserted else { continue }
            findings.report(
                .dal020, at: sharer.range,
                "app \(sharer.text.quoted) has get_login_creds without handle_all_urls: passwords are shared, but "
                    + "passkeys need both",
                fix: "add \(StatementRelation.handleAllURLs.quoted) if you need passkeys")
        }
    }
}
