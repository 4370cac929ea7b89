// Shortens findings for people: repeated findings of one file become one line, and a finding that many files have is shown
// for the first of them. Programs get every finding with its place.

public import Association
import SourceJSON

/// Shortens findings.
public enum FindingDigest {
    /// Number of warnings of one rule in a file that are listed; more become one line.
    private static let warningsMax = 3
    /// Line numbers in such a line.
    private static let linesMax = 5
    /// Number of files for which a rule is shown; more are counted.
    private static let filesMax = 10
    /// Number of rules in a summary.
    private static let rulesMax = 5

    /// For each file: one note for each rule, a few warnings for each rule or else one, and every error. For each rule: the
    /// first few files.
    public static func digest(_ findings: [Finding]) -> [Finding] {
        var files: [RuleID: [String]] = [:]
        for finding in findings where files[finding.rule]?.last != finding.file {
            files[finding.rule, default: []].append(finding.file)
        }
        let shown = files.mapValues { Set($0.prefix(filesMax)) }
        var left: Set<RuleID> = []
        return digestFiles(findings).compactMap { finding in
            if shown[finding.rule]?.contains(finding.file) == true { return finding }
            guard left.insert(finding.rule).inserted, let count = files[finding.rule]?.count else { return nil }
            var finding = finding
            if count > filesMax + 1 { finding.add(" (and \(Count.of(count - filesMax - 1, "more file")))") }
            return finding
        }
    }

    /// The numbers of findings. Of many errors, those of each rule, because most may have one cause, or be expected.
    public static func summary(_ findings: [Finding], showsNotes: Bool) -> String {
        func count(_ severity: Severity, _ noun: String) -> String {
            Count.of(findings.count { $0.severity == severity }, noun)
        }
        let notes = count(.note, "note")
        let noteCount = findings.count { $0.severity == .note }
        let hint = "; \(notes) (add --notes to see \(noteCount == 1 ? "it" : "them"))"
        return "\(count(.error, "error"))\(rules(of: findings.filter { $0.severity == .error })), "
            + count(.warning, "warning") + (showsNotes ? ", \(notes)" : noteCount > 0 ? hint : "")
    }

    /// ` (300 CERT-025, 200 APP-001)`; empty for a few findings.
    private static func rules(of findings: [Finding]) -> String {
        guard findings.count > filesMax else { return "" }
        let counts = Dictionary(grouping: findings, by: \.rule).mapValues(\.count)
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let named = sorted.prefix(rulesMax).map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return " (\(named)\(sorted.count > rulesMax ? " and others" : ""))"
    }

    private static func digestFiles(_ findings: [Finding]) -> [Finding] {
        struct Kind: Hashable {
            var file: String
            var rule: RuleID
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
            finding.add(" (the same finding: \(Count.of(group.count - 1, "more time"))\(lines(of: group.dropFirst())))")
            return finding
        }
    }

    /// ` on lines 4, 7 and others`.
    private static func lines(of findings: ArraySlice<Finding>) -> String {
        let numbers = Set(findings.compactMap { $0.range?.start.line }).sorted()
        guard let first = numbers.first else { return "" }
        if numbers.count == 1 { return " on line \(first)" }
        let named = numbers.prefix(linesMax).map { String($0) }.joined(separator: ", ")
        return " on lines \(named)\(numbers.count > linesMax ? " and others" : "")"
    }
}

extension Finding {
    /// Adds words to the end of the printed finding, which is the fix if there is one.
    fileprivate mutating func add(_ words: String) {
        if fix == nil { message += words } else { fix? += words }
    }
}
