import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct UnknownKeyTests {
    @Test(
        arguments: [
            (LintExample.components(#"{"/": "/x", "path": "/y"}"#), RuleID.aasa035, "/"),
            (LintExample.components(#"{"comments": "a", "comment": "b"}"#), .aasa035, "comment"),
            (LintExample.links(#""details": [], "detail": []"#), .aasa035, "details"),
            (#"{"applinks": {"details": []}, "aplinks": {}}"#, .aasa008, "applinks"),
        ])
    func `an association file never gets a key that it has already`(text: String, rule: RuleID, key: String) {
        expectRemoval(Linter.lint(apple: Array(text.utf8), file: "f"), rule, key)
    }

    @Test func `nor does an app file`() {
        let text = AppFileSample.text(more: #"hots: ["other.acme.test"],"#)
        expectRemoval(AppFileSample.read(text).findings, .app003, "hosts")
    }

    @Test func `nor does a statement list`() {
        let text = #"[{"relation": ["delegate_permission/common.handle_all_urls"], "relations": [], "target": {}}]"#
        expectRemoval(Linter.lint(statements: Array(text.utf8), file: "f"), .dal041, "relation")
    }

    @Test func `a key that is missing is proposed`() {
        let text = LintExample.components(#"{"path": "/y"}"#)
        let finding = Linter.lint(apple: Array(text.utf8), file: "f").first { $0.rule == .aasa035 }
        #expect(finding?.edit?.replacement == "\"/\"")
    }

    private func expectRemoval(_ findings: [Finding], _ rule: RuleID, _ key: String) {
        let found = findings.filter { $0.rule == rule }
        #expect(found.map(\.fix) == ["remove it; the object already has `\(key)`"], "\(findings)")
        #expect(found.map(\.edit) == [nil])
    }
}
