import AssociationSamples
import Testing

@testable import Association

@Suite struct LegacyTranslatorTests {
    @Test(arguments: [
        (AppleComponent(path: "/buy"), ["/buy", "/buy/"]), (AppleComponent(path: "/buy/*"), ["/buy", "/buy/*"]),
        (AppleComponent(path: "/a/*/c"), ["/a/*/c", "/a/*/c/"]),
        (AppleComponent(path: "/buy", exclude: true), ["NOT /buy", "NOT /buy/"]),
        (AppleComponent(path: "/*"), ["*"]), (AppleComponent(), ["*"]), (AppleComponent(exclude: true), ["NOT *"]),
        (AppleComponent(path: "/$(v)"), ["/en", "/en/", "/ja", "/ja/"]),
        (
            AppleComponent(path: "/a*", query: .items([QueryItemPattern(name: "a", pattern: "*")]), fragment: "*"),
            ["/a*"]
        ),
        (AppleComponent(path: "*?a"), ["*?*a", "*?*a/"]), (AppleComponent(path: "*??*"), ["*??*"]),
        (AppleComponent(path: "/é 1%/", percentEncoded: false), ["/%C3%A9%201%25", "/%C3%A9%201%25/"]),
    ])
    func `writes paths`(link: AppleComponent, expected: [String]) {
        let translation = translate(link)
        #expect(translation.rules == expected)
        #expect(translation.unsupported == nil)
    }

    @Test(arguments: ["*?a", "*??*", "*?*a*"], ["/a", "/*", "/ba", "/", "/b/a/"])
    func `means the same if a star begins the path`(pattern: String, path: String) throws {
        let legacy = AppleMatcher(paths: translate(AppleComponent(path: pattern)).rules)
        let modern = AppleMatcher(components: [AppleComponent(path: pattern)], defaults: [], variables: [])
        let url = try #require(LinkURL("https://shop.acme.test\(path)"))
        #expect(legacy.decide(url).opens == modern.decide(url).opens)
    }

    @Test(arguments: [
        (AppleComponent(path: "/a", query: .whole("a=1")), "the query"),
        (
            AppleComponent(path: "/a", query: .items([QueryItemPattern(name: "p", pattern: "?*")])),
            "the query parameter `p`"
        ),
        (AppleComponent(fragment: "x"), "the fragment"), (AppleComponent(path: "/$(region)"), "more than 128"),
    ])
    func `omits a rule with a feature that only components have`(link: AppleComponent, reason: String) {
        let translation = translate(link)
        #expect(translation.rules.isEmpty)
        #expect(translation.unsupported?.contains(reason) == true)
    }

    private func translate(_ link: AppleComponent) -> RuleTranslation<String> {
        LegacyTranslator(defaults: AppleDefaults(), variables: [SubstitutionVariable(name: "v", values: ["en", "ja"])])
            .translate(link)
    }
}
