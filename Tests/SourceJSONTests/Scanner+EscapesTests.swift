// Escapes that JSON does not have: those of JavaScript, those of nobody, and those that are cut short.

import SourceJSON
import Testing

struct ScannerEscapesTests {
    @Test(arguments: [
        (#"["\x41"]"#, "javascript-escape@1:3", "A"), (#"["\v"]"#, "javascript-escape@1:3", "\u{B}"),
        (#"["\0"]"#, "javascript-escape@1:3", "\u{0}"), (#"["\'"]"#, "javascript-escape@1:3", "'"),
        ("[\"a\\\nb\"]", "line-continuation@1:4", "ab"), (#"["\d"]"#, "unknown-escape@1:3", "d"),
        (#"["\*"]"#, "unknown-escape@1:3", "*"), (#"["\é"]"#, "unknown-escape@1:3", "é"),
        (#"["\1"]"#, "invalid-escape@1:3", "1"), (#"["\x4"]"#, "invalid-escape@1:3", "x4"),
        (#"["\u12"]"#, "invalid-escape@1:3", "\u{FFFD}"), (#"["\u"]"#, "invalid-escape@1:3", "\u{FFFD}"),
        (#"["\01"]"#, "invalid-escape@1:3", "01"), (#"["\uD83D"]"#, "lone-surrogate@1:3", "\u{FFFD}"),
    ])
    func `names an escape that is none of JSON`(text: String, expected: String, content: String) {
        #expect(problems(text) == [expected])
        #expect(read(text).value?.asArray?.first?.asString == content)
    }

    @Test(arguments: [
        (#"\uD800\uDC00"#, "\u{10000}"), (#"\uD800\uDFFF"#, "\u{103FF}"), (#"\uDBFF\uDC00"#, "\u{10FC00}"),
        (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\uD7FF\uE000"#, "\u{D7FF}\u{E000}"),
    ])
    func `two surrogates make one character, from the first to the last of both`(text: String, content: String) {
        #expect(problems("[\"\(text)\"]") == [])
        #expect(read("[\"\(text)\"]").value?.asArray?.first?.asString == content)
    }

    @Test func `an escape that the text ends in is a truncation`() {
        #expect(problems("\"\\") == ["truncated@1:3"])
        #expect(problems("\"\\u12") == ["invalid-escape@1:2", "truncated@1:6"])
        #expect(problems("\"\\x", as: .json5) == ["invalid-escape@1:2", "truncated@1:4"])
    }
}
