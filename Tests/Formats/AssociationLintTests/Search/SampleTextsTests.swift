import Testing

@testable import Association
@testable import AssociationLint

struct SampleTextsTests {
    private func pattern(_ text: String, values: [String] = [], list: Int = 0) -> WrittenPattern {
        let table = SubstitutionTable([SubstitutionVariable(name: "v", values: values)])
        let glob = GlobPattern(ParsedPattern(text), folds: false, table: table)
        return WrittenPattern(pattern: ReadPattern(glob, .plain, .fragment), written: text, list: list)
    }

    private func distinguishing(_ patterns: [WrittenPattern]) -> (texts: [String], steps: Int) {
        var stepsLeft = 100_000
        let found = SampleTexts.distinguishing(patterns, in: .fragment, stepsLeft: &stepsLeft, AutomatonLimits())
        return (found.texts, 100_000 - stepsLeft)
    }

    @Test func `distinguishes patterns by short texts`() {
        #expect(distinguishing([pattern("x*"), pattern("*y")]).texts.count == 4)
        #expect(distinguishing([]).texts.isEmpty)
    }

    @Test func `a pattern of many rules takes no more steps than that of one rule`() {
        let once = distinguishing([pattern("*x")])
        let often = distinguishing(Array(repeating: pattern("*x"), count: 500))
        #expect(once.texts == often.texts)
        // A variable has the same values in all rules of one list.
        let variable = distinguishing([pattern("$(v)", values: ["a", "b"])])
        #expect(
            distinguishing(Array(repeating: pattern("$(v)", values: ["a", "b"]), count: 500)).steps == variable.steps)
        #expect(once.steps == often.steps)
        // Each of these patterns has its own automaton, up to a limit.
        let many = distinguishing((0..<500).map { pattern("x\($0)") })
        let fewer = distinguishing((0..<100).map { pattern("x\($0)") })
        #expect(many.steps == fewer.steps)
    }

    @Test func `variables with the same name may have different values in two lists`() {
        let texts = distinguishing([pattern("$(v)", values: ["a"]), pattern("$(v)", values: ["b"], list: 1)]).texts
        #expect(texts.contains("a") && texts.contains("b"))
    }
}
