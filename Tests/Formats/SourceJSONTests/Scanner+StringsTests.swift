// Mistakes in strings: other quotation marks, missing ones, and characters that must be escaped.

import SourceJSON
import Testing

struct ScannerStringsTests {
    @Test(arguments: ["{ name: 'Shop\n, hosts: [] }", "{ name: “Shop\n, hosts: [] }", "{ name: \"Shop\n, hosts: [] }"])
    func `the edit for a missing closing mark closes the string`(text: String) throws {
        let document = SourceReader.read(Array(text.utf8), as: .json5)
        let edit = try #require(document.problems.first { $0.kind == .unterminatedString }?.edit)
        let (start, end) = (edit.range.start.offset, edit.range.end.offset)
        let fixed = Array(document.text[..<start]) + Array(edit.replacement.utf8) + Array(document.text[end...])
        #expect(SourceReader.read(fixed, as: .json5).problems.isEmpty)
    }

    /// A text, its problems, and the value that is read.
    @Test(arguments: [
        ("{'a':'b'}", ["singleQuotes@1:2", "singleQuotes@1:6"], #"{"a":"b"}"#),
        ("{“a”:„b“}", ["smartQuotes@1:2", "smartQuotes@1:6"], #"{"a":"b"}"#),
        ("[‘a’,‚b‘,′c′]", ["smartQuotes@1:2", "smartQuotes@1:6", "smartQuotes@1:10"], #"["a","b","c"]"#),
        ("[“a\"]", ["smartQuotes@1:2"], #"["a"]"#), ("[`a`]", ["backtickQuotes@1:2"], #"["a"]"#),
        // One end straight, the other not.
        ("{\"id\": \"a.b”,\n \"p\": 1}", ["smartQuotes@1:12"], #"{"id":"a.b","p":1}"#),
        ("{\"id\": [\"a.b”]\n}", ["smartQuotes@1:13"], #"{"id":["a.b"]}"#),
        ("{\"a”: \"b\"}", ["smartQuotes@1:4"], #"{"a":"b"}"#),
        ("{\"a”: “b\"}", ["smartQuotes@1:4", "smartQuotes@1:7"], #"{"a":"b"}"#),
        ("{\"a”: [“b”]\n}", ["smartQuotes@1:4", "smartQuotes@1:8"], #"{"a":["b"]}"#),
        // An extra mark, or a missing one.
        ("{\"\"a\": 1}", ["doubledQuote@1:3"], #"{"a":1}"#), ("[\"\"/x/*\"]", ["doubledQuote@1:3"], #"["/x/*"]"#),
        ("[\"a\"\", 1]", ["doubledQuote@1:5"], #"["a",1]"#),
        ("{\"a\": \"b,\n \"c\": 1}", ["unterminatedString@1:7"], #"{"a":"b","c":1}"#),
        ("[\"a]\n", ["unterminatedString@1:2"], #"["a"]"#), ("['a\n]", ["unterminatedString@1:2"], #"["a"]"#),
        ("{\"a: [1]}", ["truncated@1:10"], "none"), ("{\"a\": \"say \"hi\" now\"}", ["unescapedQuote@1:13"], "none"),
        ("{\"a: [\"b\"]}", ["unescapedQuote@1:8"], "none"),
        ("['it's']", ["singleQuotes@1:2", "unescapedQuote@1:6"], "none"), ("\"a\"b", ["unescapedQuote@1:4"], "none"),
        // Line breaks and control characters.
        ("[\"a\nb\"]", ["lineBreakInString@1:4"], #"["a\nb"]"#),
        (
            "[\"a\r\nb\n\nc\"]", ["lineBreakInString@1:4", "lineBreakInString@2:2", "lineBreakInString@3:1"],
            #"["a\r\nb\n\nc"]"#
        ),
        ("[\"\t\u{1}\"]", ["controlCharacter@1:3", "controlCharacter@1:4"], #"["\t\u0001"]"#),
        // Without marks.
        ("{a:1,b_2:2,é:3}", ["unquotedKey@1:2", "unquotedKey@1:6", "unquotedKey@1:12"], #"{"a":1,"b_2":2,"é":3}"#),
        (
            "{a-b:1,1:2,a.b :3,/:4}", ["invalidKey@1:2", "invalidKey@1:8", "invalidKey@1:12", "invalidKey@1:19"],
            #"{"a-b":1,"1":2,"a.b":3,"/":4}"#
        ),
        ("{a\":1}", ["invalidKey@1:2"], #"{"a":1}"#),
        ("[A1.com.example, 9Z.b]", ["unquotedString@1:2", "unquotedString@1:18"], #"["A1.com.example","9Z.b"]"#),
        ("[https://a.b/c, 14:6D:E9]", ["unquotedString@1:2", "unquotedString@1:17"], #"["https://a.b/c","14:6D:E9"]"#),
        ("[*, /x/*]", ["unquotedString@1:2", "unquotedString@1:5"], #"["*","/x/*"]"#),
        ("[paths\"]", ["unquotedString@1:2"], #"["paths"]"#),
    ])
    func `reports what is wrong with a string and reads the intended one`(
        text: String, expected: [String], left: String
    ) {
        #expect(problems(text) == expected)
        #expect(value(text) == left)
    }

    @Test(arguments: [
        ("[“a”]", "“a”"), ("{\"a”: 1}", "”"), ("['é']", "'é'"), ("[\"\t\"]", "\t"), ("[\"a\r\nb\"]", "\r\n"),
        (#"["\x41"]"#, #"\x41"#), (#"["\u12"]"#, #"\u12"#), (#"["\ud800"]"#, #"\ud800"#), ("{ab:1}", "ab"),
        ("[0x1F]", "0x1F"),
        ("[1,]", ","), ("[\u{A0}\u{A0}1]", "\u{A0}\u{A0}"), ("[1/* é */]", "/* é */"), ("[1]//x\n", "//x"),
    ])
    func `the range covers only the mistake`(text: String, expected: String) throws {
        let document = read(text)
        let problem = try #require(document.problems.first)
        #expect(stretch(problem, of: document) == expected)
    }

    @Test func `decodes escapes`() {
        let text = #"["\"\\\/\b\f\n\r\t","\u00e9\u20AC\ud83d\ude00","a\u0000b","\ud800","\uDE00\ud83d"]"#
        #expect(
            read(text).value?.asArray?.map(\.asString)
                == ["\"\\/\u{8}\u{C}\n\r\t", "é€😀", "a\u{0}b", "\u{FFFD}", "\u{FFFD}\u{FFFD}"])
    }

    @Test func `reads a long string of escapes`() {
        let text = "\"" + String(repeating: #"a\n\u00e9é"#, count: 10_000) + "\""
        #expect(read(text).value?.asString == String(repeating: "a\néé", count: 10_000))
    }
}
