// A stack of layers as its readers see it, and the merging of two into one.

import HTTP
import Testing

@testable import Catalogue

struct CatalogueLayerTests {
    private func page(_ text: String, tag: String = "") -> PreparedAnswer { .page(text, tag: tag) }

    private func layer(_ sites: [String: String], removing hosts: [String] = []) -> CatalogueLayer {
        var builder = CatalogueBuilder()
        for (host, text) in sites.sorted(by: { $0.key < $1.key }) {
            builder.add(
                PreparedSite(
                    host: host, answers: [("/", page(text)), ("/tag", page(text, tag: "\"\(text.prefix(20))\""))]))
        }
        for host in hosts { builder.remove(host: host) }
        return builder.finish()
    }

    private func shared(_ answers: [(String, String)], fallback: String? = nil) -> CatalogueLayer {
        var builder = CatalogueBuilder()
        builder.add(
            PreparedSite(
                host: "_default", answers: answers.map { ($0.0, page($0.1)) }, fallback: fallback.map { page($0) }))
        return builder.finish()
    }

    /// Names of every kind, and the results of three layers.
    private let layers: [(host: String, expected: String?)] = [
        ("a.example", "a new"), ("b.example", "b old"), ("c.example", "wild old"), ("d.example", "d newest"),
        ("x.y.example", "y new"), ("gone.example", "wild old"), ("a.other", nil), ("back.example", "back newest"),
        ("x.gone.y.example", "y new"),
    ]

    private var oldest: CatalogueLayer {
        layer([
            "a.example": "a old", "b.example": "b old", "c.example": "c old", "*.example": "wild old",
            "gone.example": "gone", "*.other": "other", "back.example": "back", "*.gone.y.example": "gone",
        ])
    }
    private var newer: CatalogueLayer {
        layer(
            ["a.example": "a new", "*.y.example": "y new", "d.example": "d new"],
            removing: ["c.example", "gone.example", "*.other", "back.example", "*.gone.y.example", "never.example"])
    }
    private var newest: CatalogueLayer {
        layer(["d.example": "d newest", "back.example": "back newest"], removing: ["fresh.example"])
    }

    @Test func `the newest layer with a name decides, and a removed name falls back to the next wildcard`() {
        let catalogue = Catalogue(layers: [newest, newer, oldest])
        for (host, expected) in layers { #expect(body(catalogue, host) == expected, "\(host)") }
        #expect(catalogue.siteCount == 6, "a, b, back, d, *.example, *.y.example")
    }

    @Test func `a merged layer answers like the stack, in any order of merging`() {
        let upperFirst = newest.merged(over: newer, keepsMarks: true).merged(over: oldest)
        let lowerFirst = newest.merged(over: newer.merged(over: oldest))
        for catalogue in [Catalogue(layers: [upperFirst]), Catalogue(layers: [lowerFirst])] {
            for (host, expected) in layers { #expect(body(catalogue, host) == expected, "\(host)") }
            #expect(catalogue.siteCount == 6)
        }
        #expect(Set(upperFirst.hosts) == Set(lowerFirst.hosts))
        #expect(upperFirst.removedHosts.isEmpty, "the lowest layer has nothing to remove")
        let between = newest.merged(over: newer, keepsMarks: true)
        #expect(body(Catalogue(layers: [between, oldest]), "c.example") == "wild old")
        #expect(between.removedHosts.contains("c.example"))
        #expect(!between.removedHosts.contains("back.example"))
    }

    @Test func `merging copies everything of a site`() throws {
        var coded = page("coded")
        coded.gzip = page("gzip").identity
        coded.lastModified = 7
        let item = LinkRule.Item(name: Array("q".utf8), pattern: LinkPattern(Array("1*".utf8)))
        let rules = [
            LinkRule(excludes: true, path: LinkPattern(Array("/p/private/*".utf8))),
            LinkRule(foldsCase: true, path: LinkPattern(Array("/p/*".utf8)), items: [item]),
        ]
        func landing(_ text: String, _ rules: [LinkRule]) -> PreparedLanding {
            PreparedLanding(
                rules: rules, head: page(""),
                segments: [LandingSegment(Array(text.utf8), then: .listItem), LandingSegment([], then: .none)])
        }
        var builder = CatalogueBuilder()
        for host in ["one.example", "two.example"] {
            builder.add(
                PreparedSite(
                    host: host, answers: [("/coded", coded)],
                    landings: [landing(host, rules), landing("all", [LinkRule(path: LinkPattern([0x2A]))])],
                    fallback: page("app")))
        }
        // A run of one landing page must not replace a longer run with the same beginning.
        builder.add(PreparedSite(host: "three.example", answers: [], landings: [landing("one.example", rules)]))
        let catalogue = Catalogue(layers: [layer(["other": "x"]).merged(over: builder.finish())])
        let view = catalogue.view
        let site = try #require(view.site(named: "two.example"))
        let answer = try #require(view.answer(site, at: "/coded"))
        #expect(String(decoding: answer.form(.gzip).body, as: UTF8.self) == "gzip")
        #expect(answer.lastModified == 7)
        func text(_ path: String, _ query: String, host: String = "two.example") -> String? {
            let (path, query) = (Array(path.utf8), Array(query.utf8))
            guard let site = view.site(named: host), let page = view.landing(site, path: path.span, query: query.span)
            else { return nil }
            return "\(String(decoding: page[0].text, as: UTF8.self)) \(page[0].insertion) \(page.segmentCount)"
        }
        #expect(text("/P/1", "q=12") == "two.example listItem 2")
        #expect(text("/p/1", "q=2") == "all listItem 2")
        #expect(text("/p/private/1", "q=12") == "all listItem 2")
        #expect(text("/p/1", "q=12", host: "three.example") == "one.example listItem 2")
        #expect(text("/p/1", "q=2", host: "three.example") == nil)
        #expect(Array("/any".utf8).withUnsafeBytes { view.fallback(site, path: $0) } != nil)
    }

    @Test func `a merged layer stores equal documents once`() {
        let text = String(repeating: "x", count: 10_000)
        let left = layer(Dictionary(uniqueKeysWithValues: (0..<50).map { ("left\($0)", text) }))
        let right = layer(Dictionary(uniqueKeysWithValues: (0..<50).map { ("right\($0)", text) }))
        #expect(left.merged(over: right).byteCount < 60_000)
    }

    @Test(arguments: [
        ("/", "own"), ("/tag", "own"), ("/shared", "shared"), ("/.well-known/x", ""),
        ("/apple-app-site-association", ""),
        ("/.well-knownx", "named so"), ("/none", ""),
    ])
    func `serves shared pages where a host has no own page, and never for well-known names`(
        path: String, expected: String
    ) {
        let pages = shared([
            ("/", "shared"), ("/shared", "shared"), ("/.well-known/x", "no"), ("/apple-app-site-association", "no"),
            ("/.well-known", ""), ("/.well-knownx", "named so"),
        ])
        let catalogue = Catalogue(layers: [layer(["a.example": "own"])], sharedPages: pages)
        #expect(body(catalogue, "a.example", path) == expected)
        #expect(body(catalogue, "_default", path) == nil, "the shared pages are not a host")
    }

    @Test(arguments: [(true, "app"), (false, nil)])
    func `a single-page app without a page uses the shared index page`(falls: Bool, expected: String?) throws {
        var builder = CatalogueBuilder()
        builder.add(PreparedSite(host: "a.example", answers: [], fallsBackToShared: falls))
        let catalogue = Catalogue(layers: [builder.finish()], sharedPages: shared([], fallback: "app"))
        let view = catalogue.view
        let site = try #require(view.site(named: "a.example"))
        let found = Array("/route".utf8).withUnsafeBytes { view.fallback(site, path: $0) }
        #expect(found.map { String(decoding: $0.form(.identity).body, as: UTF8.self) } == expected)
    }

    @Test func `lists the hosts and entity tags of a layer`() {
        let layer = layer(["a.example": "one", "*.example": "two"], removing: ["*.gone"])
        #expect(Set(layer.hosts) == ["a.example", "*.example"])
        #expect(layer.removedHosts == ["*.gone"])
        #expect(layer.siteCount == 2)
        #expect(
            layer.entry("*.example")
                == .site(tags: [.init(path: "/", entityTag: ""), .init(path: "/tag", entityTag: "\"two\"")]))
        #expect(layer.entry("*.gone") == .removed)
        #expect(layer.entry("b.example") == nil)
        let catalogue = Catalogue(layers: [self.layer([:], removing: ["a.example"]), layer])
        #expect(catalogue.tags(of: "a.example") == nil)
        #expect(catalogue.tags(of: "*.example")?.last?.entityTag == "\"two\"")
    }
}
