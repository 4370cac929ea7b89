import TestSupport
import Testing

@testable import Association

struct GlobPatternTests {
    private func compile(_ pattern: String, _ variables: [SubstitutionVariable] = []) -> GlobPattern {
        GlobPattern(ParsedPattern(pattern), folds: false, table: SubstitutionTable(variables))
    }

    @Test func `many short pieces need little memory`() {
        let text = String(repeating: "*a?", count: 5_000)
        let elements = GlobPattern.elements(of: ParsedPattern(text), folds: false, table: nil)
        #expect(elements.count == 15_000)
        for element in elements { if case .literal(let bytes) = element { #expect(bytes.capacity < 64) } }
    }

    @Test func `agrees with the slow matcher on random patterns`() {
        var generator = SplitMix(seed: 1)
        for _ in 0..<4_000 {
            let pattern = generator.text(of: ["a", "b", "*", "?", "é", "*", "/"], upTo: 7)
            let text = generator.text(of: ["a", "b", "é", "/", "😀"], upTo: 8)
            let expected = PatternOracle.matches(pattern, text)
            #expect(compile(pattern).matches(Array(text.utf8)) == expected, "\(pattern) \(text)")
        }
    }

    @Test func `agrees with the slow matcher on random variables`() {
        var generator = SplitMix(seed: 2)
        for _ in 0..<3_000 {
            let values = (0..<3).map { _ in generator.text(of: ["a", "b", "*", "?", "é"], upTo: 3) }
            let pattern = generator.text(of: ["a", "b", "*", "?", "$(v)", "$(v)"], upTo: 5)
            let text = generator.text(of: ["a", "b", "é"], upTo: 8)
            let expected = PatternOracle.matches(pattern, text, ["v": values])
            let compiled = compile(pattern, [SubstitutionVariable(name: "v", values: values)])
            #expect(compiled.matches(Array(text.utf8)) == expected, "\(pattern) \(values) \(text)")
        }
    }

    @Test func `agrees with the search by positions, which large sizes use`() {
        var generator = SplitMix(seed: 3)
        for _ in 0..<2_000 {
            let pattern = generator.text(of: ["a", "b", "*", "?", "é", "*"], upTo: 8)
            let text = generator.text(of: ["a", "b", "é", "😀", "aab"], upTo: 60)
            let compiled = compile(pattern)
            let bytes = Array(text.utf8)
            #expect(PositionSearch.test(compiled.elements, in: bytes) == compiled.matches(bytes), "\(pattern) \(text)")
        }
    }

    // A word of a set has 64 positions.
    @Test func `agrees with the slow matcher on texts of many words`() {
        var generator = SplitMix(seed: 5)
        var matches = 0
        for _ in 0..<150 {
            let values = (0..<3).map { _ in generator.text(of: ["a", "b", "aab", "*", "?", "é"], upTo: 4) }
            let pattern = generator.text(of: ["a", "b", "ab", "ba", "*", "?", "$(v)", "b*", "é", "c*"], upTo: 12) + "*"
            let text = Array(
                generator.text(of: [String(repeating: "a", count: 300), "b", "aab", "é", "c", "ab"], upTo: 14)
                    .unicodeScalars)
            let compiled = compile(pattern, [SubstitutionVariable(name: "v", values: values)])
            let bytes = Array(String(String.UnicodeScalarView(text)).utf8)
            let expected = PatternOracle.ends(of: ParsedPattern(pattern), in: text, from: [0], ["v": values]).contains(
                text.count)
            if expected { matches += 1 }
            #expect(PositionSearch.test(compiled.elements, in: bytes) == expected, "\(pattern) \(values)")
        }
        #expect(matches > 20)
    }

    @Test func `finds a query item among many by its name`() throws {
        let query = (0..<300).map { "n\($0 % 150)=\($0)" }.joined(separator: "&")
        let url = try #require(LinkURL("https://example.com/x?" + query))
        func decision(_ name: String, _ pattern: String) -> AppleDecision {
            let items = [QueryItemPattern(name: name, pattern: pattern)]
            return AppleMatcher(components: [AppleComponent(query: .items(items))]).decide(url)
        }
        #expect(decision("n7", "*7") == .match(rule: 0))
        #expect(decision("n7", "7") == .none)
        #expect(decision("n7", "157") == .none)
        #expect(decision("n150", "?*") == .none)
        #expect(decision("n150", "") == .match(rule: 0))
    }

    // About 50 ms at full size when optimised; an unoptimised build has a smaller size and the same generous limit.
    #if DEBUG
        private static let scale = 8
    #else
        private static let scale = 1
    #endif

    @Test(arguments: [
        String(repeating: "*a", count: 2_048 / scale), String(repeating: "*a", count: 2_047 / scale) + "*b",
        "*" + String(repeating: "a?", count: 2_047 / scale) + "b*",
        "*" + String(repeating: "a", count: 4_000 / scale) + "b*",
        String(repeating: "*$(alpha)", count: 455 / scale), String(repeating: "*$(lang)", count: 500 / scale),
    ])
    func `answers hostile patterns in time`(pattern: String) throws {
        let url = try #require(LinkURL("https://example.com/" + String(repeating: "a", count: 65_536 / Self.scale)))
        let matcher = AppleMatcher(components: [AppleComponent(path: pattern)])
        var decision = AppleDecision.none
        let time = processorTime { decision = matcher.decide(url) }
        #expect(time < .seconds(2))
        // A pattern that needs more steps than the limit does not match.
        let gaveUp = matcher.unsettled(url).map(\.kind) == [.tooManySteps]
        #expect(decision == (pattern.contains("b") || gaveUp ? .none : .match(rule: 0)))
        #expect(!gaveUp || pattern.contains("lang"))
    }

    @Test func `reports that it needs too many steps`() {
        let values = (0..<40).map { "*a*" + String(repeating: "a", count: $0) }
        let pattern = compile(
            String(repeating: "$(v)", count: 40) + "b", [SubstitutionVariable(name: "v", values: values)])
        let text = Array(String(repeating: "a", count: 2_000).utf8)
        #expect(PositionSearch.test(pattern.elements, in: text, stepsMax: 10_000) == nil)
        #expect(PositionSearch.test(pattern.elements, in: Array("ab".utf8), stepsMax: 100) == nil)
        #expect(PositionSearch.test(compile("*b").elements, in: text, stepsMax: 10_000) == false)
    }

    @Test func `never traps on random bytes`() {
        var generator = SplitMix(seed: 4)
        let pieces = [
            "$(", ")", "$(v)", "$", "*", "?", "%", "%2", "%C3", "%FF", "é", "/", "&", "=", ";", "#", "\\", "NOT ", "a",
        ]
        for _ in 0..<2_000 {
            let patterns = (0..<4).map { _ in generator.text(of: pieces, upTo: 6) }
            let items = [QueryItemPattern(name: patterns[0], pattern: patterns[1])]
            let component = AppleComponent(
                path: patterns[2], query: Bool.random(using: &generator) ? .items(items) : .whole(patterns[0]),
                fragment: patterns[3], caseSensitive: Bool.random(using: &generator),
                percentEncoded: Bool.random(using: &generator))
            let variables = [SubstitutionVariable(name: "v", values: patterns)]
            let apple = AppleMatcher(components: [component], variables: variables)
            let legacy = AppleMatcher(paths: patterns, defaults: [component], variables: variables)
            let android = AndroidMatcher(rules: [AndroidRule(path: patterns[2], query: items, fragment: patterns[3])])
            guard let url = LinkURL("https://h/" + generator.text(of: pieces, upTo: 8)) else { continue }
            #expect(apple.explain(url).last?.outcome == (apple.decide(url).opens ? .opens : .staysInBrowser))
            #expect(!legacy.explain(url).isEmpty)
            #expect(!android.explain(url).isEmpty)
            _ = (apple.unsettled(url), legacy.unsettled(url), android.unsettled(url))
        }
    }
}
