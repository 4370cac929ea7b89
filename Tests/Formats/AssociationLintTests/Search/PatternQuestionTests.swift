import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

struct PatternQuestionTests {
    private static let texts = everyText(over: ["a", "b", "c"], upTo: 6)

    private func read(_ pattern: String) -> (ReadPattern, GlobPattern) {
        let table = SubstitutionTable([SubstitutionVariable(name: "v", values: ["a", "b?", "*c"])])
        let glob = GlobPattern(ParsedPattern(pattern), folds: false, table: table)
        return (ReadPattern(glob, URLReading(decodes: false, folds: false), .fragment), glob)
    }

    @Test func `agrees with trying every short text`() {
        var generator = SplitMix(seed: 11)
        for _ in 0..<120 {
            let first = generator.text(of: ["a", "b", "*", "?", "$(v)"], upTo: 3)
            let second = generator.text(of: ["a", "b", "*", "?", "$(v)"], upTo: 4)
            let (inner, innerGlob) = read(first)
            let (outer, outerGlob) = read(second)
            var question = PatternQuestion(AutomatonLimits())
            let inside = Self.texts.filter { innerGlob.matches(Array($0.utf8)) }
            let included = inside.allSatisfy { outerGlob.matches(Array($0.utf8)) }
            #expect(question.isIncluded(inner, in: outer) == included, "\(first) in \(second)")
            let disjoint = !inside.contains { outerGlob.matches(Array($0.utf8)) }
            #expect(question.areDisjoint(inner, outer) == disjoint, "\(first) and \(second)")
            #expect(question.isEmpty(inner) == inside.isEmpty, "\(first)")
        }
    }

    @Test func `agrees with trying every short text on Android's patterns`() {
        var generator = SplitMix(seed: 12)
        let texts = everyText(over: ["a", "b", ".", "*"], upTo: 5)
        for _ in 0..<120 {
            let first = generator.text(of: ["a", "b", "*", "?"], upTo: 3)
            let second = generator.text(of: ["a", "b", "*", "?"], upTo: 4)
            let (inner, outer) = (AndroidGlob(first), AndroidGlob(second))
            var question = PatternQuestion(AutomatonLimits())
            let inside = texts.filter { inner.matches(Array($0.utf16)) }
            let included = inside.allSatisfy { outer.matches(Array($0.utf16)) }
            let answer = question.isIncluded(ReadPattern(inner, .fragment), in: ReadPattern(outer, .fragment))
            #expect(answer == included, "\(first) in \(second)")
        }
    }

    @Test func `knows which characters folding and decoding make equal`() {
        func pattern(_ text: String, folds: Bool, decodes: Bool) -> ReadPattern {
            let glob = GlobPattern(ParsedPattern(text), folds: folds, table: SubstitutionTable([]))
            return ReadPattern(glob, URLReading(decodes: decodes, folds: folds), .fragment)
        }
        var question = PatternQuestion(AutomatonLimits())
        let plain = pattern("k", folds: false, decodes: true)
        let folded = pattern("K", folds: true, decodes: true)
        #expect(question.isIncluded(plain, in: folded) == true)
        #expect(question.isIncluded(folded, in: plain) == false)
        #expect(question.isEmpty(pattern("a b", folds: false, decodes: false)) == true)
        #expect(question.isEmpty(pattern("a b", folds: false, decodes: true)) == false)
        #expect(question.isIncluded(plain, in: pattern("k", folds: false, decodes: false)) == nil)
    }

    @Test func `gives no answer past its limits`() {
        var limits = AutomatonLimits()
        limits.stepsMax = 10
        var question = PatternQuestion(limits)
        #expect(question.isIncluded(read("a*b*c").0, in: read("a*c").0) == nil)
        limits.patternStatesMax = 3
        question = PatternQuestion(limits)
        // No URL contains this text, which only a search can find out.
        #expect(question.isEmpty(read("abc def").0) == nil)
    }
}
