// Findings for a person: what is said many times in one file is said once. Programs get each finding with its place.

import SourceJSON

/// Shortens the findings of one file.
public enum FindingDigest {
    /// So many warnings of one rule are listed; more are one line.
    private static let warningsMax = 3
    /// Lines that such a line names.
    private static let linesMax = 5

    /// One note for each rule, one warning where a rule has more than a few, and every error.
    public static func digest(_ findings: [Finding]) -> [Finding] {
        struct Kind: Hashable {
            var file: String
            var rule: String
            var severity: Severity
        }
        func kind(_ finding: Finding) -> Kind {
            Kind(file: finding.file, rule: finding.rule, severity: finding.severity)
        }
        let groups = Dictionary(grouping: findings, by: kind)
        var reported: Set<Kind> = []
        return findings.compactMap { finding in
            let group = groups[kind(finding)] ?? []
            let listed = finding.severity == .note ? 1 : warningsMax
            guard finding.severity != .error, group.count > listed else { return finding }
            guard reported.insert(kind(finding)).inserted else { return nil }
            var finding = finding
            finding.message += " (and \(Count.of(group.count - 1, "more place"))\(lines(of: group.dropFirst())))"
            return finding
        }
    }

    /// `: lines 4, 7 and others`.
    private static func lines(of findings: ArraySlice<Finding>) -> String {
        let numbers = Set(findings.compactMap { $0.range?.start.line }).sorted()
        guard let first = numbers.first else { return "" }
        if numbers.count == 1 { return " in line \(first)" }
        let named = numbers.prefix(linesMax).map { String($0) }.joined(separator: ", ")
        return " in lines \(named)\(numbers.count > linesMax ? " and others" : "")"
    }
}
