// Texts are equal only if their code points are, as keys and by themselves.

import SourceJSON
import Testing

struct ExactTextTests {
    @Test(arguments: [("é", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("a", "A"), ("", "\u{0}"), ("ab", "a")])
    func `different spellings are different texts`(one: String, other: String) {
        #expect(!one.isIdentical(to: other))
        #expect(ExactText(one) != ExactText(other))
        #expect(Set([ExactText(one), ExactText(other)]).count == 2)
        #expect(![one, "x"].containsExactly(other))
    }

    @Test(arguments: ["", "a", "é", "e\u{301}", "12345678", "123456789"])
    func `the same spelling is the same text`(text: String) {
        let again = String(decoding: Array(text.utf8), as: UTF8.self)
        #expect(again.isIdentical(to: text))
        #expect(Set([ExactText(text), ExactText(again)]).count == 1)
        #expect(["x", text].containsExactly(again))
    }
}
