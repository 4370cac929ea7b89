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
