// Values to text: the two forms, and reading what was written.

import SourceJSON
import Testing

struct SourceWriterTests {
    private static let value = SourceValue.object([
        ("b", .array([.integer(1), .bool(false), .null, .array([]), .object([])])), ("a", .string("x")),
        ("a", .object([("é/\"\\\n\u{1}\u{7F}\u{2028}", .integer(-7))])),
    ])

    @Test func `the canonical form has two spaces, the given order and a line feed at the end`() {
        #expect(
            String(decoding: SourceWriter.canonical(Self.value), as: UTF8.self) == """
                {
                  "b": [
                    1,
                    false,
                    null,
                    [],
                    {}
                  ],
                  "a": "x",
                  "a": {
                    "é/\\"\\\\\\n\\u0001\\u007f\\u2028": -7
                  }
                }

                """)
    }

    @Test func `the minified form has no white space`() {
        #expect(
            minified(Self.value)
                == "{\"b\":[1,false,null,[],{}],\"a\":\"x\",\"a\":{\"é/\\\"\\\\\\n\\u0001\\u007f\\u2028\":-7}}")
    }

    @Test(arguments: [
        "null", "[]", "{}", "\"\"", "[[],{}]", "{\"a\":{\"b\":[{}]}}", "-0", "1E+2", "0.10", "[\"\u{FEFF}\",\"é😀\"]",
        "123456789012345678901234567890",
    ])
    func `reads what it wrote`(text: String) throws {
        let value = try #require(read(text).value)
        #expect(minified(value) == text)
        let canonical = SourceWriter.canonical(value)
        let again = try #require(SourceReader.read(canonical, as: .json).value)
        #expect(SourceWriter.canonical(again) == canonical)
        #expect(minified(again) == text)
    }

    @Test(arguments: [
        ("", "\"\""), ("a/b", "\"a/b\""), ("\"\\\t", #""\"\\\t""#), ("\u{0}\u{8}\u{C}\r", #""\u0000\b\f\r""#),
        // DEL, C1, separators and marks of direction, and the characters next to them.
        ("~\u{7F}\u{80}\u{9F}\u{A0}", "\"~\\u007f\\u0080\\u009f\u{A0}\""), ("\u{9B}31m", #""\u009b31m""#),
        ("\u{2027}\u{2028}\u{2029}\u{202A}\u{202E}\u{202F}", "\"\u{2027}\\u2028\\u2029\\u202a\\u202e\u{202F}\""),
        (
            "\u{61B}\u{61C}\u{61D}\u{200D}\u{200E}\u{200F}\u{2010}",
            "\"\u{61B}\\u061c\u{61D}\u{200D}\\u200e\\u200f\u{2010}\""
        ),
        ("\u{2065}\u{2066}\u{2069}\u{206A}é“😀", "\"\u{2065}\\u2066\\u2069\u{206A}é“😀\""),
    ])
    func `quotes a string`(string: String, expected: String) {
        #expect(SourceWriter.quoted(string) == expected)
        var bytes: [UInt8] = [0x20]
        SourceWriter.append(quoted: string, to: &bytes)
        #expect(bytes == Array(" \(expected)".utf8))
    }
}
