// Compares the server's compiled rules with Apple's matching, for random rules and URLs: the landing page must be shown exactly
// where the app would open.

import Catalogue
import SourceJSON
import TestSupport
import Testing

@testable import Association
@testable import Hosting

struct LandingRulesTests {
    @Test(arguments: 0..<40) func `the landing page is shown exactly where the app would open`(seed: UInt64) throws {
        var maker = RuleMaker(seed: seed)
        var opened = 0
        for _ in 0..<25 {
            let app = maker.app()
            let page = LandingPage.make(for: app)
            let catalogue = catalogue(page)
            for _ in 0..<80 {
                let url = try #require(LinkURL(maker.url()))
                let opens = app.sourceMatcher.decide(url).opens
                if opens { opened += 1 }
                #expect(stands(catalogue, url) == opens, "\(url) \(app.links.map(\.summary))")
            }
        }
        #expect(opened > 50, "otherwise nothing was tested")
    }

    @Test(arguments: 0..<10) func `if a rule cannot be compiled, no page is shown by mistake`(seed: UInt64) throws {
        var maker = RuleMaker(seed: seed, hasDecodedRules: true)
        for _ in 0..<25 {
            let app = maker.app()
            let catalogue = catalogue(LandingPage.make(for: app))
            for _ in 0..<80 {
                let url = try #require(LinkURL(maker.url()))
                if stands(catalogue, url) { #expect(app.sourceMatcher.decide(url).opens, "\(url)") }
            }
        }
    }

    private func catalogue(_ page: PreparedLanding?) -> Catalogue {
        var builder = CatalogueBuilder()
        builder.add(PreparedSite(host: "a.example", answers: [], landings: page.map { [$0] } ?? []))
        return Catalogue(layers: [builder.finish()])
    }

    private func stands(_ catalogue: Catalogue, _ url: LinkURL) -> Bool {
        let view = catalogue.view
        let host = Array("a.example".utf8)
        let path = Array(url.path.utf8)
        let query = Array((url.query ?? "").utf8)
        guard let site = view.site(host: host.span) else { return false }
        return view.landing(site, path: path.span, query: query.span) != nil
    }
}

/// Makes rules and URLs from few parts, so that they often match.
private struct RuleMaker {
    private var generator: SplitMix
    private let hasDecodedRules: Bool

    init(seed: UInt64, hasDecodedRules: Bool = false) {
        generator = SplitMix(seed: seed &+ 100)
        self.hasDecodedRules = hasDecodedRules
    }

    mutating func app() -> AppFile {
        var app = AppFile(file: "a.json", name: "A", hosts: [], range: .none)
        app.ios = IOSApp(
            appIDs: [],
            variables: [
                SubstitutionVariable(name: "v", values: ["a", "b/a", "B*", "", "/"]),
                SubstitutionVariable(name: "digit", values: ["a", "x?"]),
            ])
        app.links = (0..<Int.random(in: 1...4, using: &generator)).map { _ in rule() }
        return app
    }

    mutating func url() -> String {
        var url = "https://a.example"
        if one(in: 20) == false {
            url += "/" + text(["a", "b", "A", "/", "//", "1", "x", "*", "**", "%41", "GB", "en", "/a", "-"], 6)
        }
        if one(in: 2) { url += "?" + text(["a", "b", "=", "&", "1", "A", "a=1", "&a=", "+", ","], 5) }
        return url
    }

    private mutating func rule() -> AppleComponent {
        var rule = AppleComponent()
        if !one(in: 5) { rule.path = pattern(["/", "a", "b", "A", "/a", "*", "?", "?*", "//", "1", "é"]) }
        if one(in: 5) {
            rule.query = .whole(pattern(["a", "=", "*", "?", "1", "&"]))
        } else if one(in: 4) {
            rule.query = .items(
                ["a", "b"].prefix(Int.random(in: 1...2, using: &generator)).map {
                    QueryItemPattern(name: $0, pattern: pattern(["1", "*", "?*", "A", "a", "$(v)"]))
                })
        }
        if one(in: 6) { rule.fragment = ["*", "x", "", "?*", "$(v)"].randomElement(using: &generator) }
        if one(in: 3) { rule.exclude = true }
        if one(in: 3) { rule.caseSensitive = false }
        if hasDecodedRules, one(in: 3) { rule.percentEncoded = false }
        return rule
    }

    private mutating func pattern(_ pieces: [String]) -> String {
        let variables = ["$(v)", "$(digit)", "$(alpha)", "$(upper)", "$(xdigit)", "$(region)", "$(none)", "$(open"]
        return text(pieces + (one(in: 2) ? [variables.randomElement(using: &generator) ?? ""] : []), 5)
    }

    private mutating func text(_ pieces: [String], _ count: Int) -> String { generator.text(of: pieces, upTo: count) }

    private mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
}

extension AppleComponent {
    fileprivate var summary: String {
        "\(path ?? "-") \(query.map { "\($0)" } ?? "-") \(fragment ?? "-") \(exclude ?? false) \(caseSensitive ?? true)"
    }
}
