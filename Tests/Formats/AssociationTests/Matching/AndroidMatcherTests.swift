import Testing

@testable import Association

struct AndroidMatcherTests {
    @Test(arguments: ConformanceCase.all("Android 15 and later"))
    func `decides as Android does`(_ given: ConformanceCase) throws {
        let (decision, rule) = try given.decide()
        #expect(decision == given.expected)
        if let expected = given.rule { #expect(rule == expected) }
    }

    @Test func `there are cases`() { #expect(ConformanceCase.all("Android 15 and later").count > 70) }

    /// The reading that is most plausible where there is no evidence.
    @Test func `an item without an equals sign matches nothing`() throws {
        let rule = AndroidRule(query: [QueryItemPattern(name: "flag", pattern: "*")])
        #expect(AndroidMatcher(rules: [rule]).decide(try #require(LinkURL("https://example.com/x?flag"))) == .none)
    }
}
