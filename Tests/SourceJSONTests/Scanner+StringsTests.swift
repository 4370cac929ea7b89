// Strings and what people do to them: marks of every kind, marks that are missing, and characters that must be escaped.

import SourceJSON
import Testing

struct ScannerStringsTests {
    @Test(arguments: ["{ name: 'Shop\n, hosts: [] }", "{ name: “Shop\n, hosts: [] }", "{ name: \"Shop\n, hosts: [] }"])
    func `closes a string so that it is closed`(text: String) throws {
        let document = SourceReader.read(Array(text.utf8), as: .json5)
        let edit = try #require(document.problems.first { $0.kind == .unterminatedString }?.edit)
        let (start, end) = (edit.range.start.offset, edit.range.end.offset)
        let mended = Array(document.text[..<start]) + Array(edit.replacement.utf8) + Array(document.text[end...])
        #expect(SourceReader.read(mended, as: .json5).problems.isEmpty)
    }

    /// A text, what is wrong with it, and the value that is left of it.
    @Test(arguments: [
        ("{'a':'b'}", ["single-quotes@1:2", "single-quotes@1:6"], #"{"a":"b"}"#),
        ("{“a”:„b“}", ["smart-quotes@1:2", "smart-quotes@1:6"], #"{"a":"b"}"#),
        ("[‘a’,‚b‘,′c′]", ["smart-quotes@1:2", "smart-quotes@1:6", "smart-quotes@1:10"], #"["a","b","c"]"#),
        ("[“a\"]", ["smart-quotes@1:2"], #"["a"]"#),
        ("[`a`]", ["backtick-quotes@1:2"], #"["a"]"#),
        // One end straight, the other not.
        ("{\"id\": \"a.b”,\n \"p\": 1}", ["smart-quotes@1:12"], #"{"id":"a.b","p":1}"#),
        ("{\"id\": [\"a.b”]\n}", ["smart-quotes@1:13"], #"{"id":["a.b"]}"#),
        ("{\"a”: \"b\"}", ["smart-quotes@1:4"], #"{"a":"b"}"#),
        ("{\"a”: “b\"}", ["smart-quotes@1:4", "smart-quotes@1:7"], #"{"a":"b"}"#),
        ("{\"a”: [“b”]\n}", ["smart-quotes@1:4", "smart-quotes@1:8"], #"{"a":["b"]}"#),
        // A mark too many, or one too few.
        ("{\"\"a\": 1}", ["doubled-quote@1:3"], #"{"a":1}"#),
        ("[\"\"/x/*\"]", ["doubled-quote@1:3"], #"["/x/*"]"#),
        ("[\"a\"\", 1]", ["doubled-quote@1:5"], #"["a",1]"#),
        ("{\"a\": \"b,\n \"c\": 1}", ["unterminated-string@1:7"], #"{"a":"b","c":1}"#),
        ("[\"a]\n", ["unterminated-string@1:2"], #"["a"]"#),
        ("['a\n]", ["unterminated-string@1:2"], #"["a"]"#),
        ("{\"a: [1]}", ["truncated@1:10"], "none"),
        ("{\"a\": \"say \"hi\" now\"}", ["unescaped-quote@1:13"], "none"),
        ("{\"a: [\"b\"]}", ["unescaped-quote@1:8"], "none"),
        ("['it's']", ["single-quotes@1:2", "unescaped-quote@1:6"], "none"),
        ("\"a\"b", ["unescaped-quote@1:4"], "none"),
        // Line breaks and control characters.
        ("[\"a\nb\"]", ["line-break-in-string@1:4"], #"["a\nb"]"#),
        (
            "[\"a\r\nb\n\nc\"]", ["line-break-in-string@1:4", "line-break-in-string@2:2", "line-break-in-string@3:1"],
            #"["a\r\nb\n\nc"]"#
        ),
        ("[\"\t\u{1}\"]", ["control-character@1:3", "control-character@1:4"], #"["\t\u0001"]"#),
        // Without marks.
        ("{a:1,b_2:2,é:3}", ["unquoted-key@1:2", "unquoted-key@1:6", "unquoted-key@1:12"], #"{"a":1,"b_2":2,"é":3}"#),
        (
            "{a-b:1,1:2,a.b :3,/:4}", ["invalid-key@1:2", "invalid-key@1:8", "invalid-key@1:12", "invalid-key@1:19"],
            #"{"a-b":1,"1":2,"a.b":3,"/":4}"#
        ),
        ("{a\":1}", ["invalid-key@1:2"], #"{"a":1}"#),
        ("[A1.com.example, 9Z.b]", ["unquoted-string@1:2", "unquoted-string@1:18"], #"["A1.com.example","9Z.b"]"#),
        (
            "[https://a.b/c, 14:6D:E9]", ["unquoted-string@1:2", "unquoted-string@1:17"],
            #"["https://a.b/c","14:6D:E9"]"#
        ),
        ("[*, /x/*]", ["unquoted-string@1:2", "unquoted-string@1:5"], #"["*","/x/*"]"#),
        ("[paths\"]", ["unquoted-string@1:2"], #"["paths"]"#),
    ])
    func `names what is wrong with a string and what it was meant to be`(text: String, expected: [String], left: String)
    {
        #expect(problems(text) == expected)
        #expect(value(text) == left)
    }

    @Test(arguments: [
        ("[“a”]", "“a”"), ("{\"a”: 1}", "”"), ("['é']", "'é'"), ("[\"\t\"]", "\t"), ("[\"a\r\nb\"]", "\r\n"),
        (#"["\x41"]"#, #"\x41"#), (#"["\u12"]"#, #"\u12"#), (#"["\ud800"]"#, #"\ud800"#), ("{ab:1}", "ab"),
        ("[0x1F]", "0x1F"),
        ("[1,]", ","), ("[\u{A0}\u{A0}1]", "\u{A0}\u{A0}"), ("[1/* é */]", "/* é */"), ("[1]//x\n", "//x"),
    ])
    func `its range is just what is wrong`(text: String, expected: String) throws {
        let document = read(text)
        let problem = try #require(document.problems.first)
        #expect(stretch(problem, of: document) == expected)
    }

    @Test func `decodes escapes into the characters they stand for`() {
        let text = #"["\"\\\/\b\f\n\r\t","\u00e9\u20AC\ud83d\ude00","a\u0000b","\ud800","\uDE00\ud83d"]"#
        #expect(
            read(text).value?.asArray?.map(\.asString)
                == ["\"\\/\u{8}\u{C}\n\r\t", "é€😀", "a\u{0}b", "\u{FFFD}", "\u{FFFD}\u{FFFD}"])
    }

    @Test func `a long string of escapes is read as it is`() {
        let text = "\"" + String(repeating: #"a\n\u00e9é"#, count: 10_000) + "\""
        #expect(read(text).value?.asString == String(repeating: "a\néé", count: 10_000))
    }
}
