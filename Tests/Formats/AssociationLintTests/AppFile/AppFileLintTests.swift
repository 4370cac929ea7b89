// One mistake in an app file is one finding, and it says what was probably meant.

import AssociationSamples
import Testing

@testable import Association
@testable import AssociationLint

struct AppFileLintTests {
    /// A text, the rules of its warnings and errors, and what the first of them says.
    @Test(arguments: [
        // A host that cannot be read, and examples that are on it.
        (
            AppFileSample.text(
                hosts: #"["https://shop.acme.test"]"#,
                more: #"examples: { "https://shop.acme.test/products/1": "app" }"#),
            [RuleID.app008], "is not a host"
        ),
        (
            AppFileSample.text(more: #"examples: { "https://other.test/1": "app" }"#), [.app028],
            "is not a host of this file"
        ),
        // A pattern that nothing matches is not also without effect.
        (AppFileSample.text(links: #"[{ "/": "/é" }, { "/": "/*" }]"#), [.aasa051], "write `/%C3%A9`"),
        (AppFileSample.text(links: #"[{ "/": "/a", "?": "id" }]"#), [.aasa058], #"write { "id": "?*" }"#),
        (AppFileSample.text(links: #"[{ "/": "/a", "?": "" }]"#), [], ""),
        (AppFileSample.text(links: #"[{ "/": "/a", "?": "id*" }]"#), [], ""),
        // Association files where an app file should be.
        (Texts.path("/a"), [.app002], "this is an apple-app-site-association file"),
        ("[\(Texts.statement())]", [.app002], "this is a statement list"),
        ("[]", [.app002], "an app file is an object"),
    ])
    func `one mistake is one finding`(text: String, rules: [RuleID], words: String) {
        let findings = AppFile.lint(Array(text.utf8), file: "f").filter { $0.severity != .note }
        #expect(findings.rules == rules)
        #expect(words.isEmpty || findings.first?.text.contains(words) == true, "\(findings)")
    }

    /// Paths as they are written and published.
    @Test(arguments: [
        ("products/*", "/products/*"), ("a", "/a"), ("/a", "/a"), ("*", "*"), ("?a", "?a"), ("$(lang)/a", "$(lang)/a"),
        ("", ""),
    ])
    func `a path without a slash is published with one`(path: String, published: String) throws {
        let reading = AppFileSample.read(AppFileSample.text(links: #"[{ "/": "\#(path)" }]"#))
        #expect(reading.findings.contains { $0.message.contains("is published with one") } == (path != published))
        guard !path.isEmpty else { return }
        let app = try #require(reading.appFile)
        let document = String(decoding: try #require(Renderer.documents(for: [app]).appleBytes), as: UTF8.self)
        #expect(document.contains("\"\(published)\""), "\(document)")
    }

    /// A pattern, a path, and the words about how they differ.
    @Test(arguments: [
        ("/p/*", "/P/1", "differs only in upper and lower case", true), ("/p/*", "/q/1", "differs only", false),
        ("/p", "/P", "differs only", true),
    ])
    func `a difference of case is said`(pattern: String, path: String, words: String, isSaid: Bool) throws {
        let matcher = AppleMatcher(components: [AppleComponent(path: pattern)])
        let steps = matcher.explain(try #require(LinkURL("https://a.acme.test\(path)")))
        #expect(steps[0].message.contains(words) == isSaid, "\(steps)")
    }

    @Test(arguments: [("/help", false), ("/products/a/b/reviews", true), ("/products", false)])
    func `Android's star is explained where it matters`(path: String, isSaid: Bool) throws {
        let matcher = AndroidMatcher(rules: [AndroidRule(path: "/products/*/reviews")])
        let steps = matcher.explain(try #require(LinkURL("https://a.acme.test\(path)")))
        #expect(steps[0].message.contains("on Android `*` stops") == isSaid, "\(steps)")
    }
}
