// Compares the rules of one entry with each other: entries that only exclude, rules that turn off later rules, patterns
// that match more than expected, and differences between components and paths. The matcher decides what a rule matches, so
// no finding is a guess about strings.

import Association
import SourceJSON

/// Lints the rules of one entry of `details`.
struct AppleListCheck {
    let entry: AppleDetail
    /// Those of the entry come first, then those of the file.
    let defaults: [AppleComponent]
    /// The variables of the file.
    let table: SubstitutionTable
    /// Whether the file supports iOS 12 and earlier too.
    let isForOldSystems: Bool
    /// Decides by the rules, if the caller already has it.
    var matcher: AppleMatcher?

    /// A rule of components or of paths.
    struct Rule {
        /// With the values that it inherits.
        var component: AppleComponent
        var range: SourceRange?

        var excludes: Bool { component.exclude == true }
        /// Whether only the path decides.
        var isPathOnly: Bool { component.query == nil && component.fragment == nil }
        var path: String? { component.path }

        /// Whether its patterns are only stars, so that it matches every URL.
        var matchesEverything: Bool {
            let isFree = { (pattern: String) in !pattern.isEmpty && pattern.allSatisfy { $0 == "*" } }
            if let path = component.path, !isFree(path), !(path.begins(with: "/") && isFree(String(path.dropFirst()))) {
                return false
            }
            if let fragment = component.fragment, !isFree(fragment) { return false }
            switch component.query {
            case nil: return true
            case .whole(let pattern): return isFree(pattern)
            case .items(let items): return items.allSatisfy { isFree($0.pattern) }
            }
        }
    }

    /// The checks that need no search over all URLs. `reportUseless` and `reportBothKinds` do those that need one.
    func report(into findings: inout FindingList) {
        let components = (entry.components ?? []).map { component in
            Rule(component: component.inheriting(from: defaults), range: component.range)
        }
        reportOrder(components, &findings)
        reportBarePaths(components, &findings)
        reportPrefixes(components, &findings)
        let paths = (entry.paths ?? []).map { path in
            Rule(component: AppleComponent(path: path.pattern, exclude: path.exclude), range: path.range)
        }
        reportOrder(paths, &findings)
        reportBarePaths(paths, &findings)
        reportPrefixes(paths, &findings)
        reportOwnFiles(&findings)
    }

    private func reportOrder(_ rules: [Rule], _ findings: inout FindingList) {
        guard let last = rules.last else { return }
        if rules.allSatisfy(\.excludes) {
            findings.report(
                .aasa039, at: rules[0].range,
                "all rules of the entry exclude, so no URL opens the app",
                fix: "add a rule that includes URLs, for example {\"/\": \"*\"} at the end")
            return
        }
        if let index = rules.firstIndex(where: { $0.excludes && $0.matchesEverything }), index < rules.count - 1 {
            findings.report(
                .aasa038, at: rules[index].range,
                "the rule excludes everything, so no later rule is reached (\(Count.of(rules.count - 1 - index, "rule")))",
                fix: "move it to the end, or remove it")
        } else if last.excludes, last.matchesEverything {
            findings.report(
                .aasa040, at: last.range,
                "the last rule excludes everything, but URLs that no rule matches stay in the browser anyway",
                fix: "remove it, or keep it as documentation")
        }
    }

    /// Reports that tapping a link to the association file opens the app.
    private func reportOwnFiles(_ findings: inout FindingList) {
        guard let url = LinkURL("https://example.com/.well-known/apple-app-site-association") else { return }
        // An entry without rules already has a finding.
        guard entry.components != nil || entry.paths != nil else { return }
        let matcher = matcher ?? entry.matcher(defaults: defaults, table: table)
        guard case .match(let index) = matcher.decide(url) else { return }
        let ranges = entry.components?.map(\.range) ?? entry.paths?.map { Optional($0.range) } ?? []
        findings.reportOnce(
            .aasa081, at: ranges.indices.contains(index) ? ranges[index] : entry.range,
            "the rule also matches /.well-known/apple-app-site-association, so tapping a link to the file itself opens "
                + "the app",
            fix: "start with a rule that excludes /.well-known/*")
    }

    /// Reports `/buy/*` before a separate rule for `/buy`, which then has no effect.
    private func reportBarePaths(_ rules: [Rule], _ findings: inout FindingList) {
        var lastUse: [ExactText: Int] = [:]
        for (index, rule) in rules.enumerated() {
            if let path = rule.path, rule.isPathOnly { lastUse[ExactText(path.withoutTrailingSlash)] = index }
        }
        let reading = { (rule: Rule) in
            [rule.component.caseSensitive ?? true, rule.component.percentEncoded ?? true]
        }
        for (index, rule) in rules.enumerated() {
            guard let path = rule.path, rule.isPathOnly, path.ends(with: "/*"), path.utf8.count > 2 else { continue }
            let bare = path.dropping(lastBytes: 2)
            guard let later = lastUse[ExactText(bare)], later > index, reading(rules[later]) == reading(rule) else {
                continue
            }
            findings.report(
                .aasa047, at: rule.range,
                "from iOS 13 on, \(path.quoted) also matches \(bare.quoted), so the later rule for it has no effect",
                fix: "write \((bare + "/?*").quoted), or remove the rule for \(bare.quoted)")
        }
    }

    /// Reports `/buy*` if the list also has `/buyer/…`.
    private func reportPrefixes(_ rules: [Rule], _ findings: inout FindingList) {
        let sorted = rules.compactMap(\.path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for rule in rules where rule.isPathOnly {
            guard let path = rule.path, path.ends(with: "*"), path.begins(with: "/") else { continue }
            let prefix = path.dropping(lastBytes: 1)
            guard let last = prefix.last, last.isLetter || last.isNumber, !prefix.contains(run: "*"),
                !prefix.contains(run: "?")
            else { continue }
            guard let longer = longerPath(than: prefix, in: sorted) else { continue }
            findings.report(
                .aasa048, at: rule.range, "\(path.quoted) also matches URLs of the rule \(longer.quoted)",
                fix: "write \((prefix + "/*").quoted), which also matches \(prefix.quoted)")
        }
    }

    /// The first path that starts with the prefix and continues in the same segment. Only the next paths in alphabetical
    /// order are checked.
    private func longerPath(than prefix: String, in sorted: [String]) -> String? {
        let first = sorted.firstIndexInSorted { !$0.utf8.lexicographicallyPrecedes(prefix.utf8) }
        return sorted[first...].prefix(20).first { path in
            guard path.begins(with: prefix), let next = path.dropping(firstBytes: prefix.utf8.count).first else {
                return false
            }
            return next.isLetter || next.isNumber || next == "-" || next == "_"
        }
    }

    func reportUseless(_ findings: inout FindingList, _ budget: inout SearchBudget) {
        if let components = entry.components {
            let inherited = components.map { $0.inheriting(from: defaults) }
            let count = budget.take(inherited.map(\.patternTexts), table: table)
            findings.reportRest(count, of: components.map(\.range), .aasa082)
            let matcher = entry.componentMatcher(first: count, defaults: defaults, table: table)
            let useless = matcher.map { Reachability.uselessRules(of: $0, limits: SearchBudget.limits) } ?? []
            let rules = inherited.map {
                ListedRule(range: $0.range, excludes: $0.exclude == true, covered: .aasa037)
            }
            report(useless, count, rules, &findings)
        }
        if let paths = entry.paths {
            let count = budget.take(paths.map { [$0.text] }, table: table)
            findings.reportRest(count, of: paths.map(\.range), .aasa082)
            let matcher = entry.pathMatcher(first: count, defaults: defaults, table: table)
            // A path with `NOT ` has a rule id of its own.
            let rules = paths.map {
                ListedRule(range: $0.range, excludes: $0.exclude, covered: $0.exclude ? .aasa072 : .aasa037)
            }
            report(Reachability.uselessRules(of: matcher, limits: SearchBudget.limits), count, rules, &findings)
        }
    }

    /// - Parameter count: the number of rules that were checked.
    private func report(_ useless: [UselessRule], _ count: Int, _ rules: [ListedRule], _ findings: inout FindingList) {
        findings.reportNeverReached(useless, rules, unmatched: .aasa037)
        // Whether an exclusion has an effect depends on all later rules.
        guard count == rules.count, !rules.allSatisfy(\.excludes) else { return }
        for entry in useless where entry.reason == .excludesNothing && rules.indices.contains(entry.rule) {
            let rule = rules[entry.rule]
            if findings.hasFinding(.aasa040, within: rule.range) { continue }
            findings.report(
                .aasa040, at: rule.range,
                "this exclusion changes nothing: no later rule includes these URLs, so they stay in the browser without it",
                fix: "remove it, or keep it as documentation")
        }
    }

    /// Reports an entry with both components and paths, and a URL that only one of them opens.
    func reportBothKinds(_ findings: inout FindingList, _ budget: inout SearchBudget) {
        guard let components = entry.components, let paths = entry.paths else { return }
        findings.report(
            .aasa025, at: entry.range,
            "the entry has both components and paths; iOS 13 and later read only components, and Apple warns of "
                + "unexpected behaviour",
            fix: "keep both only to support iOS 9 to 12; otherwise remove paths",
            // A file with `apps` is evidently meant for old systems too.
            severity: isForOldSystems ? .note : .warning)
        let inherited = components.map { $0.inheriting(from: defaults).patternTexts }
        guard budget.take(inherited, table: table) == components.count,
            budget.take(paths.map { [$0.text] }, table: table) == paths.count
        else { return }
        // Old systems support neither defaults nor variables.
        let legacy = entry.pathMatcher(defaults: [], table: SubstitutionTable([]))
        guard let modern = entry.componentMatcher(defaults: defaults, table: table) else { return }
        let comparison = RuleComparison.differences(
            between: .apple(modern), and: .apple(legacy), host: "example.com", limits: SearchBudget.limits)
        guard let witness = comparison.witnesses.first else { return }
        let url = String(witness.url.text.dropFirst("https://example.com".count))
        findings.report(
            .aasa026, at: entry.range,
            "components and paths differ: \(url.quoted) opens the app on "
                + (witness.first.opens
                    ? "iOS 13 and later (components) but not on iOS 9 to 12 (paths)"
                    : "iOS 9 to 12 (paths) but not on iOS 13 and later (components)"),
            fix: "make both match the same URLs")
    }
}
