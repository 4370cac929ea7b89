// The syntax of tutorials for dynamic rules: it is recognised, and translated into rules that Android reads.

import SourceJSON
import Testing

@testable import Association

struct CopiedRulesTests {
    private static let head =
        #""relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "#
        + #""package_name": "dev.acme.shop", "sha256_cert_fingerprints": ["\#(prints)", "#
        + #""\#(prints.replacing("A", with: "B"))"]}"#
    private static let prints = Array(repeating: "AA", count: 32).joined(separator: ":")

    private func read(_ more: String) -> StatementReading {
        StatementList.read(Array("[{\(Self.head)\(more)}]".utf8), file: "assetlinks.json")
    }

    @Test(arguments: [
        (#", "include": {"paths": ["/a/*"]}"#, #"[{"/":"/a/*"}]"#),
        (#", "include": ["/a/*"]"#, #"[{"/":"/a/*"}]"#),
        (#", "exclude": {"paths": ["/b"]}"#, #"[{"/":"/b","exclude":true},{"/":"*"}]"#),
        (
            #", "include": {"paths": ["/a/*", true, ""]}, "exclude": {"paths": ["/a/b"], "#
                + #""query_parameters": ["web=1", "x", "=1"]}"#,
            #"[{"/":"/a/b","exclude":true},{"?":{"web":"1"},"exclude":true},{"?":{"x":"*"},"exclude":true},"#
                + #"{"/":"/a/*"}]"#
        ),
    ])
    func `translates them, those that exclude first`(written: String, rules: String) throws {
        let findings = read(written).findings.filter { $0.rule == .dal046 }
        let finding = try #require(findings.first)
        #expect(findings.count == 1 && finding.severity == .error)
        let edit = try #require(finding.edit)
        #expect(edit.changesMeaning)
        let fixed = SourceReader.read(Array("[\(edit.replacement)]".utf8), as: .json)
        let statement = try #require(fixed.value?.asArray?.first)
        #expect(statement.member(named: "include") == nil && statement.member(named: "exclude") == nil)
        let extensions = statement.member(named: "relation_extensions")?.member(named: AndroidApp.handleAllURLs)
        let list = try #require(extensions?.member(named: "dynamic_app_link_components"))
        #expect(String(decoding: SourceWriter.minified(list), as: UTF8.self) == rules)
        let again = StatementList.read(Array("[\(edit.replacement)]".utf8), file: "assetlinks.json")
        #expect(!again.findings.contains { $0.severity == .error }, "\(again.findings)")
    }

    @Test func `a statement with include counts as none for every consumer, and one with exclude still counts`() throws
    {
        let hidden = try #require(read(#", "include": {"paths": ["/a"]}"#).list?.statements.first)
        #expect(hidden.consumers.isEmpty)
        let kept = try #require(read(#", "exclude": {"paths": ["/a"]}"#).list?.statements.first)
        #expect(kept.consumers == Set(StatementConsumer.allCases))
    }

    @Test func `rules that are there already are not replaced`() throws {
        let rules = #"{"delegate_permission/common.handle_all_urls": {"dynamic_app_link_components": [{"/": "*"}]}}"#
        let reading = read(#", "relation_extensions": \#(rules), "exclude": {"paths": ["/a"]}"#)
        let finding = try #require(reading.findings.first { $0.rule == .dal046 })
        #expect(finding.edit == nil)
    }

    @Test(arguments: [#", "exclude": true"#, #", "exclude": []"#, #", "include": 7"#, #", "include": {}"#])
    func `other values are not taken for it`(written: String) {
        #expect(!read(written).findings.contains { $0.rule == .dal046 })
    }
}
