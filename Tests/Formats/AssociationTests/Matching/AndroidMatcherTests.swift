import Testing

@testable import Association

private func item(_ items: (String, String)...) -> AndroidRule {
    AndroidRule(query: items.map { QueryItemPattern(name: $0.0, pattern: $0.1) })
}

struct AndroidMatcherTests {
    @Test(arguments: [
        ("*end", "/bend", true), ("*end", "/theend", false), ("*end", "/behead", false), ("/foo*bar", "/fooxbar", true),
        ("/foo*bar", "/foobarbar", false), ("/foo*.bar", "/fooxx.bar", true), ("/foo.bar", "/fooxbar", false),
        ("/foo?bar", "/foo.bar", true), ("/foo?", "/foo", false), ("/foo?*bar", "/fooxbar", true),
        ("/foo?*", "/foo", false), ("/foo*?bar", "/fooxbar", false), ("/foo*?bar", "/foo.bar", true),
        ("/foo**bar", "/foo.*bar", true), ("/foo**bar", "/foobar", false), ("/foo**", "/foo", false),
        ("/a/*/c", "/a/b/c", true), ("/a/*/c", "/a/b/x/c", false), ("/a/*", "/a/", true), ("/a/*", "/a", false),
        ("/a[b-d]", "/ac", false), ("/a\\b", "/a%5Cb", true), ("/a b", "/a%20b", true), ("/a%20b", "/a%20b", false),
        ("/a/b", "/a%2Fb", true), ("/Shop", "/shop", false), ("/shop", "/shop/", false), ("*", "", true),
        ("/", "", false), ("/?", "/%C3%A9", true), ("/?", "/%F0%9F%98%80", false), ("/??", "/%F0%9F%98%80", true),
    ])
    func `matches patterns as Android does`(pattern: String, path: String, matches: Bool) throws {
        let url = try #require(LinkURL("https://example.com" + path))
        let matcher = AndroidMatcher(rules: [AndroidRule(path: pattern)])
        #expect(matcher.decide(url) == (matches ? .allow(rule: 0) : .none))
    }

    private static let list = [
        item(("go", "*")), AndroidRule(fragment: "app"), AndroidRule(path: "/goods/*"),
        AndroidRule(path: "/hats", query: [QueryItemPattern(name: "in", pattern: "yes")]),
        AndroidRule(path: "*", exclude: true),
    ]

    @Test(arguments: [
        (list, "/x?go=1", AndroidDecision.allow(rule: 0)), (list, "/x#app", .allow(rule: 1)),
        (list, "/goods/9", .allow(rule: 2)), (list, "/goods", .block(rule: 4)), (list, "/hats?in=yes", .allow(rule: 3)),
        (list, "/hats", .block(rule: 4)), (list, "/hats/?in=yes", .block(rule: 4)),
        ([item(("a", "*"), ("b", "1"))], "/?b=1&a=x", .allow(rule: 0)),
        ([item(("a", "*"), ("b", "1"))], "/?c=3&b=1&d=4&a=x", .allow(rule: 0)),
        ([item(("a", "*"), ("b", "1"))], "/?b=1", .none), ([item(("id", "4"))], "/x?id=7&id=4", .allow(rule: 0)),
        ([item(("flag", "*"))], "/x?flag", .none), ([item(("b", "2"))], "/x?a=1;b=2", .allow(rule: 0)),
        ([item(("b", "2"))], "/x?a=1%26b=2", .allow(rule: 0)), ([item(("b", "2"))], "/x?a=1;b=2&c=3", .none),
        // With `&`, a `;` is part of a value.
        ([item(("b", "2"))], "/x?b=2&c=a;d", .allow(rule: 0)),
        ([item(("b", "2"))], "/x?b=2;c=a&d", .none), ([item(("b", "2;d"))], "/x?c=a&b=2;d", .allow(rule: 0)),
        ([AndroidRule(fragment: "*")], "/x", .none), ([AndroidRule(fragment: "*")], "/x#", .allow(rule: 0)),
        ([AndroidRule(fragment: "app")], "/x#other", .none), ([AndroidRule(fragment: "app")], "/x#application", .none),
        ([AndroidRule()], "/x", .none), ([AndroidRule(exclude: true), AndroidRule(path: "*")], "/x", .allow(rule: 1)),
        ([AndroidRule(path: "/x", exclude: true)], "/y", .none), ([], "/x", .manifest),
        ([AndroidRule(path: "")], "/x", .manifest),
        ([AndroidRule(path: "*"), AndroidRule(fragment: "")], "/x", .manifest),
        ([AndroidRule(query: [])], "/x", .manifest), ([item(("a", ""))], "/x", .manifest),
        ([item(("", "a"))], "/x", .manifest),
    ])
    func `decides by the first rule that matches, unless a field is empty`(
        rules: [AndroidRule], path: String, expected: AndroidDecision
    ) throws {
        let url = try #require(LinkURL("https://example.com" + path))
        #expect(AndroidMatcher(rules: rules).decide(url) == expected)
    }
}
