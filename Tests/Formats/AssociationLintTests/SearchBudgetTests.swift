// Each limit on both sides.

import Testing

@testable import Association
@testable import AssociationLint

@Suite struct SearchBudgetTests {
    @Test func `accepts two hundred rules`() {
        var budget = SearchBudget()
        #expect(budget.take(Array(repeating: ["/a"], count: 200)) == 200)
        #expect(budget.take(Array(repeating: ["/a"], count: 201)) == 200)
    }

    @Test func `stops before a pattern that is too long`() {
        var budget = SearchBudget()
        let long = String(repeating: "a", count: 512)
        #expect(budget.take([["/a"], [long], ["/b"]]) == 3)
        #expect(budget.take([["/a"], [long + "a"], ["/b"]]) == 1)
    }

    @Test func `counts the bytes of a list and of a file`() {
        var budget = SearchBudget()
        let full = Array(repeating: [String(repeating: "a", count: 512)], count: 17)
        // 8,192 bytes for a list, and 40,960 for the file, where each rule counts 24 bytes more.
        #expect((0..<6).map { _ in budget.take(full) } == [16, 16, 16, 16, 13, 0])
    }

    @Test func `counts all values of a variable wherever it is used`() {
        let large = SubstitutionVariable(name: "large", values: (0..<1_000).map { "value\($0)" })
        let small = SubstitutionVariable(name: "small", values: ["a", "b"])
        let rules = [["/$(small)/a"], ["/b"], ["/$(large)"], ["/c"]]
        var budget = SearchBudget()
        #expect(budget.take(rules) == 4)
        #expect(budget.take(rules, table: SubstitutionTable([small])) == 4)
        #expect(budget.take(rules, table: SubstitutionTable([small, large])) == 2)
        #expect(budget.take([["$(large)"]], table: SubstitutionTable([large])) == 0, "at the start of a pattern too")
    }

    @Test func `counts every pattern of a rule`() {
        let query = AppleQuery.items([QueryItemPattern(name: "n", pattern: "v")])
        #expect(AppleComponent(path: "/p", query: query, fragment: "f").patternTexts == ["/p", "f", "n", "v"])
        #expect(AppleComponent(query: .whole("w")).patternTexts == ["w"])
        #expect(AndroidRule(path: "/p", fragment: "f").patternTexts == ["/p", "f"])
    }
}
