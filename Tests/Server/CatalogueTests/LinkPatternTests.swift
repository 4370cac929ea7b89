// Patterns over the bytes of a request.

import Testing

@testable import Catalogue

struct LinkPatternTests {
    private func matches(_ pattern: String, _ text: String, foldsCase: Bool = false, steps: Int = 1 << 16) -> Bool {
        var steps = steps
        return Array(pattern.utf8).withUnsafeBytes { pattern in
            Array(text.utf8).withUnsafeBytes { LinkPattern.matches(pattern, $0, foldsCase: foldsCase, steps: &steps) }
        }
    }

    @Test(arguments: [
        ("", "", true), ("", "a", false), ("a", "", false), ("*", "", true), ("*", "a/b", true), ("?", "", false),
        ("?", "a", true), ("?", "ab", false), ("?*", "", false), ("?*", "abc", true), ("*?", "a", true),
        ("/buy/*", "/buy/", true), ("/buy/*", "/buy", false), ("/a/*/c/", "/a/x/y/c/", true),
        ("*abc", "ababc", true), ("*abc", "abcd", false), ("a*b*c", "a1b2b3c", true), ("a*b*c", "a1b2b3", false),
        ("*a*a*b", "aaab", true), ("**", "x", true), ("a**", "a", true), ("*x", "", false),
        ("\u{1}", "x", true), ("\u{1}", "1", false), ("\u{2}", "x", false), ("\u{2}", "X", true), ("\u{3}", "x", true),
        ("\u{3}", "X", false), ("\u{4}\u{4}", "a1", true), ("\u{4}", "-", false), ("\u{5}", "7", true),
        ("\u{5}", "a", false), ("\u{6}\u{6}\u{6}", "aF9", true), ("\u{6}", "g", false), ("\u{7}", "a", false),
    ])
    func `a star matches any run, a question mark or class one byte`(pattern: String, text: String, expected: Bool) {
        #expect(matches(pattern, text) == expected)
    }

    @Test func `compares letters in lower case when case is ignored`() {
        #expect(matches("/foo", "/FoO", foldsCase: true))
        #expect(!matches("/foo", "/FoO"))
        #expect(!matches("/FOO", "/foo", foldsCase: true), "the pattern is in lower case already")
        #expect(matches("\u{2}", "x", foldsCase: true))
    }

    @Test func `a hostile text costs at most the budget`() {
        let pattern = "*" + String(repeating: "a", count: 200) + "b"
        let text = String(repeating: "a", count: 8_000)
        #expect(!matches(pattern, text))
        #expect(matches("*b", String(repeating: "a", count: 100) + "b"))
        #expect(!matches("*b", String(repeating: "a", count: 100) + "b", steps: 100))
    }

    @Test func `classes have the same bytes for rules and for readers`() {
        #expect(LinkPattern.CharacterClass.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    }
}
