import Testing

@testable import Association

struct AppleMatcherTests {
    @Test(arguments: ConformanceCase.all("iOS 13 and later") + ConformanceCase.all("iOS 12 and earlier"))
    func `decides as iPhones do`(_ given: ConformanceCase) throws {
        let (decision, rule) = try given.decide()
        #expect(decision == given.expected)
        if let expected = given.rule { #expect(rule == expected) }
    }

    @Test func `there are cases of both`() {
        #expect(ConformanceCase.all("iOS 13 and later").count > 130)
        #expect(!ConformanceCase.all("iOS 12 and earlier").isEmpty)
    }

    /// The reading that is most plausible where there is no evidence.
    @Test(arguments: [
        (AppleComponent(path: "/x/../y"), "/y", false), (AppleComponent(path: "?"), "/", true),
        (AppleComponent(path: "a"), "/a", false), (AppleComponent(path: "/eat/$(a$b)"), "/eat/x", false),
        (AppleComponent(query: .items([QueryItemPattern(name: "q", pattern: "c+d")])), "/x?q=c+d", true),
    ])
    func `reads what is not settled`(component: AppleComponent, path: String, matches: Bool) throws {
        let url = try #require(LinkURL("https://example.com" + path))
        #expect(AppleMatcher(components: [component]).decide(url) == (matches ? .match(rule: 0) : .none))
    }

    @Test(arguments: [
        (["not /in/private/*", "/in/*"], "/in/private/notes", AppleDecision.exclude(rule: 0)),
        (["NOT/secret/*", "*"], "/secret/1", .match(rule: 1)), (["NOTES"], "/NOTES", .match(rule: 0)),
    ])
    func `reads legacy paths that only look like exclusions`(paths: [String], path: String, expected: AppleDecision)
        throws
    {
        let url = try #require(LinkURL("https://example.com" + path))
        #expect(AppleMatcher(paths: paths).decide(url) == expected)
    }
}
