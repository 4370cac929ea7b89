import Testing

@testable import Association

@Suite struct SpellingComparisonTests {
    typealias Sample = AppFileSample

    @Test(
        arguments: [
            (#"[{ "/": "/a/b" }]"#, true, ["test//a/b (a doubled slash)"]),
            (#"[{ "/": "/a/b" }]"#, false, ["/a%2Fb (an escaped slash)", "/%61/b (an escape where none is needed)"]),
            (
                #"[{ "/": "/a/b", exclude: true }, { "/": "*" }]"#, true,
                ["/a%2Fb (an escaped slash)", "/%61/b (an escape where none is needed)"]
            ),
            (#"[{ "/": "/caf%C3%A9" }]"#, false, ["/caf%c3%a9 (an escape in lower case)"]),
            (#"[{ "/": "/a/?*" }]"#, false, ["/a// (a doubled slash)"]),
            (#"[{ "/": "/a/*/b" }]"#, false, ["/a//b (a doubled slash)"]),
            (#"[{ "/": "/" }]"#, true, ["https://shop.acme.test (no slash behind the host)"]),
            (
                ##"[{ "/": "//" }, { "/": "/*", "#": "?*", exclude: true }, { "/": "*" }]"##, true,
                ["https://shop.acme.test#xx (no slash behind the host)"]
            ),
            (#"[{ "/": "/a?" }]"#, false, ["/a* (a bare star in the path)"]),
            (
                #"[{ "/": "/s", "?": { q: "1" } }]"#, false,
                ["/s?q=1%26x=1 (an escaped separator in the query)", "/s?q=1;x=1 (a semicolon in the query)"]
            ),
            (
                #"[{ "/": "/s", "?": { q: "?*" } }]"#, true,
                ["/s?q=%26xx (an escaped separator in the query)", "/s?q=;xx (a semicolon in the query)"]
            ),
            // An escape of the rule itself stays beside the other spelling.
            (#"[{ "/": "/a/%c3%a9", exclude: true }, { "/": "*" }]"#, false, ["test//a/%c3%a9 (a doubled slash)"]),
        ] as [(String, Bool, [String])])
    func `names each spelling with a URL`(links: String, opensOnIOS: Bool, urls: [String]) throws {
        let found = try findings(links).filter { $0.message.contains("a URL opens the app on iOS") == opensOnIOS }
        #expect(found.count == 1)
        #expect(found.first?.severity == .note && found.first?.range != nil)
        for url in urls { #expect(found.first?.message.contains(url) == true, "\(found.map(\.message))") }
    }

    @Test func `confronts a rule for every path with the paths of others`() throws {
        let found = try findings(##"[{ "#": "t*" }, { "/": "/a/b", exclude: true }, { "#": "*" }]"##)
        #expect(
            found.contains { $0.message.contains("/a/b#%74x (an escape where none is needed)") },
            "\(found.map(\.message))")
    }

    @Test func `one rule of many URLs does not take the questions of all`() throws {
        let ios =
            #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true, variables: { v: ["?", "A"], w: ["a", "b"] } }"#
        let links = """
            [{ "?": { id: "$(w)" } }, { "/": "/??/??/*", "?": { id: "$(w)", page: "$(v)" }, caseSensitive: false },
             { "/": "/?*/a/*?/*" }, { "/": "/x%20y/", caseSensitive: false, percentEncoded: true }]
            """
        let found = try findings(links, ios: ios).filter { $0.message.contains("on iOS 9 to 12") }
        #expect(found.contains { $0.message.contains("(a bare star in the path)") }, "\(found.map(\.message))")
    }

    @Test func `one spelling does not take the questions of the others`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], defaults: { percentEncoded: false } }"#
        let links = ##"""
            [{ "?": { id: "?*" }, exclude: true }, { "/": "/x y*", "#": "t*" }, { "/": "/a?c/?**", "#": "*" }, {}]
            """##
        let found = try findings(links, ios: ios)
        #expect(
            found.contains { $0.message.contains("%26xx (an escaped separator in the query)") },
            "\(found.map(\.message))")
    }

    @Test func `asks with a query too where the rule has none`() throws {
        let found = try findings(##"[{ "?": "" }, { "/": "/./b/?*", "?": "?*" }, { "#": "*t" }]"##)
        #expect(
            found.contains { $0.message.contains("?utm_source=mail#x%74 (an escape where none is needed)") },
            "\(found.map(\.message))")
    }

    @Test func `names a spelling although its ordinary form is unsettled`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], variables: { v: ["?", "A"] } }"#
        let found = try findings(#"[{ "/": "/$(v)?*", exclude: true }, { "/": "/*?/*" }]"#, ios: ios)
        #expect(
            found.contains { $0.message.contains("test/* (a bare star in the path)") }, "\(found.map(\.message))")
    }

    @Test func `respells values of variables that have escapes`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], variables: { v: ["a", "caf%C3%A9"] } }"#
        let text = Sample.text(
            ios: ios, android: PlatformComparisonTests.dynamic, links: ##"[{ "#": "$(v)" }]"##)
        let found = try Sample.app(text).platformFindings().filter { $0.rule == "APP-044" }
        #expect(
            found.contains { $0.message.contains("#caf%c3%a9 (an escape in lower case)") }, "\(found.map(\.message))")
    }

    @Test func `finds what takes all the rules together`() throws {
        // The first rule's own URLs are excluded before, whatever their spelling.
        let found = try findings(
            #"[{ "/": "/x*", exclude: true }, { "/": "/*", "?": { a: "1" } }, { "/": "/x/b", exclude: true }, { "/": "/?/b" }]"#
        )
        #expect(found.contains { $0.message.contains("(an escape where none is needed)") }, "\(found.map(\.message))")
    }

    @Test(arguments: [#"[{ "/": "*" }]"#, "[{}]"])
    func `is silent where no spelling matters`(links: String) throws {
        #expect(try findings(links).isEmpty)
    }

    @Test func `leaves a rule that is left out to the finding about it`() throws {
        #expect(try findings(#"[{ "/": "/a/*", "?": "b=1" }]"#).isEmpty)
    }

    @Test func `has two findings for each platform at most`() throws {
        let links = (0..<60).map { #"{ "/": "/a\#($0)/?*/caf%C3%A9", "?": { q: "a*" }, exclude: \#($0 % 3 == 0) }"# }
        let found = try findings("[\(links.joined(separator: ",")), { \"/\": \"/z?\" }]")
        #expect(found.count == 2, "\(found.map(\.message))")
    }

    @Test func `compares with iOS 9 to 12 where a rule is compared decoded`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true }"#
        let links = #"[{ "/": "/a", percentEncoded: false }]"#
        let found = try findings(links, ios: ios, android: nil)
        #expect(found.count == 1)
        #expect(found.first?.message.contains("/%61 (an escape where none is needed)") == true)
        #expect(try findings(#"[{ "/": "/a" }]"#, ios: ios, android: nil).isEmpty)
    }

    @Test func `shows nothing but URLs that the matchers decide differently`() throws {
        for links in [
            ##"[{ "/": "/a/*" }, { "/": "/b?/*", "?": { q: "1*" } }, { "#": "x?" }]"##,
            #"[{ "/": "/$(digit)/x*", exclude: true }, { "/": "/*/x/?*", caseSensitive: false }]"#,
        ] {
            let app = try Sample.app(Sample.text(android: PlatformComparisonTests.dynamic, links: links))
            let android = try #require(app.androidMatcher)
            for finding in SpellingComparisonTests.all(app) {
                let opens = finding.message.contains("a URL opens the app on iOS")
                let urls = finding.message.split(separator: " ").filter { $0.hasPrefix("https://") }
                #expect(!urls.isEmpty)
                for url in try urls.map({ try #require(LinkURL(String($0))) }) {
                    #expect(app.sourceMatcher.decide(url).opens == opens)
                    #expect(android.decide(url).opens == !opens)
                }
            }
        }
    }

    private func findings(
        _ links: String, ios: String = Sample.ios, android: String? = PlatformComparisonTests.dynamic
    ) throws -> [Finding] {
        Self.all(try Sample.app(Sample.text(ios: ios, android: android, links: links)))
    }

    private static func all(_ app: AppFile) -> [Finding] {
        app.platformFindings().filter { $0.rule == "APP-044" }
    }
}
