// Numbers and what they count, texts in messages, and searches by bytes, from which a combining mark hides nothing.

import Testing

@testable import Association

struct TextTests {
    @Test func `one of a thing has no plural`() {
        #expect(Count.of(1, "host") == "1 host")
        #expect(Count.of(0, "host") == "0 hosts")
        #expect(Count.of(2, "fix", "fixes") == "2 fixes")
        #expect(Count.of(1, "fix", "fixes") == "1 fix")
    }

    @Test func `keeps plain text and shows what cannot be seen`() {
        #expect("a é 日".quoted == "`a é 日`")
        #expect("a\n\u{1B}[31m\u{200B}".quoted == "`a\\u{a}\\u{1b}[31m\\u{200b}`")
    }

    @Test func `cuts long text`() {
        #expect(String(repeating: "x", count: 60).quoted == "`" + String(repeating: "x", count: 60) + "`")
        #expect(String(repeating: "x", count: 61).quoted == "`" + String(repeating: "x", count: 60) + "…`")
    }

    @Test func `finds what a combining mark follows`() {
        #expect("/\u{301}x".begins(with: "/"))
        #expect("a$(\u{301}".contains(run: "$("))
        #expect("a**\u{301}".contains(run: "**"))
        #expect("\u{600}/*".ends(with: "/*"))
    }

    @Test func `finds no other spelling`() {
        #expect(!"e\u{301}x".begins(with: "é"))
        #expect(!"xé".ends(with: "e\u{301}"))
        #expect(!"xéx".contains(run: "e\u{301}"))
        #expect(!"\u{212A}".contains(run: "K"))
    }

    @Test func `finds a run that begins again within itself`() {
        #expect("aab".contains(run: "ab"))
        #expect(!"aaa".contains(run: "ab"))
        #expect("".contains(run: "") && "a".begins(with: "") && !"".begins(with: "a") && !"a".ends(with: "ba"))
    }

    @Test func `drops bytes at either end`() {
        #expect("\u{600}/*".dropping(lastBytes: 2).unicodeScalars.elementsEqual(["\u{600}"]))
        #expect("NOT \u{301}/x".dropping(firstBytes: 4).unicodeScalars.elementsEqual(["\u{301}", "/", "x"]))
    }
}
