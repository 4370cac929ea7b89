import Testing

@testable import Association
@testable import AssociationLint

struct SampleTextsTests {
    private func pattern(_ text: String, values: [String] = [], list: Int = 0) -> WrittenPattern {
        let table = SubstitutionTable([SubstitutionVariable(name: "v", values: values)])
        let glob = GlobPattern(ParsedPattern(text), folds: false, table: table)
        return WrittenPattern(pattern: ReadPattern(glob, .plain, .fragment), written: text, list: list)
    }

    private func telling(_ patterns: [WrittenPattern]) -> (texts: [String], steps: Int) {
        var stepsLeft = 100_000
        let texts = SampleTexts.telling(patterns, apart: .fragment, stepsLeft: &stepsLeft, AutomatonLimits())
        return (texts, 100_000 - stepsLeft)
    }

    @Test func `tells patterns apart by short texts`() {
        #expect(telling([pattern("x*"), pattern("*y")]).texts.count == 4)
        #expect(telling([]).texts.isEmpty)
    }

    @Test func `a pattern of many rules takes no more than that of one`() {
        let once = telling([pattern("*x")])
        let often = telling(Array(repeating: pattern("*x"), count: 500))
        #expect(once.texts == often.texts)
        // A variable means the same to all rules of one list.
        let variable = telling([pattern("$(v)", values: ["a", "b"])])
        #expect(telling(Array(repeating: pattern("$(v)", values: ["a", "b"]), count: 500)).steps == variable.steps)
        #expect(once.steps == often.steps)
        // Each of these is an automaton of its own, up to a limit.
        let many = telling((0..<500).map { pattern("x\($0)") })
        let fewer = telling((0..<100).map { pattern("x\($0)") })
        #expect(many.steps == fewer.steps)
    }

    @Test func `variables of one name may have other values in another list`() {
        let texts = telling([pattern("$(v)", values: ["a"]), pattern("$(v)", values: ["b"], list: 1)]).texts
        #expect(texts.contains("a") && texts.contains("b"))
    }
}
