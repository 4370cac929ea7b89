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
    func `proposes no key that an association file already has`(text: String, rule: RuleID, key: String) {
        expectRemoval(Linter.lint(apple: Array(text.utf8), file: "f"), rule, key)
    }

    @Test func `proposes no key that an app file already has`() {
        let text = AppFileSample.text(more: #"hots: ["other.acme.test"],"#)
        expectRemoval(AppFileSample.read(text).findings, .app003, "hosts")
    }

    @Test func `proposes no key that a statement list already has`() {
        let text = #"[{"relation": ["delegate_permission/common.handle_all_urls"], "relations": [], "target": {}}]"#
        expectRemoval(Linter.lint(statements: Array(text.utf8), file: "f"), .dal041, "relation")
    }

    @Test func `proposes a key that is missing`() {
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
