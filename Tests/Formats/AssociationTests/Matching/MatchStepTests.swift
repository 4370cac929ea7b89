import Testing

@testable import Association

struct MatchStepTests {
    private func explain(_ components: [AppleComponent], _ path: String) throws -> [String] {
        let url = try #require(LinkURL("https://example.com" + path))
        return AppleMatcher(components: components).explain(url).map(\.message)
    }

    @Test func `reports which part of each rule failed, and which rule decided`() throws {
        let rules = [
            AppleComponent(path: "/teams/*", exclude: true), AppleComponent(path: "/teams"),
            AppleComponent(path: "/questions", query: .items([QueryItemPattern(name: "page", pattern: "?*")])),
            AppleComponent(path: "/*", fragment: "app"),
        ]
        #expect(
            try explain(rules, "/questions") == [
                "rule 0 needs the path to match `/teams/*`; the URL has `/questions`",
                "rule 1 needs the path to be `/teams`; the URL has `/questions`",
                "rule 2 needs query `page` to be one or more characters; the URL has none",
                "rule 3 needs the fragment to be `app`; the URL has none",
                "no rule matches, so the URL stays in the browser",
            ])
        #expect(try explain(rules, "/teams/7") == ["rule 0 excludes the URL, so it stays in the browser"])
        #expect(try explain(rules, "/questions?page=3").last == "rule 2 matches, so the app opens")
    }

    @Test func `reports how the rule reads the URL, and the value of its query`() throws {
        let rule = AppleComponent(
            query: .items([QueryItemPattern(name: "q", pattern: "??")]), caseSensitive: false, percentEncoded: false)
        #expect(
            try explain([rule], "/x?q=%41&q=ab").first
                == "rule 0 needs query `q` to be exactly 2 characters once decoded, ignoring upper and lower case; the URL has `a`, and every occurrence must match"
        )
        #expect(
            try explain([AppleComponent(query: .whole("a=1"))], "/x?").first
                == "rule 0 needs the whole query to be `a=1`; the URL has an empty one")
        #expect(
            try explain([AppleComponent()], "/x")
                == ["rule 0 matches, so the app opens; it has no `/`, `?` or `#`, so it matches every URL"])
        #expect(try explain([], "/x") == ["there are no rules, so the URL stays in the browser"])
        #expect(
            try explain([AppleComponent(path: "/$(nothing)")], "/x").first
                == "rule 0 needs the path to match `/$(nothing)` (impossible, because a variable in it is not defined); the URL has `/x`"
        )
    }

    @Test func `agrees with the decision`() throws {
        let url = try #require(LinkURL("https://example.com/b"))
        let steps = AppleMatcher(components: [AppleComponent(path: "/a"), AppleComponent(path: "/b")]).explain(url)
        #expect(steps.map(\.outcome) == [.failed(.path), .opens])
        #expect(steps.map(\.rule) == [0, 1])
    }

    @Test func `names the links of an app file, each once and as it is written`() throws {
        let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
        func app(_ links: String) throws -> AppFile {
            let text = """
                { name: "A", hosts: ["a.example"], ios: { appIDs: ["8KQ2V7M4XM.com.acme.shop"] }, links: [\(links)],
                  android: { package: "com.acme.shop", fingerprints: ["\(fingerprint)"], dynamicRules: true } }
                """
            return try #require(AppFile.read(Array(text.utf8), file: "a.json").appFile)
        }
        let shop = try app(#"{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }"#)
        let (apple, android) = (try #require(shop.appleMatcher), try #require(shop.androidMatcher))
        func url(_ path: String) throws -> LinkURL { try #require(LinkURL("https://a.example" + path)) }
        let neither = [
            "links[0] needs the path to match `/a/private/*`; the URL has `/b`",
            "links[1] needs the path to match `/a/*`; the URL has `/b`",
            "no rule matches, so the URL stays in the browser",
        ]
        #expect(try apple.explain(url("/b")).map(\.message) == neither)
        #expect(try android.explain(url("/b")).map(\.message) == neither)
        #expect(try android.explain(url("/b")).map(\.rule) == [0, 1, nil])
        for path in ["/a", "/a/1"] {
            #expect(try apple.explain(url(path)).last?.message == "links[1] matches, so the app opens")
            #expect(
                try android.explain(url(path)).map(\.message).dropFirst() == [
                    "links[1] matches, so the app opens if its manifest covers the URL"
                ])
        }
        for path in ["/A", "/A/1"] {
            let hint =
                "links[1] needs the path to match `/a/*`; the URL has `\(path)`, which differs only in upper and lower case"
            #expect(try apple.explain(url(path))[1].message == hint)
            #expect(try android.explain(url(path))[1].message == hint)
        }
        #expect(android.message(of: UndocumentedBehaviour(.absentPart, rule: 3)).hasPrefix("links[1]: "))
        #expect(apple.message(of: UndocumentedBehaviour(.plusSign, rule: 1)).hasPrefix("links[1]: "))
        #expect(
            AndroidMatcher(rules: []).message(of: UndocumentedBehaviour(.absentPart, rule: 3)).hasPrefix("rule 3: "))
        let none = try #require(try app(#"{ "/": "/a", "?": "id=1" }"#).androidMatcher)
        #expect(none.number(of: 0) == nil)
        #expect(
            try none.explain(url("/a?id=1")).map(\.message) == [
                "the only rule for Android excludes the URL, so it stays in the browser"
            ])
    }

    @Test func `explains the differences of Android`() throws {
        func explain(_ rules: [AndroidRule], _ path: String) throws -> [String] {
            AndroidMatcher(rules: rules).explain(try #require(LinkURL("https://example.com" + path))).map(\.message)
        }
        let flag = AndroidRule(query: [QueryItemPattern(name: "flag", pattern: "*")])
        #expect(
            try explain(
                [AndroidRule(), AndroidRule(path: "/a/*/c"), AndroidRule(fragment: "*"), flag], "/a/b/x/c?flag") == [
                    "rule 0 has no `/`, `?` or `#`, so it never matches on Android",
                    "rule 1 needs the path to match `/a/*/c`; the URL has `/a/b/x/c` (on Android `*` stops at the first character that may follow it)",
                    "rule 2 needs the fragment to be anything; the URL has none, and an absent part matches nothing",
                    "rule 3 needs query `flag` to be anything; the URL has none with a `=` after it",
                    "no rule matches, so the URL stays in the browser",
                ])
        #expect(
            try explain([AndroidRule(path: "")], "/x") == [
                "rule 0 has an empty field, so Android discards all rules and only the manifest decides"
            ])
        #expect(
            try explain([AndroidRule(path: "/x")], "/x") == [
                "rule 0 matches, so the app opens if its manifest covers the URL"
            ])
    }
}
