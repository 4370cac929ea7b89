// The order of an app file's rules, as Apple's systems read them: rules that no URL reaches, and rules that match more
// than their author probably expects. The matcher and automata decide both, so no finding is a guess about strings.

import Association
import SourceJSON

/// Checks the order of an app file's rules.
struct LinkOrderCheck {
    let app: AppFile
    /// Decides by all rules of the file.
    let source: AppleMatcher

    func findings() -> [Finding] {
        guard !app.links.isEmpty else { return [] }
        var findings = FindingList(file: app.file)
        let entry = AppleDetail(appIDs: [], components: app.links, range: app.ranges.links ?? app.ranges.root)
        AppleListCheck(
            entry: entry, defaults: app.defaults,
            table: source.table, isForOldSystems: app.ios?.hasLegacyPaths == true, matcher: source
        ).report(into: &findings)
        reportUseless(into: &findings)
        return findings.sorted
    }

    /// Checks only the first rules of a long list. A rule that earlier rules cover stays covered, however the list
    /// continues. That an exclusion has no effect can be said only after checking the whole list.
    private func reportUseless(into findings: inout FindingList) {
        let count = SearchBudget.count(of: app.links.map(\.patternTexts), table: source.table)
        if count < app.links.count {
            findings.report(
                Finding(
                    .app043, in: app, at: app.links[count].range,
                    "the rules from here on are not compared with the others, because the list or this pattern is too long"
                )
            )
        }
        let useless = Reachability.uselessRules(
            of: app.sourceMatcher(first: count, table: source.table), limits: SearchBudget.limits)
        for entry in useless where entry.reason != .excludesNothing || count == app.links.count {
            findings.report(finding(entry))
        }
    }

    private func finding(_ useless: UselessRule) -> Finding {
        let range = app.links.element(at: useless.rule)?.range
        switch useless.reason {
        case .matchesNothing(let part):
            return Finding(
                .app040, in: app, at: range, "this rule has no effect: no URL matches \(part.pattern)",
                fix: "correct the pattern, or remove the rule")
        case .covered(let rules):
            let names = rules.map { "links[\($0)]\(line(of: $0))" }.joined(separator: " and ")
            let excludes = source.rules.element(at: useless.rule)?.excludes
            // With the same result, another place would change nothing.
            let isOpposite = rules.contains { source.rules.element(at: $0)?.excludes != excludes }
            return Finding(
                .app040, in: app, at: range,
                "this rule has no effect: \(names) already \(rules.count == 1 ? "matches" : "match") all its URLs",
                fix: (isOpposite ? "move this rule above links[\(rules.first ?? 0)], or " : "") + "remove this rule")
        case .excludesNothing:
            return Finding(
                .app040, in: app, at: range,
                "this exclusion changes nothing: no later rule includes these URLs, so they stay in the browser without it",
                fix: "move it above the rule that it is an exception to, or remove it", severity: .note)
        }
    }

    private func line(of link: Int) -> String {
        app.links.element(at: link)?.range.map { " (line \($0.start.line))" } ?? ""
    }
}

extension MatchStep.Part {
    /// The pattern of a rule for the part, as the object of "no URL matches …".
    fileprivate var pattern: String {
        switch self {
        case .path: "its path pattern"
        case .query: "its query pattern"
        case .queryItem(let name): "its pattern for the query parameter \(name.quoted)"
        case .fragment: "its fragment pattern"
        case .rule: "it"
        }
    }
}
