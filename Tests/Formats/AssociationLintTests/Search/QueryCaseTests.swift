// Whether the queries and fragments that are tried stand for all others.

import Testing

@testable import Association
@testable import AssociationLint

struct QueryCaseTests {
    private static func items(_ patterns: KeyValuePairs<String, String>) -> AppleComponent {
        AppleComponent(path: "/x", query: .items(patterns.map { QueryItemPattern(name: $0.key, pattern: $0.value) }))
    }

    /// The rules of a list, and whether the cases are exhaustive.
    @Test(
        arguments: [
            ([AppleComponent(path: "/x")], true), ([items(["q": "?*"])], true), ([items(["q": "1", "r": "*a"])], true),
            ([items(["q": "1"]), items(["q": "2"])], true), ([AppleComponent(path: "/x", fragment: "a*")], true),
            ([AppleComponent(path: "/x", query: .whole("a=*"))], true),
            // Three parameters of one name may match what two of them do not.
            ([items(["q": "a*"]), items(["q": "*b"])], false),
            // A text for the whole query may have the named parameters.
            ([items(["q": "1"]), AppleComponent(path: "/x", query: .whole("a=*"))], false),
            ([items(["q": "1"]), items(["*": "2"])], false),
            // More combinations than are tried.
            ((0..<10).map { items(["p\($0)": "1"]) }, false),
            ((0..<80).map { AppleComponent(path: "/x", fragment: "a\($0)") }, false),
        ] as [([AppleComponent], Bool)])
    func `the cases are exhaustive for few patterns`(rules: [AppleComponent], areExhaustive: Bool) {
        var stepsLeft = 1_000_000
        let list = RuleList.apple(AppleMatcher(components: rules))
        let found = QueryCase.cases(for: [list], stepsLeft: &stepsLeft, AutomatonLimits())
        #expect(found.areExhaustive == areExhaustive, "\(found.cases)")
        #expect(found.cases.first == QueryCase(query: nil, fragment: nil))
        stepsLeft = 0
        let cut = QueryCase.cases(for: [list], stepsLeft: &stepsLeft, AutomatonLimits())
        #expect(cut.areExhaustive == list.usesOnlyPaths)
    }
}
