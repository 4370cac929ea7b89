// Untrusted text in messages: printable text is unchanged, and control characters are replaced.

import Testing

@testable import SourceJSON

struct PrintableTests {
    @Test(arguments: ["", "a/b c.json:1:2: error[APP-001]: …", "日本語 ñ 🏴", "tab\u{9}"])
    func `shows ordinary text unchanged`(text: String) {
        #expect(Printable.line(text) == text.replacing("\u{9}", with: " "))
    }

    @Test(arguments: [
        "\n", "\r", "\u{0}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{200B}", "\u{202E}", "\u{2028}", "\u{2029}",
        "\u{FEFF}",
        "\u{E0041}",
    ])
    func `replaces line breaks, invisible and control characters`(text: String) {
        #expect(Printable.line("a\(text)b") == "a\u{FFFD}b")
    }

    @Test func `replaces both characters of a CRLF`() { #expect(Printable.line("a\r\nb") == "a\u{FFFD}\u{FFFD}b") }

    @Test(arguments: [
        ("one\ntwo\n", "one\ntwo\n"), ("a\tb\r\n", "a b\u{FFFD}\n"),
        ("\u{1B}[31mred\u{1B}[0m", "\u{FFFD}[31mred\u{FFFD}[0m"),
        ("a\u{202E}b\u{2028}c", "a\u{FFFD}b\u{FFFD}c"),
    ])
    func `keeps line breaks between lines and replaces control characters`(text: String, shown: String) {
        #expect(Printable.lines(text) == shown)
    }

    @Test(arguments: [
        ("\u{1B}[31mred\u{1B}[0m\n", "\u{1B}[31mred\u{1B}[0m\n"), ("\u{1B}[2J", "\u{FFFD}[2J"), ("\u{1B}", "\u{FFFD}"),
        ("\u{1B}[", "\u{FFFD}["), ("\u{1B}]0;title\u{7}", "\u{FFFD}]0;title\u{FFFD}"),
        ("\u{1B}[1234m", "\u{FFFD}[1234m"),
        ("\u{1B}[3;1m", "\u{FFFD}[3;1m"),
    ])
    func `keeps styles on request, and no other escape sequence`(text: String, shown: String) {
        #expect(Printable.lines(text, keepingStyles: true) == shown)
    }
}
