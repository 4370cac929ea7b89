// `components` and `paths` in one entry: new systems read the one, old systems the other, so they ought to say the
// same. The engine of iOS 9 to 12 is not documented, so `paths` are decided as current systems do. A difference is
// shown by a URL, never inferred.

import SourceJSON

extension AppleListLint {
    func reportBothDialects(_ findings: inout FindingList, _ scope: inout ListScope) {
        guard let components = entry.components, let paths = entry.paths else { return }
        findings.report(
            .aasa025, at: entry.range,
            "the entry has both components and paths; iOS 13 and later read components only, and Apple warns of "
                + "unexpected behaviour",
            fix: "keep both only to serve iOS 9 to 12; otherwise drop paths",
            // With `apps` beside details, old systems are evidently meant.
            severity: isForOldSystems ? .note : .warning)
        let inherited = components.map { $0.inheriting(from: defaults).patternTexts }
        guard scope.take(inherited, table: table) == components.count,
            scope.take(paths.map { [$0.text] }, table: table) == paths.count
        else { return }
        // Old systems know neither defaults nor variables.
        let legacy = entry.pathMatcher(defaults: [], table: SubstitutionTable([]))
        guard let modern = entry.componentMatcher(defaults: defaults, table: table) else { return }
        let comparison = RuleComparison.differences(
            between: .apple(modern), and: .apple(legacy), host: "example.com", limits: ListScope.limits)
        guard let witness = comparison.witnesses.first else { return }
        let url = String(witness.url.text.dropFirst("https://example.com".count))
        findings.report(
            .aasa026, at: entry.range,
            "components and paths differ: \(url.quoted) opens the app by "
                + (witness.first.opens
                    ? "components (iOS 13 and later) and not by paths" : "paths (iOS 9 to 12) and not by components"),
            fix: "write one from the other")
    }
}
