import Testing

@testable import Serving

struct ConsoleAnswersTests {
    @Test(arguments: [0, 1, 5, 30, 100])
    func `the first names are those of the sorted list, once each`(count: Int) {
        let names = (0..<50).map { "n\(($0 * 37) % 50)" }
        let twice = names + names.reversed()
        #expect(ServerAnswers.first(count, of: twice) == Array(names.sorted().prefix(count)))
    }

    @Test(
        arguments: [
            ("", "a", false), ("a", "a", true), ("aab", "ab", true), ("ab", "abc", false), ("xabcabd", "abd", true),
            ("abab", "bb", false),
        ])
    func `a text is found where it is`(bytes: String, wanted: String, isFound: Bool) {
        #expect(ServerAnswers.contains(Array(bytes.utf8).span, Array(wanted.utf8).span) == isFound)
    }
}
