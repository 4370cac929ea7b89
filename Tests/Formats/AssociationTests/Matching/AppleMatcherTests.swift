import Testing

@testable import Association

/// One row: the rules, the URL after the host, and the expected decision.
private struct Row: CustomTestStringConvertible, Sendable {
    var components: [AppleComponent]
    var defaults = AppleComponent()
    var variables: [SubstitutionVariable] = []
    var url: String
    var expected: AppleDecision

    init(
        _ components: [AppleComponent], defaults: AppleComponent = AppleComponent(),
        variables: [SubstitutionVariable] = [], _ url: String, _ expected: AppleDecision
    ) {
        self.components = components
        self.defaults = defaults
        self.variables = variables
        self.url = url
        self.expected = expected
    }

    /// One component that includes.
    init(_ path: String, _ url: String, _ matches: Bool, folds: Bool = false, decodes: Bool = false) {
        let component = AppleComponent(
            path: path, caseSensitive: folds ? false : nil, percentEncoded: decodes ? false : nil)
        self.init([component], url, matches ? .match(rule: 0) : .none)
    }

    var testDescription: String { "\(components.map { "\($0.path ?? "-") \($0.query.map { "\($0)" } ?? "")" }) \(url)" }
}

private func item(_ name: String, _ pattern: String) -> AppleComponent {
    AppleComponent(query: .items([QueryItemPattern(name: name, pattern: pattern)]))
}

struct AppleMatcherTests {
    @Test(arguments: [
        Row("/shop/*", "/shop/7", true), Row("/shop/*", "/shop", true), Row("/shop/*", "/shop/", true),
        Row("/shop/*", "/shop/7/reviews", true), Row("/shop/*", "/shopping", false), Row("/shop/*", "/sho", false),
        Row("/shop*", "/shop", true), Row("/shop*", "/shopping/cart", true), Row("/shop", "/shop/", true),
        Row("/shop/", "/shop", true), Row("/shop/", "/shop//", true), Row("//shop", "/shop", true),
        Row("shop", "/shop", true), Row("shop", "/shops", false), Row("shop", "/ashop", false),
        Row("*shop", "/ashop", true), Row("/x/*/z", "/x/z", false), Row("/x/*/z", "/x/y/z", true),
        Row("/x/*/z", "/x/a/b/z", true), Row("/", "", true), Row("/", "/", true), Row("/", "/x", false),
        Row("", "", true), Row("*", "/deep/down", true), Row("/n/????", "/n/2024", true),
        Row("/n/????", "/n/202", false), Row("/x/?*", "/x/", false), Row("/x/?*", "/x/y", true),
        Row("/x/../y", "/y", false), Row("?", "/", true), Row("a", "/a", false), Row("/x**y", "/xy", true),
    ])
    fileprivate func `compares paths with normalised slashes`(_ row: Row) throws { try check(row) }

    @Test(arguments: [
        Row("/News", "/news", false), Row("/News", "/nEWS", true, folds: true),
        Row("/m%20n", "/m%20n", true), Row("/m n", "/m%20n", false), Row("/m n", "/m%20n", true, decodes: true),
        Row("/m%20n", "/m%20n", false, decodes: true), Row("/m/n", "/m%2Fn", false),
        Row("/m/n", "/m%2Fn", true, decodes: true), Row("/%C3%BC", "/%c3%bc", false),
        Row("/%C3%BC", "/%c3%bc", true, folds: true), Row("/ü", "/%C3%BC", true, decodes: true),
        Row("/Ü", "/%C3%BC", true, folds: true, decodes: true), Row("/ü", "/%C3%BC", false),
        Row("/?", "/%C3%BC", true, decodes: true), Row("/?", "/%F0%9F%98%80", true, decodes: true),
        Row("/x?*y", "/x%F0%9F%98%80y", true, decodes: true), Row("/*?y", "/%C3%BCy", true, decodes: true),
        Row("/??", "/%C3%BC", false, decodes: true),
    ])
    fileprivate func `compares case and escapes as the rule requires`(_ row: Row) throws { try check(row) }

    @Test(arguments: [
        Row([item("page", "*")], "/x?size=1", .match(rule: 0)), Row([item("page", "?*")], "/x?size=1", .none),
        Row([item("page", "")], "/x", .match(rule: 0)), Row([item("page", "2")], "/x?size=1", .none),
        Row([item("page", "2")], "/x?page=2&size=1", .match(rule: 0)),
        Row([item("page", "2")], "/x?page=2&page=3", .none),
        Row([item("page", "2")], "/x?page=2&page=2", .match(rule: 0)),
        Row([item("page", "")], "/x?page", .match(rule: 0)), Row([item("page", "a=b")], "/x?page=a=b", .match(rule: 0)),
        Row([item("Page", "2")], "/x?page=2", .none), Row([item("q", "c+d")], "/x?q=c+d", .match(rule: 0)),
        Row([item("q", "c d")], defaults: AppleComponent(percentEncoded: false), "/x?q=c%20d", .match(rule: 0)),
        Row([item("ä", "1")], defaults: AppleComponent(percentEncoded: false), "/x?%C3%A4=1", .match(rule: 0)),
        Row([item("q", "a&b")], defaults: AppleComponent(percentEncoded: false), "/x?q=a%26b", .match(rule: 0)),
        Row([AppleComponent(query: .items([]))], "/x", .match(rule: 0)),
        Row([AppleComponent(query: .whole("page=2"))], "/x?page=2", .match(rule: 0)),
        Row([AppleComponent(query: .whole("page=2"))], "/x?page=2&size=1", .none),
        Row([AppleComponent(query: .whole("?*"))], "/x", .none),
        Row([AppleComponent(query: .whole("*"))], "/x", .match(rule: 0)),
        Row([AppleComponent(fragment: "*")], "/x", .match(rule: 0)),
        Row([AppleComponent(fragment: "?*")], "/x", .none),
        Row([AppleComponent(fragment: "top")], "/x#top", .match(rule: 0)),
        Row([AppleComponent(path: "mm", query: .whole("n"), fragment: "*")], "/mm?n", .match(rule: 0)),
        Row([AppleComponent(path: "mm", query: .whole("n"), fragment: "*")], "/mm", .none),
    ])
    fileprivate func `compares queries and fragments`(_ row: Row) throws { try check(row) }

    private static let shop = [
        AppleComponent(fragment: "web", exclude: true), AppleComponent(path: "/shop/*"),
        AppleComponent(path: "/faq/old/*", exclude: true),
        AppleComponent(path: "/faq/*", query: .items([QueryItemPattern(name: "n", pattern: "???")])),
    ]

    @Test(arguments: [
        Row(shop, "/shop/1", .match(rule: 1)), Row(shop, "/shop/1#web", .exclude(rule: 0)),
        Row(shop, "/faq/old/1?n=123", .exclude(rule: 2)), Row(shop, "/faq/1?n=123", .match(rule: 3)),
        Row(shop, "/faq/1?n=12", .none), Row(shop, "/faq/1", .none), Row(shop, "/", .none), Row([], "/x", .none),
        Row([AppleComponent()], "/anything", .match(rule: 0)),
        Row([AppleComponent(comment: "all")], "/anything", .match(rule: 0)),
        Row([AppleComponent(path: "/new")], defaults: AppleComponent(caseSensitive: false), "/NEW", .match(rule: 0)),
        Row(
            [AppleComponent(path: "/new", caseSensitive: true)], defaults: AppleComponent(caseSensitive: false), "/NEW",
            .none),
        Row([AppleComponent(fragment: "*")], defaults: AppleComponent(path: "/in/*"), "/out", .none),
        Row([AppleComponent(fragment: "*")], defaults: AppleComponent(exclude: true), "/out", .exclude(rule: 0)),
        Row([AppleComponent(fragment: "*")], defaults: item("id", "??"), "/out?id=7", .none),
    ])
    fileprivate func `decides by the first rule that matches, with inherited values`(_ row: Row) throws {
        try check(row)
    }

    @Test(arguments: [
        ("/v/$(digit)", "/v/7", true), ("/v/$(digit)", "/v/x", false), ("/v/$(digit)", "/v/77", false),
        ("/v/$(upper)", "/v/q", false), ("/v/$(lower)", "/v/q", true), ("/v/$(alpha)", "/v/Q", true),
        ("/v/$(xdigit)", "/v/f", true), ("/v/$(xdigit)", "/v/g", false), ("/v/$(alnum)", "/v/-", false),
        ("/eat/$(dish)/", "/eat/soup/", true), ("/eat/$(dish)/", "/eat/stew/", false),
        ("/eat/$(Dish)/", "/eat/soup/", false), ("/eat/$(dish", "/eat/soup", false), ("/eat/$(a$b)", "/eat/x", false),
        ("/$(region)/home", "/GB/home", true), ("/$(region)/home", "/gb/home", true),
        ("/$(region)/home", "/Gb/home", false), ("/$(region)/home", "/UK/home", false),
        ("/$(lang)/home", "/ja/home", true), ("/$(lang)-$(region)/*", "/pt-BR/x/y", true),
        ("/$(lang)-$(region)/*", "/pt_BR/x/y", false), ("/$(wild)/x", "/abcz/x", true), ("/$(wild)/x", "/ab/x", false),
        ("/$(price list)", "/p1", true), ("/$5", "/$5", true), ("/$(dish)$(dish)*", "/soupsalad/x", true),
    ])
    func `resolves variables`(pattern: String, path: String, matches: Bool) throws {
        let variables = [
            SubstitutionVariable(name: "dish", values: ["soup", "salad"]),
            SubstitutionVariable(name: "wild", values: ["q", "a*z"]),
            SubstitutionVariable(name: "price list", values: ["p1"]),
        ]
        try check(Row([AppleComponent(path: pattern)], variables: variables, path, matches ? .match(rule: 0) : .none))
    }

    @Test func `ignores case in classes and values if the rule does`() throws {
        let variables = [SubstitutionVariable(name: "dish", values: ["Soup"])]
        for (pattern, path) in [("/v/$(upper)", "/v/q"), ("/$(dish)", "/SOUP"), ("/$(region)", "/gB")] {
            try check(
                Row([AppleComponent(path: pattern, caseSensitive: false)], variables: variables, path, .match(rule: 0)))
        }
    }

    @Test(arguments: [
        (["NOT /in/private/*", "/in/*"], "/in/2015", AppleDecision.match(rule: 1)),
        (["NOT /in/private/*", "/in/*"], "/in/private/notes", .exclude(rule: 0)),
        (["not /in/private/*", "/in/*"], "/in/private/notes", .exclude(rule: 0)),
        (["NOT /in/private/*", "/in/*"], "/out", .none),
        (["/in/*", "NOT /in/private/*"], "/in/private/notes", .match(rule: 0)),
        (["/shop/*"], "/shop?x=1#y", .match(rule: 0)), (["NOT/secret/*", "*"], "/secret/1", .match(rule: 1)),
        (["NOTES"], "/NOTES", .match(rule: 0)),
    ])
    func `reads legacy paths`(paths: [String], path: String, expected: AppleDecision) throws {
        let url = try #require(LinkURL("https://example.com" + path))
        #expect(AppleMatcher(paths: paths).decide(url) == expected)
    }

    private func check(_ row: Row) throws {
        let url = try #require(LinkURL("https://example.com" + row.url))
        let matcher = AppleMatcher(components: row.components, defaults: [row.defaults], variables: row.variables)
        #expect(matcher.decide(url) == row.expected)
    }
}
