import Testing

@testable import Association

@Suite struct PatternVariantsTests {
    @Test(arguments: [("a*b", "a*b"), ("**", "*"), ("*?", "?*"), ("a*?*?b", "a??*b"), ("?*?", "??*"), ("", "")])
    func `puts wildcards into the order that Android reads`(pattern: String, expected: String) {
        #expect(PatternVariants.canonical(PatternToken.tokens(of: pattern)).text == expected)
    }

    @Test func `replaces variables by their values up to the limit`() {
        let table = SubstitutionTable([SubstitutionVariable(name: "v", values: ["a", "b*"])])
        let variants = PatternVariants(table: table, limit: 4)
        #expect(variants.expanded(ParsedPattern("$(v)/$(v)"))?.map(\.text) == ["a/a", "a/b*", "b*/a", "b*/b*"])
        #expect(variants.expanded(ParsedPattern("$(v)$(v)$(v)")) == nil)
        #expect(variants.expanded(ParsedPattern("$(nosuch)")) == [])
        #expect(variants.expanded(ParsedPattern("$(v")) == [])
    }

    @Test(arguments: [("digit", 10), ("xdigit", 22), ("upper", 26), ("lower", 26), ("alpha", 52), ("alnum", 62)])
    func `knows the predefined variables`(name: String, count: Int) {
        let variants = PatternVariants(table: SubstitutionTable([]), limit: 100)
        #expect(variants.expanded(ParsedPattern("$(\(name))"))?.count == count)
    }
}
