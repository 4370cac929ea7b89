// The pages for paths without an answer.

import Catalogue
import HTTP
import Testing

struct CatalogueViewPagesTests {
    private func page(_ text: String) -> PreparedAnswer { .page(text) }

    private func landing(_ name: String, _ rules: [LinkRule]) -> PreparedLanding {
        PreparedLanding(
            rules: rules, head: page(""),
            segments: [LandingSegment(Array(name.utf8), then: .attribute), LandingSegment([], then: .none)])
    }

    private func catalogue(_ landings: [PreparedLanding], fallback: PreparedAnswer? = nil) -> Catalogue {
        var builder = CatalogueBuilder()
        builder.add(PreparedSite(host: "a", answers: [("/x", page("x"))], landings: landings, fallback: fallback))
        builder.add(PreparedSite(host: "b", answers: [("/x", page("x"))]))
        return Catalogue(layers: [builder.finish()])
    }

    private func found(_ catalogue: Catalogue, _ path: String, query: String = "", host: String = "a") throws -> String?
    {
        let view = catalogue.view
        let site = try #require(view.site(named: host))
        let (path, query) = (Array(path.utf8), Array(query.utf8))
        return view.landing(site, path: path.span, query: query.span).map {
            String(decoding: $0[0].text, as: UTF8.self)
        }
    }

    private func rule(_ path: String?, excludes: Bool = false) -> LinkRule {
        LinkRule(excludes: excludes, path: path.map { LinkPattern(Array($0.utf8)) })
    }

    @Test func `the first matching rule decides, and the first app that includes the link`() throws {
        let catalogue = catalogue([
            landing("one", [rule("/p/private/*", excludes: true), rule("/p/*")]), landing("two", [rule("*")]),
        ])
        #expect(try found(catalogue, "/p/1") == "one")
        #expect(try found(catalogue, "/p/private/1") == "two", "the other app gets the rest")
        #expect(try found(catalogue, "/q") == "two")
        #expect(try found(catalogue, "/p/1", host: "b") == nil)
    }

    @Test(arguments: [
        ("/p", true), ("/p/", true), ("/p//", true), ("//p///1", true), ("/px", false), ("", false), ("/", false),
    ])
    func `compares paths in their normal form`(path: String, expected: Bool) throws {
        #expect(try (found(catalogue([landing("one", [rule("/p/*")])]), path) != nil) == expected)
    }

    @Test(arguments: [
        ("q=1", true), ("q=12&x", true), ("q=", false), ("", false), ("x&q=1", true), ("q=1&q=", false), ("q", false),
        ("Q=1", false), ("&&q=1&", true), ("q=1=2", true),
    ])
    func `every item of a name must match, and an absent one is empty`(query: String, expected: Bool) throws {
        let item = LinkRule.Item(name: Array("q".utf8), pattern: LinkPattern(Array("?*".utf8)))
        let catalogue = catalogue([landing("one", [LinkRule(items: [item])])])
        #expect(try (found(catalogue, "/s", query: query) != nil) == expected)
    }

    @Test func `a rule that exceeds the budget ends the search`() throws {
        let hard = "*" + String(repeating: "a", count: 200) + "b"
        let catalogue = catalogue([landing("one", [rule(hard, excludes: true), rule("*")])])
        #expect(try found(catalogue, "/" + String(repeating: "a", count: 8_000)) == nil)
        #expect(try found(catalogue, "/a") == "one")
    }

    @Test func `empty items cost time too`() throws {
        let item = LinkRule.Item(name: Array("q".utf8), pattern: LinkPattern(Array("1".utf8)))
        let asking = Array(repeating: LinkRule(items: [item]), count: 10)
        let catalogue = catalogue([landing("one", asking + [rule("*")])])
        #expect(try found(catalogue, "/s", query: String(repeating: "&", count: 100)) == "one")
        #expect(try found(catalogue, "/s", query: String(repeating: "&", count: 8_000)) == nil)
    }

    @Test(arguments: [
        ("/", true), ("/any", true), ("/any/", true), ("/a.b/c", true), ("/app.js", false), ("/a/.x", false),
        ("/.well-known/x", false), ("/.well-known/", false), ("/.well-known", false), ("/.well-knownx/y", true),
    ])
    func `serves a single-page app for pages, but not for files or well-known names`(
        path: String, expected: Bool
    ) throws {
        let catalogue = catalogue([], fallback: page("app"))
        let view = catalogue.view
        let site = try #require(view.site(named: "a"))
        let answer = Array(path.utf8).withUnsafeBytes { view.fallback(site, path: $0) }
        #expect((answer != nil) == expected)
    }

    @Test func `stores equal rules and texts of many hosts once`() {
        var builder = CatalogueBuilder()
        let shared = String(repeating: "x", count: 10_000)
        for number in 0..<1_000 {
            builder.add(PreparedSite(host: "h\(number)", answers: [], landings: [landing(shared, [rule("/p/*")])]))
        }
        #expect(builder.finish().byteCount < 200_000)
    }

    @Test(arguments: [
        "/x/../.well-known/assetlinks.json", "/x/./1", "/..", "/.", "//x/1", "/x//1", "//", "/x/\u{0}\u{0}..",
    ])
    func `serves no page for a path that can be read as another`(path: String) {
        let view = catalogue([landing("one", [rule("*")])]).view
        let bytes = Array(path.utf8)
        #expect(bytes.withUnsafeBytes { view.allowsPages($0) } == path.hasPrefix("/x/\u{0}"))
    }

    @Test func `serves no page for a path that is not text`() {
        let view = catalogue([]).view
        #expect(![UInt8]([0x2F, 0xFF]).withUnsafeBytes { view.allowsPages($0) })
        #expect([UInt8]([0x2F, 0xC3, 0xA9, 0x2F]).withUnsafeBytes { view.allowsPages($0) })
    }
}
