// Numbers with nouns, texts in messages, and searches by bytes, which also find text before a combining mark.

import Testing

@testable import Association

struct TextTests {
    @Test(arguments: [
        ("a/b-1.json", "a/b-1.json"), ("", "''"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("$x", "'$x'"),
    ])
    func `a word of a shell is quoted if it needs to be`(text: String, word: String) {
        #expect(text.shellWord == word)
    }

    @Test(arguments: [("Rope & Anchor", "ropeanchor"), ("Müller 2", "muller2"), ("日本", "app"), ("", "app")])
    func `the name of a file has ASCII letters and digits`(name: String, stem: String) {
        #expect(name.fileStem == stem)
    }

    @Test func `writes the singular for one`() {
        #expect(Count.of(1, "host") == "1 host")
        #expect(Count.of(0, "host") == "0 hosts")
        #expect(Count.of(2, "fix", "fixes") == "2 fixes")
        #expect(Count.of(1, "fix", "fixes") == "1 fix")
    }

    @Test func `quotes plain text unchanged and shows invisible characters`() {
        #expect("a é 日".quoted == "`a é 日`")
        #expect("a\n\u{1B}[31m\u{200B}".quoted == "`a\\u{a}\\u{1b}[31m\\u{200b}`")
    }

    @Test func `cuts long text`() {
        #expect(String(repeating: "x", count: 60).quoted == "`" + String(repeating: "x", count: 60) + "`")
        #expect(String(repeating: "x", count: 61).quoted == "`" + String(repeating: "x", count: 60) + "…`")
    }

    @Test func `finds text before a combining mark`() {
        #expect("/\u{301}x".begins(with: "/"))
        #expect("a$(\u{301}".contains(run: "$("))
        #expect("a**\u{301}".contains(run: "**"))
        #expect("\u{600}/*".ends(with: "/*"))
    }

    @Test func `does not find another spelling`() {
        #expect(!"e\u{301}x".begins(with: "é"))
        #expect(!"xé".ends(with: "e\u{301}"))
        #expect(!"xéx".contains(run: "e\u{301}"))
        #expect(!"\u{212A}".contains(run: "K"))
    }

    @Test func `finds a run whose beginning is repeated in it`() {
        #expect("aab".contains(run: "ab"))
        #expect(!"aaa".contains(run: "ab"))
        #expect("".contains(run: "") && "a".begins(with: "") && !"".begins(with: "a") && !"a".ends(with: "ba"))
    }

    @Test func `removes bytes at either end`() {
        #expect("\u{600}/*".dropping(lastBytes: 2).unicodeScalars.elementsEqual(["\u{600}"]))
        #expect("NOT \u{301}/x".dropping(firstBytes: 4).unicodeScalars.elementsEqual(["\u{301}", "/", "x"]))
    }
}
