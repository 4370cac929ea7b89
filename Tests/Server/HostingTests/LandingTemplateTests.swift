// Templates of landing pages: where placeholders may be, and what they become.

import Association
import Catalogue
import HTTP
import Posix
import SourceJSON
import TLS
import TestSupport
import Testing

@testable import Hosting

struct LandingTemplateTests {
    private func app(_ more: String = "", name: String = "Shop") throws -> AppFile {
        let text = """
            {
              name: "\(name)", hosts: ["a.example.com"],
              ios: { appIDs: ["8KQ2V7M4XN.dev.associated.shop"] },
              links: [{ "/": "/products/?*" }],
              \(more)
            }
            """
        return try #require(AppFile.read(Array(text.utf8), file: "shop.json").appFile)
    }

    private func template(_ text: String) throws -> LandingTemplate {
        try LandingTemplate(Array(text.utf8), file: "public/a.example.com/_landing.html")
    }

    @Test func `the page to copy is a template`() throws {
        let path = #filePath.replacing(
            "Tests/Server/HostingTests/LandingTemplateTests.swift", with: "deploy/landing/_landing.html")
        let page = try LandingTemplate(File.read(path, bytesMax: LandingTemplate.bytesMax).bytes, file: path)
        let app = try app("scheme: \"shop\"")
        #expect(page.page(for: app, rules: []) != nil)
        #expect(page.scripts.count == 1)
    }

    private func filled(_ text: String, _ app: AppFile) throws -> String {
        let page = try #require(try template(text).page(for: app, rules: []))
        return page.segments.map { String(decoding: $0.text, as: UTF8.self) + ($0.insertion == .none ? "" : "[link]") }
            .joined()
    }

    @Test(arguments: [
        ("<p>{{name}}</p>", "<p>&lt;Ben &amp; &quot;Co&quot;&gt; &#39;x&#39;</p>"),
        ("<b title=\"{{ name }}\">", "<b title=\"&lt;Ben &amp; &quot;Co&quot;&gt; &#39;x&#39;\">"),
        ("<b title='{{name}}'>", "<b title='&lt;Ben &amp; &quot;Co&quot;&gt; &#39;x&#39;'>"),
        (
            "<title>{{name}} </TITLE >{{link}}",
            "<title>&lt;Ben &amp; &quot;Co&quot;&gt; &#39;x&#39; </TITLE >https://[link]"
        ),
        ("<a href=\"{{link}}\">", "<a href=\"https://[link]\">"), ("<a HREF='{{link}}'>", "<a HREF='https://[link]'>"),
        ("{{#appLink}}no{{/appLink}}{{^appLink}}none{{/appLink}}", "none"), ("{{tagline}}", ""),
        ("{ {name} }", "{ {name} }"), ("<!-- {x} --><p>{{link}}", "<!-- {x} --><p>https://[link]"),
        ("<!doctype html>{{link}}", "<!doctype html>https://[link]"),
        ("<script>if (a < b) {}</script>{{link}}", "<script>if (a < b) {}</script>https://[link]"),
        ("<style>p { color: red }</style>{{link}}", "<style>p { color: red }</style>https://[link]"),
        ("a < b {{link}}", "a < b https://[link]"), ("<br/>{{link}}", "<br/>https://[link]"),
    ])
    func `values are escaped`(text: String, expected: String) throws {
        #expect(try filled(text, app(name: "<Ben & \\\"Co\\\"> 'x'")) == expected)
    }

    @Test(arguments: [
        "{{appLink}}", "{{#appLink}}<a href=\"{{appLink}}\">{{/appLink}}",
        "{{#tagline}}{{#name}}x{{/name}}{{/tagline}}",
    ])
    func `conditional parts depend on values`(text: String) throws {
        let app = try app("scheme: \"dev.associated.shop\", pages: { tagline: \"Ropes\" },")
        let text = try filled(text, app)
        #expect(["dev.associated.shop://[link]", "<a href=\"dev.associated.shop://[link]\">", "x"].contains(text))
    }

    @Test(arguments: [
        "<script>{{name}}</script>", "<script>var a = \"{{name}}\"", "<style>{{name}}</style>", "<!-- {{name}} -->",
        "<p title={{name}}>", "<p title= {{name}}>", "<p {{name}}>", "<p {{name}}=\"x\">", "<{{name}}>", "</{{name}}>",
        "<p onclick=\"{{name}}\">", "<p OnClick='{{link}}'>", "<p style=\"{{name}}\">", "<iframe srcdoc=\"{{name}}\">",
        "<a href=\"{{name}}\">", "<a x href = '{{tagline}}'>", "<a href=\"https://x.example/?u={{link}}\">",
        "<img src='{{name}}'>", "<a =\"{{name}}\">", "<a x/href=\"{{name}}\">", "<a x=1 href=\"{{name}}\">",
        "<a title=\"x\"href=\"{{name}}\">", "<title>{{metadata}}</title>", "<p title=\"{{metadata}}\">",
        "<textarea><p title=\"</textarea><script>{{name}}", "<noscript>{{name}}</noscript>", "<!doctype {{name}}>",
        "<?php {{name}} ?>", "<p title=\"a\" {{name}}", "<xmp>{{name}}</xmp>", "<svg/onload='{{name}}'>",
        "<script>{{#name}}x{{/name}}</script>", "<a {{#appLink}}href=\"{{appLink}}\"{{/appLink}}>",
    ])
    func `no value is inserted where it cannot be escaped`(text: String) {
        #expect(throws: LandingTemplate.Problem.self, "\(text)") { try template(text) }
    }

    @Test(arguments: [
        ("a\nb {{nothing}}", "unknown placeholder {{nothing}}", 2), ("\n\n{{name", "{{ has no }}", 3),
        ("{{#name}}x", "has no {{/name}}", 1), ("x{{/name}}", "no matching beginning", 1),
        ("{{#name}}{{#link}}{{/name}}{{/link}}", "no matching beginning", 1),
        ("{{#name}}<p title=\"{{/name}}\">", "different HTML contexts", 1), ("<p title=\"x", "in the middle", 1),
        ("<script>x", "in the middle", 1), (String(repeating: "{{#name}}", count: 20), "too deep", 1),
        (String(repeating: "<script>1</script>\n", count: 17), "more than 16 inline scripts", 18),
    ])
    func `a broken template is reported with its line`(text: String, part: String, line: Int) throws {
        do {
            _ = try template(text)
            Issue.record("\(text) was taken")
        } catch let problem as LandingTemplate.Problem {
            #expect(problem.message.contains(part) && problem.line == line, "\(problem)")
        }
    }

    @Test func `inline scripts are allowed by their hash`() throws {
        let page = try #require(
            try template("<script>let a = 1</script><script src=\"x.js\"></script>").page(for: app(), rules: []))
        let fields = String(decoding: page.head.identity.bodyFields.bytes, as: UTF8.self)
        let digest = Digest.base64(Digest.sha256(Array("let a = 1".utf8)))
        #expect(fields.contains("script-src 'self' 'sha256-\(digest)';"), "\(fields)")
    }

    @Test(arguments: [
        ("\r\nlet a\r\n", "\nlet a\n"), ("\rlet a\r\r", "\nlet a\n\n"), ("a\r\r\nb\n\r", "a\n\nb\n\n"),
        ("\n\na\n", "\n\na\n"),
    ])
    func `script hashes use the browser's line ends`(script: String, read: String) throws {
        let page = try #require(try template("<script>\(script)</script>").page(for: app(), rules: []))
        let fields = String(decoding: page.head.identity.bodyFields.bytes, as: UTF8.self)
        #expect(fields.contains("'sha256-\(Digest.base64(Digest.sha256(Array(read.utf8))))'"), "\(fields)")
    }

    @Test func `any bytes are either a template or a problem`() {
        var random = SplitMix(seed: 5)
        let words = [
            "<", ">", "/", "!", "--", "\"", "'", "=", " ", "a", "href", "script", "title", "{{name}}", "{{#name}}",
            "{{/name}}", "{{", "}}", "\u{0}", "é",
        ]
        for _ in 0..<20_000 { _ = try? LandingTemplate(Array(random.text(of: words, upTo: 12).utf8), file: "x") }
        #expect(throws: LandingTemplate.Problem.self) { try LandingTemplate([0x80], file: "x") }
    }

    @Test func `a host has the page of its template, and the standard one while that is broken`() throws {
        let tree = try ConfigTree()
        try tree.app("shop.json", ConfigTree.shop(hosts: ["a.example.com", "b.example.com", "*.b.example.com"]))
        try tree.page("a.example.com/_landing.html", "<p>own {{name}} {{link}}")
        try tree.page("_wildcard.b.example.com/_landing.html", "\n<p onclick='{{name}}'>")
        try tree.page("b.example.com/_landing.html", "<p>{{name}}" + String(repeating: "x", count: 20_000))
        try tree.page("_default/_landing.html", "<p>another's")
        let loaded = try tree.load()
        func page(_ host: String) throws -> String {
            let view = loaded.catalogue.view
            let (name, path) = (Array(host.utf8), Array("/products/1".utf8))
            let known = view.site(host: name.span)
            let site = try #require(known)
            let found = view.landing(site, path: path.span, query: [UInt8]().span)
            let page = try #require(found)
            return withExtendedLifetime(loaded) {
                (0..<page.segmentCount).map { String(decoding: page[$0].text, as: UTF8.self) }.joined()
            }
        }
        #expect(try page("a.example.com").hasPrefix("<p>own "))
        #expect(try page("b.example.com").hasPrefix("<!doctype html>"))
        #expect(try page("x.b.example.com").hasPrefix("<!doctype html>"))
        #expect(loaded.answer("a.example.com", "/_landing.html") == nil, "a template is no page")
        let found = loaded.findings.filter { $0.rule == .cfg007 }
        #expect(
            Set(found.map { "\($0.file.dropFirst(tree.root.utf8.count)):\($0.range?.start.line ?? 0)" }) == [
                "/public/_wildcard.b.example.com/_landing.html:2", "/public/b.example.com/_landing.html:0",
                "/public/_default/_landing.html:0",
            ])
    }
}
