// Rules that never decide anything. That is proved elsewhere (`Reachability`); here it gets its place and its words.

import SourceJSON

extension AppleListLint {
    func reportUseless(_ findings: inout FindingList, _ scope: inout ListScope) {
        if let components = entry.components {
            let inherited = components.map { $0.inheriting(from: defaults) }
            let count = scope.take(inherited.map(\.patternTexts), table: table)
            reportRest(count, of: components.map(\.range), &findings)
            let matcher = entry.componentMatcher(first: count, defaults: defaults, table: table)
            let places = inherited.map { Place(range: $0.range, excludes: $0.exclude == true, isNot: false) }
            let useless = matcher.map { Reachability.uselessRules(of: $0, limits: ListScope.limits) } ?? []
            report(useless, count, places, &findings)
        }
        if let paths = entry.paths {
            let count = scope.take(paths.map { [$0.text] }, table: table)
            reportRest(count, of: paths.map(\.range), &findings)
            let matcher = entry.pathMatcher(first: count, defaults: defaults, table: table)
            let places = paths.map { Place(range: $0.range, excludes: $0.exclude, isNot: $0.exclude) }
            report(Reachability.uselessRules(of: matcher, limits: ListScope.limits), count, places, &findings)
        }
    }

    private func reportRest(_ count: Int, of rules: [SourceRange?], _ findings: inout FindingList) {
        guard count < rules.count else { return }
        findings.reportOnce(
            .aasa082, at: rules[count],
            "the rules from here on are not compared with the others: the lists are too long for that, or this pattern "
                + "is")
    }

    private struct Place {
        var range: SourceRange?
        var excludes: Bool
        /// A legacy path with `NOT `, which has a rule id of its own.
        var isNot: Bool
    }

    /// `count` rules from the first on were asked about.
    private func report(_ useless: [UselessRule], _ count: Int, _ rules: [Place], _ findings: inout FindingList) {
        let onlyExcludes = rules.allSatisfy(\.excludes)
        for entry in useless where rules.indices.contains(entry.rule) {
            let rule = rules[entry.rule]
            switch entry.reason {
            case .covered(let covering):
                let earlier = covering.filter(rules.indices.contains).map { rules[$0] }
                let isOpposite = earlier.contains { $0.excludes != rule.excludes }
                findings.report(
                    rule.isNot ? .aasa072 : .aasa037, at: rule.range,
                    ListWords.neverReached(after: earlier.map(\.range), isOpposite: isOpposite),
                    fix: isOpposite ? "put it before" : "remove it")
            case .matchesNothing:
                // Mostly the pattern was reported already, with the reason.
                guard !findings.hasFinding(within: rule.range) else { continue }
                findings.report(
                    .aasa037, at: rule.range, "the rule is never reached: no URL matches it",
                    fix: "correct its pattern")
            case .excludesNothing:
                guard count == rules.count, !onlyExcludes, !findings.hasFinding(.aasa040, within: rule.range) else {
                    continue
                }
                findings.report(
                    .aasa040, at: rule.range,
                    "no later rule includes any of what this one excludes, so it changes nothing",
                    fix: "remove it, or keep it for the reader")
            }
        }
    }
}
