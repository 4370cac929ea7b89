// The dynamic rules of one app against each other: what only excludes, what is never reached, and which neighbouring
// paths are decided differently although a person would take them for the same.

import SourceJSON

/// Lints one list of dynamic rules.
enum AndroidListLint {
    static func report(_ rules: [AndroidRule], into findings: inout FindingList, _ scope: inout ListScope) {
        reportExcludeOnly(rules, &findings)
        reportOptionalParts(rules, &findings)
        reportUseless(rules, &findings, &scope)
        reportNeighbours(rules, &findings)
    }

    private static func reportExcludeOnly(_ rules: [AndroidRule], _ findings: inout FindingList) {
        guard let last = rules.last, rules.allSatisfy(\.exclude) else { return }
        findings.report(
            .dal031, at: last.range, "all rules exclude; what no rule allows does not open the app, so no URL does",
            fix: "end the list with {\"/\": \"*\"}")
    }

    /// Rules that never decide anything; proved by `Reachability`. That a last rule excludes everything is how Google's
    /// own examples end, so nothing is said of exclusions without effect.
    private static func reportUseless(
        _ rules: [AndroidRule], _ findings: inout FindingList, _ scope: inout ListScope
    ) {
        let count = scope.take(rules.map(\.patternTexts))
        if count < rules.count {
            findings.reportOnce(
                .dal044, at: rules[count].range,
                "the rules from here on are not compared with the others: the lists are too long for that, or this "
                    + "pattern is")
        }
        let matcher = AndroidMatcher(rules: Array(rules.prefix(count)))
        for entry in Reachability.uselessRules(of: matcher, limits: ListScope.limits)
        where rules.indices.contains(entry.rule) {
            let rule = rules[entry.rule]
            switch entry.reason {
            case .covered(let covering):
                let earlier = covering.filter(rules.indices.contains).map { rules[$0] }
                let isOpposite = earlier.contains { $0.exclude != rule.exclude }
                findings.report(
                    .dal032, at: rule.range,
                    ListWords.neverReached(after: earlier.map(\.range), isOpposite: isOpposite),
                    fix: isOpposite ? "put it before" : "remove it")
            case .matchesNothing:
                guard !findings.hasFinding(within: rule.range) else { continue }
                findings.report(
                    .dal032, at: rule.range, "the rule is never reached: no URL matches it",
                    fix: "correct its pattern")
            case .excludesNothing: continue
            }
        }
    }

    /// `"*"` reads like "whatever", and on Android means "has to be there".
    private static func reportOptionalParts(_ rules: [AndroidRule], _ findings: inout FindingList) {
        for rule in rules {
            let stars = (rule.query ?? []).filter { $0.pattern == "*" }
            if rule.fragment == "*", rule.path != nil || rule.query != nil {
                findings.report(
                    .dal038, at: rule.range,
                    "the fragment pattern * requires a fragment on Android; on Apple it does not",
                    fix: "drop \"#\" where the fragment is optional")
            }
            if let star = stars.first, rule.path != nil || rule.fragment != nil || stars.count < rule.query?.count ?? 0
            {
                findings.report(
                    .dal038, at: rule.range,
                    "the pattern * requires query item \(star.name.quoted) on Android; on Apple it does not",
                    fix: "drop the item where it is optional", severity: .note)
            }
        }
    }
}
