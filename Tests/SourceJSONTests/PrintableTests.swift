// Strangers' text in lines of ours: what may be shown stays as it is, and nothing acts.

import Testing

@testable import SourceJSON

struct PrintableTests {
    @Test(arguments: ["", "a/b c.json:1:2: error[APP-001]: …", "日本語 ñ 🏴", "tab\u{9}"])
    func `ordinary text is shown as it is`(text: String) {
        #expect(Printable.line(text) == text.replacing("\u{9}", with: " "))
    }

    @Test(arguments: [
        "\n", "\r", "\u{0}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{200B}", "\u{202E}", "\u{2028}", "\u{2029}",
        "\u{FEFF}",
        "\u{E0041}",
    ])
    func `what ends a line, hides or acts on a terminal is replaced`(text: String) {
        #expect(Printable.line("a\(text)b") == "a\u{FFFD}b")
    }

    @Test func `a line end of two characters is two of them`() {
        #expect(Printable.line("a\r\nb") == "a\u{FFFD}\u{FFFD}b")
    }

    @Test(arguments: [
        ("one\ntwo\n", "one\ntwo\n"), ("a\tb\r\n", "a b\u{FFFD}\n"),
        ("\u{1B}[31mred\u{1B}[0m", "\u{FFFD}[31mred\u{FFFD}[0m"),
        ("a\u{202E}b\u{2028}c", "a\u{FFFD}b\u{FFFD}c"),
    ])
    func `lines keep their ends and lose what acts`(text: String, shown: String) {
        #expect(Printable.lines(text) == shown)
    }

    @Test(arguments: [
        ("\u{1B}[31mred\u{1B}[0m\n", "\u{1B}[31mred\u{1B}[0m\n"), ("\u{1B}[2J", "\u{FFFD}[2J"), ("\u{1B}", "\u{FFFD}"),
        ("\u{1B}[", "\u{FFFD}["), ("\u{1B}]0;title\u{7}", "\u{FFFD}]0;title\u{FFFD}"),
        ("\u{1B}[1234m", "\u{FFFD}[1234m"),
        ("\u{1B}[3;1m", "\u{FFFD}[3;1m"),
    ])
    func `styles stay where they are wanted, and nothing else does`(text: String, shown: String) {
        #expect(Printable.lines(text, keepingStyles: true) == shown)
    }
}
