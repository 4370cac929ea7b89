// The compiled form of rules. Other tests check that it means the same as the rules.

import AssociationSamples
import Testing

@testable import Association

struct CompiledRuleTests {
    private func rules(_ links: String, ios: String = AppFileSample.ios) throws -> [CompiledRule] {
        try AppFileSample.app(AppFileSample.text(ios: ios, links: links)).compiledRules
    }

    private func paths(_ rules: [CompiledRule]) -> [String?] {
        rules.map { $0.path.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test(arguments: [
        (#"[{ "/": "buy" }]"#, ["/buy/"]), (#"[{ "/": "/buy//**" }]"#, ["/buy/*"]),
        (#"[{ "/": "/Buy", caseSensitive: false }]"#, ["/buy/"]),
        (#"[{ "/": "/$(v)/x" }]"#, ["/a/x/", "/b*/x/"]), (#"[{ "/": "/$(digit)$(alpha)" }]"#, ["/\u{5}\u{1}/"]),
        (#"[{ "/": "/$(upper)", caseSensitive: false }]"#, ["/\u{1}/"]),
        (##"[{ "/": "/a", "#": "*" }]"##, ["/a/"]), (##"[{ "/": "/a", "#": "x" }]"##, []),
        (#"[{ "/": "/caf\u00E9" }, { "/": "/b" }]"#, ["/b/"]),
    ])
    func `normalises paths and replaces variables by their values`(links: String, expected: [String]) throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], variables: { v: ["a", "b*"] } }"#
        #expect(paths(try rules(links, ios: ios)) == expected)
    }

    @Test func `makes a rule for each combination of query values`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], variables: { v: ["1", "2"] } }"#
        let found = try rules(#"[{ "?": { a: "$(v)", b: "$(v)" } }, { "?": "x=*" }]"#, ios: ios)
        #expect(found.count == 5)
        #expect(found[4].query == .whole(Array("x=*".utf8)))
        guard case .items(let items) = found[1].query else {
            Issue.record("the first rules are about items")
            return
        }
        #expect(items.map(\.name) == [Array("a".utf8), Array("b".utf8)])
        #expect(items.map(\.pattern) == [Array("1".utf8), Array("2".utf8)])
    }

    @Test func `omits a rule that cannot be compiled, and ends the list at such an exclusion`() throws {
        let include = #"{ "/": "/d/*", percentEncoded: false }"#
        let exclude = #"{ "/": "/d/*", percentEncoded: false, exclude: true }"#
        #expect(paths(try rules(#"[{ "/": "/a" }, \#(include), { "/": "/b" }]"#)) == ["/a/", "/b/"])
        #expect(paths(try rules(#"[{ "/": "/a" }, \#(exclude), { "/": "/b" }]"#)) == ["/a/"])
    }

    @Test func `limits the rules that one rule may become`() throws {
        #expect(try rules(#"[{ "/": "/$(lang)/x" }]"#).count > 1_000)
        #expect(try rules(#"[{ "/": "/$(lang)/$(region)/x" }, { "/": "/b" }]"#).count == 1)
        #expect(
            try rules(#"[{ "/": "/$(lang)/$(region)/x", exclude: true }, { "/": "/b" }]"#).isEmpty,
            "nothing behind an exclusion that cannot be said")
    }
}
