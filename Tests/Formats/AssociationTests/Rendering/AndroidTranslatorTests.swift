import AssociationSamples
import Testing

@testable import Association

@Suite struct AndroidTranslatorTests {
    /// Rules with only a path.
    static let paths: [(String, [String])] = [
        ("/buy", ["/buy", "/buy/"]), ("buy", ["/buy", "/buy/"]), ("/buy/", ["/buy", "/buy/"]), ("/", ["/"]),
        ("/buy/*", ["/buy", "/buy/*"]), ("/buy*", ["/buy*"]), ("/buy/?*", ["/buy/?*"]), ("/buy/*?", ["/buy/?*"]),
        ("/*", ["*"]), ("*", ["*"]), ("/a/*/", ["/a/?*"]), ("/a*/", ["/a*"]), ("//a//b", ["/a/b", "/a/b/"]),
        ("/id/????", ["/id/????", "/id/????/"]), ("/caf%C3%A9", ["/café", "/café/"]),
        ("/a%20b/*", ["/a b", "/a b/*"]), ("/$(v)/x", ["/en/x", "/en/x/", "/ja/x", "/ja/x/"]),
        ("/$(w)", ["/a*"]), ("/a/$(digit)", (0...9).flatMap { ["/a/\($0)", "/a/\($0)/"] }),
        // A star in the middle, for up to three more occurrences of the character after it.
        ("/a/*/c", ["/a/*/c", "/a/*/*/c", "/a/*/*/*/c", "/a/*/*/*/*/c"].flatMap { [$0, $0 + "/"] }),
        ("*bar", ["*bar", "*b*bar", "*b*b*bar", "*b*b*b*bar"].flatMap { [$0, $0 + "/"] }),
    ]

    @Test(arguments: paths) func `translates a path`(path: String, expected: [String]) {
        let translation = translate(AppleComponent(path: path))
        #expect(translation.unsupported == nil)
        #expect(Set(translation.rules.map(\.path)) == Set(expected))
        #expect(translation.rules.count == expected.count)
    }

    @Test(arguments: ["/a b", "/café", "/100%", "/$(nosuch)", "/$(v"])
    func `omits a rule that matches no URL`(path: String) {
        let translation = translate(AppleComponent(path: path))
        #expect(translation.rules.isEmpty && translation.unsupported == nil)
    }

    @Test(arguments: [
        (AppleComponent(path: "/a%2Fb"), "escaped slash"), (AppleComponent(path: "/a%2Ab"), "wildcard"),
        (AppleComponent(path: "/a%3F"), "wildcard"), (AppleComponent(path: "/a%FF"), "UTF-8"),
        (AppleComponent(path: "/$(lang)/x"), "more than 128 Android rules"),
        (AppleComponent(path: "/$(digit)$(digit)$(digit)"), "more than 128 Android rules"),
        (AppleComponent(path: "/a", query: .whole("a=1")), "whole query"),
        (AppleComponent(path: "/a", query: .whole("")), "whole query"),
        (AppleComponent(path: "/a", query: .items([item("a", "")])), "missing or empty"),
        (AppleComponent(path: "/a", query: .items([item("a*", "1")])), "`a*`"),
        (AppleComponent(path: "/a", query: .items([item("", "1")])), "a name that Android cannot match"),
        (AppleComponent(path: "/a", query: .items([item("a", "1%262")])), "separator"),
        (AppleComponent(path: "/a", query: .items([item("a", "1;2")])), "separator"),
        (AppleComponent(path: "/a", fragment: ""), "missing or empty"),
    ])
    func `omits a rule with a feature that Android does not support`(link: AppleComponent, reason: String) {
        let translation = translate(link)
        #expect(translation.rules.isEmpty)
        #expect(translation.unsupported?.contains(reason) == true, "\(translation.unsupported ?? "none")")
    }

    @Test func `requires nothing for a single star`() {
        for link in [
            AppleComponent(), AppleComponent(query: .whole("*")), AppleComponent(fragment: "*"),
            AppleComponent(query: .items([Self.item("a", "*")])), AppleComponent(path: "*", fragment: "**"),
        ] {
            let rules = translate(link).rules
            #expect(rules.map(\.path) == ["*"])
            #expect(rules.allSatisfy { $0.query == nil && $0.fragment == nil })
        }
        let kept = translate(AppleComponent(path: "/a*", query: .items([Self.item("a", "*"), Self.item("b", "?*")])))
        #expect(kept.rules.map(\.query) == [[Self.item("b", "?*")]])
    }

    @Test func `combines the alternatives of path, query and fragment`() {
        let link = AppleComponent(
            path: "/a", query: .items([Self.item("l", "$(v)"), Self.item("p", "?*")]), fragment: "x$(v)", exclude: true)
        let rules = translate(link).rules
        #expect(rules.count == 8)
        #expect(rules.allSatisfy { $0.exclude })
        #expect(rules.first?.query == [Self.item("l", "en"), Self.item("p", "?*")])
        #expect(rules.first?.fragment == "xen")
    }

    @Test func `does not decode a decoded pattern`() {
        let link = AppleComponent(path: "/café b%20", percentEncoded: false)
        #expect(translate(link).rules.map(\.path) == ["/café b%20", "/café b%20/"])
        let translator = AndroidTranslator(defaults: AppleDefaults(percentEncoded: false), variables: [])
        #expect(translator.translate(AppleComponent(path: "/é")).rules.map(\.path) == ["/é", "/é/"])
    }

    @Test func `never makes a rule with an empty part`() {
        for path in ["", "/", "//", "*", "?", "/*", "/?"] {
            for rule in translate(AppleComponent(path: path)).rules { #expect(rule.path?.isEmpty == false) }
        }
    }

    @Test func `writes a rule that matches nothing if all rules are omitted`() throws {
        let links = #"[{ "/": "/a", "?": "b=1" }]"#
        let android =
            #"{ package: "dev.acme.shop", fingerprints: ["\#(AppFileSample.fingerprint)"], dynamicRules: true }"#
        let app = try AppFileSample.app(AppFileSample.text(android: android, links: links))
        let rules = try #require(app.androidRules).rules
        #expect(rules.count == 1 && rules[0].path == "*" && rules[0].exclude)
    }

    private func translate(_ link: AppleComponent) -> RuleTranslation<AndroidRule> {
        AndroidTranslator(
            defaults: AppleDefaults(),
            variables: [
                SubstitutionVariable(name: "v", values: ["en", "ja"]), SubstitutionVariable(name: "w", values: ["a*"]),
            ]
        ).translate(link)
    }

    private static func item(_ name: String, _ pattern: String) -> QueryItemPattern {
        QueryItemPattern(name: name, pattern: pattern)
    }
}
