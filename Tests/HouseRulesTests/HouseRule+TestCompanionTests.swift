// Which source files must have a test file of their name.

import Testing

struct HouseRuleTestCompanionTests {
    private let rule = HouseRule.testCompanion(testFiles: ["PatternTests", "Rule+MatchTests"])

    @Test func `refuses logic without a test`() {
        let violations = rule.check(
            SourceFile(path: "Sources/Formats/Association/Other.swift", "public func c() { if a { b() } }"))
        #expect(
            violations.map(\.message) == [
                "no test file of its name; add Tests/Formats/AssociationTests/OtherTests.swift"
            ])
    }

    @Test(arguments: [
        ("Sources/Formats/Association/Pattern.swift", "public func c() { if a { b() } }"),
        ("Sources/Formats/Association/Pattern+Aspect.swift", "public func c() { if a { b() } }"),
        ("Sources/Formats/Association/Rule+Match.swift", "public func c() { if a { b() } }"),
        ("Sources/Formats/Association/Plain.swift", "public init() { a = 1 }"),
        ("Sources/Formats/Association/Hidden.swift", "func c() { if a { b() } }"),
        ("Sources/System/Posix/Socket.swift", "public func c() { if a { b() } }"),
        ("Tests/Formats/AssociationTests/Other.swift", "public func c() { if a { b() } }"),
    ])
    func `asks for none elsewhere`(path: String, text: String) {
        #expect(rule.check(SourceFile(path: path, text)).isEmpty)
    }
}
