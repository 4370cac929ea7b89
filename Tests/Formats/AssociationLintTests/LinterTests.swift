// Every rule with a text that breaks it and texts that do not, the exact place of its finding, and the result of its edit.

import Association
import AssociationLint
import AssociationSamples
import SourceJSON
import Testing

@Suite struct LinterTests {
    @Test func `each rule about documents has an example`() {
        let wanted = LintRule.all.filter { $0.subject == .document && $0.id.family != .appFile }.map(\.id)
        let examples = Set(LintExample.all.map(\.rule))
        #expect(wanted.filter { !examples.contains($0) } == [])
    }

    private func messages(_ rule: RuleID, components: String) -> [String] {
        let text = #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.a.b"], "components": [\#(components)]}]}}"#
        return Linter.lint(apple: Array(text.utf8), file: "f").filter { $0.rule == rule }.map(\.message)
    }

    @Test func `reports an exclusion after a rule that opens its URLs as never reached`() {
        let lists = [
            #"{"/": "*"}, {"/": "/b?*", "exclude": true}"#, #"{"/": "/?*?*"}, {"/": "/*a/?*b", "exclude": true}"#,
        ]
        for list in lists {
            #expect(messages(.aasa040, components: list) == [])
            #expect(
                messages(.aasa037, components: list) == [
                    "this rule is never reached: an earlier rule on the same line already matches all URLs of this "
                        + "rule"
                ])
        }
        #expect(
            messages(.aasa037, components: "{\"/\": \"*\"},\n{\"/\": \"/b?*\", \"exclude\": true}")
                == ["this rule is never reached: the rule on line 1 already matches all URLs of this rule"])
        // The first rule opens `/a/b`, with or without the second rule.
        #expect(
            messages(.aasa040, components: #"{"/": "/a/b"}, {"/": "/a/*", "exclude": true}"#)
                == [
                    "this exclusion changes nothing: no later rule includes these URLs, so they stay in the browser "
                        + "without it"
                ])
    }

    @Test func `names the query in a path`() {
        let findings = Linter.lint(
            apple: Array(
                #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.a.b"], "components": [{"/": "/q?x=1"}]}]}}"#.utf8),
            file: "f")
        #expect(
            findings.first { $0.rule == .aasa041 }?.text
                == "`/q?x=1` contains a query, but a path pattern is compared only with the URL's path, where `?` "
                + "matches any one character; move `x=1` to the key \"?\"")
    }

    @Test func `reports that no slash is added to a single character`() {
        #expect(
            messages(.aasa049, components: #"{"/": "a"}"#)
                == ["`a` is one character without a slash, so it never matches"])
        #expect(
            messages(.aasa049, components: #"{"/": "ab"}"#)
                == ["`ab` does not start with a slash; macOS 27 adds it, earlier systems perhaps not"])
    }

    @Test(arguments: LintExample.all)
    func `finds a violation at its exact place`(example: LintExample) {
        let findings = example.lint(example.bad).filter { $0.rule == example.rule }
        let text = String(decoding: example.bad, as: UTF8.self)
        guard let finding = findings.first else {
            Issue.record("nothing found in \(text.prefix(300)); \(example.lint(example.bad).map(\.rule))")
            return
        }
        #expect(finding.range.map { slice($0, of: example.bad) } == example.marked, "\(finding)")
    }

    @Test(arguments: LintExample.all)
    func `finds nothing in a text that follows the rule`(example: LintExample) {
        for good in example.good {
            let findings = example.lint(good).filter { $0.rule == example.rule }
            #expect(findings == [], "in \(String(decoding: good.prefix(300), as: UTF8.self))")
        }
    }

    @Test(arguments: LintExample.all)
    func `a finding is well-formed and its range is within the text`(example: LintExample) {
        for bytes in [example.bad] + example.good {
            for finding in example.lint(bytes) { expectWellFormed(finding, in: bytes) }
        }
    }

    @Test(arguments: LintExample.all)
    func `an edit removes its finding`(example: LintExample) {
        let bad = SourceReader.read(example.bad, as: .json).text
        let before = example.lint(example.bad)
        for finding in before where finding.rule == example.rule {
            guard let edit = finding.edit else { continue }
            let fixed =
                Array(bad[..<edit.range.start.offset]) + Array(edit.replacement.utf8)
                + Array(bad[edit.range.end.offset...])
            let after = example.lint(fixed)
            let count = { (findings: [Finding]) in findings.filter { $0.rule == example.rule }.count }
            #expect(count(after) < count(before), "\(String(decoding: fixed.prefix(300), as: UTF8.self))")
            #expect(SourceReader.read(fixed, as: .json).isAcceptable)
        }
    }

    private func slice(_ range: SourceRange, of bytes: [UInt8]) -> String {
        let text = SourceReader.read(bytes, as: .json).text
        guard range.start.offset <= range.end.offset, range.end.offset <= text.count else { return "outside" }
        return String(decoding: text[range.start.offset..<range.end.offset], as: UTF8.self)
    }

    @Test(arguments: [
        LintExample.components(#"{"/": "/a/*"}, {"/": "/a/b", "exclude": true}"#),
        LintExample.paths(#""/a/*", "NOT /a/b""#),
    ])
    func `does not reject a file because of a rule that is never reached`(text: String) {
        let findings = Linter.lint(apple: Array(text.utf8), file: "f")
        #expect(findings.contains { [.aasa037, .aasa072].contains($0.rule) })
        #expect(findings.allSatisfy { $0.severity != .error })
    }

    @Test func `does not reject a statement list because of a rule that is never reached`() {
        let text = LintExample.rules(#"{"/": "/a*"}, {"/": "/ab", "exclude": true}"#)
        let findings = Linter.lint(statements: Array(text.utf8), file: "f")
        #expect(findings.contains { $0.rule == .dal032 })
        #expect(findings.allSatisfy { $0.severity != .error })
    }
}

/// Lower case, no full stop, one line, and a range within the text.
func expectWellFormed(_ finding: Finding, in bytes: [UInt8]) {
    let text = SourceReader.read(bytes, as: .json).text
    for words in [finding.message, finding.fix].compactMap({ $0 }) {
        #expect(!words.hasSuffix("."), "\(words)")
        #expect(
            !words.isEmpty && words.first?.isUppercase == false || words.hasPrefix("App") || words.hasPrefix("JSON")
                || words.hasPrefix("Chromium"), "\(words)")
        #expect(!words.unicodeScalars.contains { $0.value < 0x20 }, "\(words)")
    }
    for range in [finding.range, finding.edit?.range].compactMap({ $0 }) {
        #expect(range.start.offset >= 0 && range.start.offset <= range.end.offset && range.end.offset <= text.count)
        #expect(range.start.line >= 1 && range.start.column >= 1)
    }
}
