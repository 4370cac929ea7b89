// The content of a landing page, and for which paths of a host it is shown.

import Association
import Catalogue
import Foundation
import HTTP
import Testing

@testable import Hosting

struct LandingPageTests {
    private func app(_ more: String = "", name: String = "Shop", hosts: String = "[\"a.example.com\"]") -> String {
        return """
            {
              name: "\(name)", hosts: \(hosts),
              ios: {
                appIDs: ["8KQ2V7M4XN.dev.associated.shop"], storeID: "640199958",
                appClips: ["8KQ2V7M4XN.dev.associated.shop.Clip"],
              },
              android: { package: "dev.associated.shop", fingerprints: ["\(ConfigTree.fingerprint)"] },
              scheme: "dev.associated.shop",
              links: [{ "/": "/products/private/*", exclude: true }, { "/": "/products/?*" }],
              \(more)
            }
            """
    }

    private func text(_ page: PreparedLanding) -> String {
        page.segments.map { segment in
            let link =
                switch segment.insertion {
                case .none: ""
                case .attribute: "[link]"
                case .listItem: "[item]"
                case .route: "[route]"
                case .referrer: "[referrer]"
                }
            return String(decoding: segment.text, as: UTF8.self) + link
        }.joined()
    }

    private func page(_ text: String) throws -> PreparedLanding {
        let app = try #require(AppFile.read(Array(text.utf8), file: "shop.json").appFile)
        return try #require(LandingPage.make(for: app))
    }

    @Test(arguments: [
        ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;"), ("a", "a"),
        ("\u{E9}", "\u{E9}"),
    ])
    func `every character with a meaning in HTML is escaped, even alone`(words: String, escaped: String) {
        var text = LandingText()
        text.add(escaping: words)
        #expect(text.segments.map { String(decoding: $0.text, as: UTF8.self) } == [escaped])
    }

    @Test func `the policy allows no script, no loading and no frame`() throws {
        let fields = String(decoding: try page(app()).head.identity.bodyFields.bytes, as: UTF8.self)
        let policy = fields.split(separator: "\r\n").first { $0.hasPrefix("content-security-policy: ") } ?? ""
        for rule in [
            "default-src 'none'; style-src 'sha256-", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ] { #expect(policy.contains(rule), "\(rule)") }
        #expect(!policy.contains("script-src") && !policy.contains("unsafe"))
        #expect(fields.contains("x-content-type-options: nosniff\r\n"))
    }

    @Test(arguments: [
        "content=\"app-id=640199958, app-argument=https://[item], app-clip-bundle-id=dev.associated.shop.Clip, "
            + "app-clip-display=card\"",
        "<a class=\"quiet\" href=\"dev.associated.shop://[route]\">", "<ul class=\"choice\">",
        "<li class=\"ios\"><a class=\"main\" href=\"https://apps.apple.com/app/id640199958\"",
        "<li class=\"android\"><a class=\"main\" "
            + "href=\"https://play.google.com/store/apps/details?id=dev.associated.shop[referrer]\"",
        "<meta property=\"al:ios:app_store_id\" content=\"640199958\">",
        "<meta property=\"al:android:package\" content=\"dev.associated.shop\">",
        "<meta property=\"al:android:url\" content=\"dev.associated.shop://[route]\">",
        "<meta property=\"al:web:url\" content=\"https://[link]\">", "<title>Shop</title>",
        "<meta property=\"og:title\" content=\"Shop\">",
        "<meta property=\"og:description\" content=\"Ropes &amp; &lt;anchors&gt;\">",
        "<li class=\"phone\"><a class=\"quiet\"",
        "<p class=\"lead\">Ropes &amp; &lt;anchors&gt;</p>",
    ])
    func `it offers every way to the app`(part: String) throws {
        let text = text(try page(app("pages: { tagline: \"Ropes & <anchors>\" },")))
        #expect(text.contains(part), "\(text)")
    }

    @Test func `values of app files cannot become HTML`() throws {
        let text = text(try page(app(name: "<script>alert('1')</script>&")))
        #expect(!text.contains("<script"))
        #expect(text.contains("<h1>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</h1>"))
    }

    @Test func `the page contains no script and no image, and has one form`() throws {
        let page = try page(app())
        #expect(!text(page).contains("<script") && !text(page).contains("<img"))
        #expect(page.head.lastModified == nil && page.head.gzip == nil)
    }

    @Test func `the page is small, and apps share most of it`() throws {
        let page = try page(app())
        let own = page.segments.dropFirst().reduce(0) { $0 + $1.text.count }
        #expect(own < 2_500)
        #expect(page.segments[0].text.count < 4_000)
        #expect(page.segments[0] == (try self.page(app(name: "Other"))).segments[0])
    }

    @Test func `it is shown if a rule includes the path and there is no file`() throws {
        let tree = try ConfigTree()
        try tree.app("shop.json", app(hosts: "[\"a.example.com\", \"*.a.example.com\"]"))
        try tree.app(
            "quiet.json",
            ConfigTree.shop(hosts: ["b.example.com"]).replacing("links:", with: "pages: { landing: false }, links:"))
        try tree.page("a.example.com/products/here", "file")
        let loaded = try tree.load()
        #expect(loaded.hasLanding("a.example.com", "/products/anchor"))
        #expect(loaded.hasLanding("x.a.example.com", "/products/anchor"))
        #expect(!loaded.hasLanding("a.example.com", "/products/private/x"))
        #expect(!loaded.hasLanding("a.example.com", "/imprint"))
        #expect(!loaded.hasLanding("b.example.com", "/products/anchor"))
        #expect(loaded.answer("a.example.com", "/products/here") == "file")
    }

    @Test(arguments: [
        ("spa: true", false), ("spa: true, landing: true", true), ("spa: false", true), ("landing: false", false),
    ])
    func `a single-page app has it only with landing true`(pages: String, isShown: Bool) throws {
        let tree = try ConfigTree()
        try tree.app("shop.json", app("pages: { \(pages) },"))
        #expect(try tree.load().hasLanding("a.example.com", "/products/anchor") == isShown)
    }

    @Test func `a single-page app answers with its index page`() throws {
        let tree = try ConfigTree()
        try tree.app("shop.json", app("pages: { spa: true, landing: false },"))
        try tree.app("b.json", ConfigTree.shop(hosts: ["b.example.com"]))
        try tree.page("_default/index.html", "index")
        let loaded = try tree.load()
        #expect(loaded.fallback("a.example.com", "/any/path") == "index")
        #expect(loaded.fallback("a.example.com", "/app.js") == nil)
        #expect(loaded.fallback("a.example.com", "/apple-app-site-association") == nil, "never a page")
        #expect(loaded.fallback("b.example.com", "/any/path") == nil)
    }

    @Test func `files of a host below a wildcard do not take it away from the app`() throws {
        let tree = try ConfigTree()
        try tree.app("shop.json", app(hosts: "[\"*.example.com\"]"))
        try tree.write("config/hosts/_wildcard.example.com/well-known/webauthn", "[]")
        try tree.write("config/hosts/a.b.example.com/well-known/security.txt", "Contact:")
        try tree.page("_wildcard.example.com/x.txt", "wild")
        let loaded = try tree.load()
        let apple = "/.well-known/apple-app-site-association"
        #expect(loaded.answer("a.b.example.com", apple) == loaded.answer("c.example.com", apple))
        #expect(loaded.answer("a.b.example.com", apple) != nil)
        #expect(loaded.answer("a.b.example.com", "/.well-known/security.txt") == "Contact:")
        #expect(loaded.answer("a.b.example.com", "/.well-known/webauthn") == "[]")
        #expect(loaded.answer("a.b.example.com", "/x.txt") == "wild")
        #expect(loaded.hasLanding("a.b.example.com", "/products/1"))
        #expect(loaded.answer("c.example.com", "/.well-known/security.txt") == nil)
    }
}

extension LoadedConfiguration {
    func hasLanding(_ host: String, _ path: String) -> Bool {
        let name = Array(host.utf8)
        let path = Array(path.utf8)
        let query: [UInt8] = []
        guard let site = catalogue.view.site(host: name.span) else { return false }
        return catalogue.view.landing(site, path: path.span, query: query.span) != nil
    }

    func fallback(_ host: String, _ path: String) -> String? {
        let name = Array(host.utf8)
        guard let site = catalogue.view.site(host: name.span) else { return nil }
        let answer = Array(path.utf8).withUnsafeBytes { catalogue.view.fallback(site, path: $0) }
        return answer.map { String(decoding: $0.form(.identity).body, as: UTF8.self) }
    }
}
