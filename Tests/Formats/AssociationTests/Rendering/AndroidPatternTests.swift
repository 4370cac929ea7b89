import Testing

@testable import Association

@Suite struct AndroidPatternTests {
    @Test(arguments: [
        ("/a/*/b", ["/a/*/b", "/a/*/*/b", "/a/*/*/*/b", "/a/*/*/*/*/b"]), ("/a*", ["/a*"]), ("abc", ["abc"]),
        ("?*", ["?*"]), ("", [""]),
    ])
    func `repeats a star that is not at the end`(pattern: String, expected: [String]) {
        #expect(AndroidPattern.repeated(PatternToken.tokens(of: pattern)).map(\.text) == expected)
    }

    @Test func `repeats fewer times if there are many stars`() {
        let counts = (0...30).map { stars in
            AndroidPattern.repeated(PatternToken.tokens(of: String(repeating: "*a", count: stars))).count
        }
        #expect(Array(counts.prefix(6)) == [1, 4, 10, 20, 15, 6])
        #expect(counts.allSatisfy { $0 <= 20 })
        #expect(counts.last == 1)
    }

    /// Tries every text of a small alphabet.
    @Test(arguments: ["*ab", "a*b", "*a*b", "?*a", "a*a", "*aa", "a?*b*"])
    func `matches the same texts as Apple's star`(pattern: String) {
        let tokens = PatternVariants.canonical(PatternToken.tokens(of: pattern))
        let apple = GlobPattern(ParsedPattern(tokens: tokens), folds: false, table: SubstitutionTable([]))
        let android = AndroidPattern.repeated(tokens).map { AndroidGlob($0.text) }
        for number in 2..<256 {
            // The binary digits after the first one: every text of up to seven letters.
            let text = String(String(number, radix: 2).dropFirst().map { $0 == "0" ? "a" : "b" } as [Character])
            let units = Array(text.utf16)
            let isMatch = android.contains { $0.matches(units) }
            let isApples = apple.matches(Array(text.utf8))
            // The translation provides for three repetitions.
            if isMatch { #expect(isApples, "\(pattern) \(text)") }
            let most = Set(text).map { letter in text.count(where: { $0 == letter }) }.max() ?? 0
            if isApples, most <= 3 { #expect(isMatch, "\(pattern) \(text)") }
        }
    }
}
