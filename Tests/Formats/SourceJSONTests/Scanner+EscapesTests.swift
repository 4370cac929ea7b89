// Escapes that JSON does not have: those of JavaScript, unknown ones, and incomplete ones.

import SourceJSON
import Testing

struct ScannerEscapesTests {
    @Test(arguments: [
        (#"["\x41"]"#, "javaScriptEscape@1:3", "A"), (#"["\v"]"#, "javaScriptEscape@1:3", "\u{B}"),
        (#"["\0"]"#, "javaScriptEscape@1:3", "\u{0}"), (#"["\'"]"#, "javaScriptEscape@1:3", "'"),
        ("[\"a\\\nb\"]", "lineContinuation@1:4", "ab"), (#"["\d"]"#, "unknownEscape@1:3", "d"),
        (#"["\*"]"#, "unknownEscape@1:3", "*"), (#"["\é"]"#, "unknownEscape@1:3", "é"),
        (#"["\1"]"#, "invalidEscape@1:3", "1"), (#"["\x4"]"#, "invalidEscape@1:3", "x4"),
        (#"["\u12"]"#, "invalidEscape@1:3", "\u{FFFD}"), (#"["\u"]"#, "invalidEscape@1:3", "\u{FFFD}"),
        (#"["\01"]"#, "invalidEscape@1:3", "01"), (#"["\uD83D"]"#, "loneSurrogate@1:3", "\u{FFFD}"),
    ])
    func `reports an escape that JSON does not have`(text: String, expected: String, content: String) {
        #expect(problems(text) == [expected])
        #expect(read(text).value?.asArray?.first?.asString == content)
    }

    @Test(arguments: [
        (#"\uD800\uDC00"#, "\u{10000}"), (#"\uD800\uDFFF"#, "\u{103FF}"), (#"\uDBFF\uDC00"#, "\u{10FC00}"),
        (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\uD7FF\uE000"#, "\u{D7FF}\u{E000}"),
    ])
    func `decodes surrogate pairs up to the limits of both ranges`(text: String, content: String) {
        #expect(problems("[\"\(text)\"]") == [])
        #expect(read("[\"\(text)\"]").value?.asArray?.first?.asString == content)
    }

    @Test func `reports a text that ends in an escape as truncated`() {
        #expect(problems("\"\\") == ["truncated@1:3"])
        #expect(problems("\"\\u12") == ["invalidEscape@1:2", "truncated@1:6"])
        #expect(problems("\"\\x", as: .json5) == ["invalidEscape@1:2", "truncated@1:4"])
    }
}
