// Repeated findings of one file are combined.

import Association
import AssociationLint
import SourceJSON
import Testing

struct FindingDigestTests {
    private func finding(_ rule: RuleID, _ severity: Severity, line: Int, file: String = "f") -> Finding {
        let place = SourcePosition(line: line, column: 1, offset: line)
        return Finding(
            rule: rule, severity: severity, file: file, range: SourceRange(at: place),
            message: "\(rule == .aasa001 ? "A" : "B") is here")
    }

    private func digest(_ rule: RuleID, _ severity: Severity, _ lines: ClosedRange<Int>) -> [String] {
        FindingDigest.digest(lines.map { finding(rule, severity, line: $0) }).map(\.message)
    }

    @Test func `combines the notes of a file`() {
        #expect(digest(.aasa001, .note, 1...1) == ["A is here"])
        #expect(digest(.aasa001, .note, 1...2) == ["A is here (the same finding: 1 more time on line 2)"])
        let files = [finding(.aasa001, .note, line: 1), finding(.aasa001, .note, line: 1, file: "g")]
        #expect(FindingDigest.digest(files) == files)
    }

    @Test func `lists a few warnings, and combines more of them`() {
        #expect(digest(.aasa001, .warning, 1...3).count == 3)
        #expect(digest(.aasa001, .warning, 1...4) == ["A is here (the same finding: 3 more times on lines 2, 3, 4)"])
        #expect(
            digest(.aasa001, .warning, 1...69) == [
                "A is here (the same finding: 68 more times on lines 2, 3, 4, 5, 6 and others)"
            ])
    }

    @Test(arguments: [
        (10, 0, "10 errors, 0 warnings"), (11, 0, "11 errors (11 AASA-001), 0 warnings"),
        (3, 8, "11 errors (8 AASA-002, 3 AASA-001), 0 warnings"),
    ])
    func `counts many errors by rule`(first: Int, second: Int, summary: String) {
        let findings = [(RuleID.aasa001, first), (.aasa002, second)].flatMap { rule, count in
            (0..<count).map { finding(rule, .error, line: $0 + 1) }
        }
        #expect(FindingDigest.summary(findings, showsNotes: false) == summary)
        #expect(
            FindingDigest.summary(findings + [finding(.aasa003, .note, line: 1)], showsNotes: false)
                == summary + "; 1 note (add --notes to see it)")
    }

    @Test func `shows a rule for the first files, and counts the others`() {
        func shown(_ count: Int) -> [String] {
            FindingDigest.digest((1...count).map { finding(.aasa001, .error, line: 1, file: "f\($0)") }).map(\.message)
        }
        #expect(shown(11) == [String](repeating: "A is here", count: 11))
        #expect(shown(600) == [String](repeating: "A is here", count: 10) + ["A is here (and 589 more files)"])
    }

    @Test func `lists every error`() { #expect(digest(.aasa001, .error, 1...9).count == 9) }

    @Test func `does not combine different rules or severities`() {
        let mixed =
            (1...4).map { finding(.aasa001, .warning, line: $0) } + [finding(.aasa002, .warning, line: 5)]
            + [finding(.aasa001, .error, line: 6)]
        #expect(FindingDigest.digest(mixed).map(\.rule) == [.aasa001, .aasa002, .aasa001])
    }
}
