// `components` and `paths` in one entry: new systems read the one, old systems the other, so they ought to say the same.
// Sample URLs are made from every pattern of both lists and decided by both; a difference is shown, never inferred. The
// engine of iOS 9 to 12 is not documented, so `paths` are decided as current systems do.

import SourceJSON

extension AppleListLint {
    func reportBothDialects(_ findings: inout FindingList) {
        guard let components = entry.components, let paths = entry.paths else { return }
        findings.report(
            "AASA-025", at: entry.range,
            "the entry has both components and paths; iOS 13 and later read components only, and "
                + "Apple warns of unexpected behaviour",
            fix: "keep both only to serve iOS 9 to 12; otherwise drop paths",
            // With `apps` beside details, old systems are evidently meant.
            severity: isForOldSystems ? .note : .warning)
        let modern = AppleMatcher(components: components, defaults: defaults, variables: variables)
        let legacy = AppleMatcher(paths: paths.map(\.text))
        let rules = components.map { $0.inheriting(from: defaults) }
        let budget = Self.decisionsMax / max(1, components.count + paths.count)
        let samples = samples(of: rules.map(\.path) + paths.map { $0.pattern }, countMax: budget)
        for sample in samples {
            guard let url = LinkURL("https://example.com" + sample) else { continue }
            let opensNew = modern.decide(url).opens
            guard opensNew != legacy.decide(url).opens else { continue }
            findings.report(
                "AASA-026", at: entry.range,
                "components and paths differ: \(sample.quoted) opens the app by "
                    + (opensNew
                        ? "components (iOS 13 and later) and not by paths"
                        : "paths (iOS 9 to 12) and not by components"),
                fix: "write one from the other")
            return
        }
    }

    /// Rules times samples that are decided for one entry.
    private static let decisionsMax = 50_000

    /// URLs that the patterns were written for, and some next to them.
    private func samples(of patterns: [String?], countMax: Int) -> [String] {
        var samples = ["/", "/x"]
        for pattern in patterns.compactMap({ $0 }) where pattern.utf8.count <= Self.patternBytesMax {
            guard samples.count < countMax else { break }
            let text = PatternVariables(pattern).texts.joined(separator: "x")
            for star in ["x", "", "x/y"] {
                let path = text.map { $0 == "*" ? star : $0 == "?" ? "x" : String($0) }.joined()
                samples.append(path.hasPrefix("/") ? path : "/" + path)
            }
        }
        return samples
    }

    /// No URL that anybody links to is longer.
    private static let patternBytesMax = 2_048
}
