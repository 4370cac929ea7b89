// The rules of one entry against each other: what only excludes, what turns off the rest, which neighbours a pattern
// covers unseen, and whether the two dialects of one entry agree. What a rule matches is asked of the matcher, so that
// a finding is never a guess about strings.

import SourceJSON

/// Lints the rules of one entry of `details`.
struct AppleListLint {
    let entry: AppleDetail
    /// Nearest first.
    let defaults: [AppleComponent]
    /// The variables of the file.
    let table: SubstitutionTable
    /// Whether the file is written for iOS 12 and older too.
    let isForOldSystems: Bool
    /// The rules ready to decide, where the caller has them.
    var matcher: AppleMatcher?

    /// A rule of either dialect, as far as this part looks at it.
    struct Rule {
        /// With what it inherits.
        var component: AppleComponent
        var range: SourceRange?

        var excludes: Bool { component.exclude == true }
        /// Whether the path alone decides.
        var isPathOnly: Bool { component.query == nil && component.fragment == nil }
        var path: String? { component.path }

        /// Whether it matches every URL, as far as its text shows.
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

    /// What the rules alone show. What takes a search over all URLs is in `reportUseless` and `reportBothDialects`.
    func report(into findings: inout FindingList) {
        let components = (entry.components ?? []).map { component in
            Rule(component: component.inheriting(from: defaults), range: component.range)
        }
        reportOrder(components, &findings)
        reportNeighbours(components, &findings)
        let paths = (entry.paths ?? []).map { path in
            Rule(component: AppleComponent(path: path.pattern, exclude: path.exclude), range: path.range)
        }
        reportOrder(paths, &findings)
        reportNeighbours(paths, &findings)
        reportOwnFiles(&findings)
    }

    private func reportOrder(_ rules: [Rule], _ findings: inout FindingList) {
        guard let last = rules.last else { return }
        if rules.allSatisfy(\.excludes) {
            findings.report(
                .aasa039, at: rules[0].range,
                "all rules of the entry exclude; what no rule includes stays in the browser, so no URL opens the app",
                fix: "add a rule that includes, for instance {\"/\": \"*\"} at the end")
            return
        }
        if let index = rules.firstIndex(where: { $0.excludes && $0.matchesEverything }), index < rules.count - 1 {
            findings.report(
                .aasa038, at: rules[index].range,
                "the rule excludes everything, so the \(rules.count - 1 - index) rules after it are never reached",
                fix: "move it to the end or remove it")
        } else if last.excludes, last.matchesEverything {
            findings.report(
                .aasa040, at: last.range, "the last rule excludes everything, which is what happens without it",
                fix: "remove it, or keep it for the reader")
        }
    }

    /// Whether a tap on a link to the association files opens the app.
    private func reportOwnFiles(_ findings: inout FindingList) {
        guard let url = LinkURL("https://example.com/.well-known/apple-app-site-association") else { return }
        // That an entry without rules opens every URL has been said.
        guard entry.components != nil || entry.paths != nil else { return }
        let matcher = matcher ?? entry.matcher(defaults: defaults, table: table)
        guard case .match(let index) = matcher.decide(url) else { return }
        let ranges = entry.components?.map(\.range) ?? entry.paths?.map { Optional($0.range) } ?? []
        findings.reportOnce(
            .aasa081, at: ranges.indices.contains(index) ? ranges[index] : entry.range,
            "the rule matches /.well-known/apple-app-site-association too, so a tap on a link to the file opens the "
                + "app",
            fix: "start with a rule that excludes /.well-known/*")
    }
}
