// The catalogue as data: complete, unique, and the same as docs/rules.md.

import Foundation
import Testing

@testable import Association

@Suite struct LintRuleTests {
    @Test func `each id stands once and is found by name`() {
        #expect(Set(LintRule.all.map(\.id)).count == LintRule.all.count)
        for rule in LintRule.all { #expect(LintRule.named(rule.id) == rule) }
        #expect(LintRule.named("AASA-999") == nil)
    }

    @Test(arguments: LintExample.all)
    func `findings have a severity that their rule names`(example: LintExample) {
        for finding in example.lint(example.bad) {
            #expect(LintRule.named(finding.rule)?.severities.contains(finding.severity) == true, "\(finding)")
        }
    }

    @Test(arguments: [
        ("APP-40", "APP-040"), ("AAS-019", "AASA-019"), ("aasa-019", "AASA-019"), ("CFG-099", nil), ("XYZ-001", nil),
        ("AASA", nil),
    ])
    func `a mistyped id is one of the same number`(id: String, rule: String?) {
        #expect(LintRule.nearest(to: id) == rule)
    }

    /// Texts, and the severity of one rule's finding in them.
    @Test(arguments: [
        (#"{"applink": {"details": []}}"#, "AASA-008", Severity.error),
        (#"{"applink": {}, "applinks": {"details": []}}"#, "AASA-008", .warning),
        (#"{"applinks": {"details": []}, "x": 1}"#, "AASA-008", .warning),
        (LintExample.component(#""/": "/a", "exlude": true"#), "AASA-035", .error),
        (LintExample.component(#""/": "/a", "excluded": true"#), "AASA-035", .error),
        (LintExample.component(#""/": "/a", "excluded": true, "exclude": true"#), "AASA-035", .warning),
        (LintExample.component(#""/": "/a", "coment": "x""#), "AASA-035", .warning),
        ("[\(LintExample.statement(relation: "delegate_permission/common.handle_all_url"))]", "DAL-007", .error),
        ("[\(LintExample.statement(relation: "delegate_permission/common.other"))]", "DAL-007", .warning),
    ])
    func `a misspelt key that changes what is published is an error`(text: String, rule: String, severity: Severity)
        throws
    {
        let findings = try #require(Linter.lint(Array(text.utf8), file: "f"))
        #expect(findings.filter { $0.rule == rule }.map(\.severity) == [severity])
    }

    @Test func `ids belong to their family and rise`() {
        for family in LintRule.Family.allCases {
            let ids = family.rules.map(\.id)
            #expect(ids == ids.sorted())
            #expect(ids.allSatisfy { $0.hasPrefix(family.rawValue + "-") && $0.count == family.rawValue.count + 4 })
        }
    }

    @Test func `titles read as part of a message, reasons and fixes as sentences`() {
        for rule in LintRule.all {
            #expect(!rule.title.hasSuffix("."), "\(rule.id)")
            #expect(rule.why.hasSuffix("."), "\(rule.id)")
            #expect(rule.fix.hasSuffix("."), "\(rule.id)")
            #expect(!rule.sources.isEmpty, "\(rule.id)")
        }
    }

    /// `ASSOCIATED_UPDATE_DOCS=1 swift test --filter LintRuleTests` writes the file.
    @Test func `docs rules md is what the catalogue prints`() throws {
        let sources = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = sources.deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL
        let file = root.appendingPathComponent("docs/rules.md")
        if ProcessInfo.processInfo.environment["ASSOCIATED_UPDATE_DOCS"] != nil {
            try LintRule.markdown().write(to: file, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(written == LintRule.markdown(), "docs/rules.md is out of date")
    }
}
