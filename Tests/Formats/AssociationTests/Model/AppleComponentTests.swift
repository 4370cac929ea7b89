// One rule: its patterns, and its JSON.

import SourceJSON
import Testing

@testable import Association

struct AppleComponentTests {
    private static let rule = AppleComponent(
        path: "/a/*",
        query: .items([QueryItemPattern(name: "q", pattern: "?*"), QueryItemPattern(name: "r", pattern: "1")]),
        fragment: "b*", exclude: true, caseSensitive: false, percentEncoded: true, comment: "why")

    private func text(_ component: AppleComponent, includingComment: Bool = false) -> String {
        String(decoding: SourceWriter.minified(component.value(includingComment: includingComment)), as: UTF8.self)
    }

    @Test func `writes members in one order, and the comment only on request`() {
        let members =
            ##""/":"/a/*","?":{"q":"?*","r":"1"},"#":"b*","exclude":true,"caseSensitive":false,"percentEncoded":true"##
        #expect(text(Self.rule) == "{\(members)}")
        #expect(text(Self.rule, includingComment: true) == "{\(members),\"comment\":\"why\"}")
    }

    @Test func `writes no absent keys`() {
        #expect(text(AppleComponent(), includingComment: true) == "{}")
        #expect(text(AppleComponent(query: .whole("x?"), exclude: false)) == #"{"?":"x?"}"#)
    }

    @Test func `its patterns are everything that can have variables`() {
        #expect(Self.rule.patterns == ["/a/*", "b*", "?*", "1"])
        #expect(AppleComponent(query: .whole("x")).patterns == ["x"])
        #expect(AppleComponent().patterns.isEmpty)
    }
}
