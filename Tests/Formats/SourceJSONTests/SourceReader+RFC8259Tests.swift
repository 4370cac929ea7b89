// JSON against RFC 8259, section by section: what the grammar has, what it does not have, and what it leaves open.

import SourceJSON
import Testing

struct SourceReaderRFC8259Tests {
    // §2 grammar and §3 values.
    @Test(arguments: [
        "null", "true", "false", "0", "\"\"", "[]", "{}", " \t\r\n[ \t\r\n] \t\r\n", "[null,true,false]", "\"text\"",
        "-1",
        "[[]]", "[{}]", "{\"a\":[]}", "[ ]", "{ }", "\n1\n", "[1 ,2]", "{\"a\" :1}", "{\"a\": 1 ,\"b\":2}",
    ])
    func `accepts values with white space around the six structural characters`(text: String) {
        #expect(read(text).isAcceptable, "\(problems(text))")
        #expect(read(text, as: .json5).isAcceptable)
    }

    @Test(arguments: [
        "", "nul", "nulll", "truefalse", "True", "NULL", "n", "[1}", "{1]", "[", "]", "{", "}", "[[]", "[]]", "{}}",
        ",",
        ":", "[,]", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1:2]", "[\"a\":1]", "1 2", "[] []", "{}{}", "[]x", "[x]",
        "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{,\"a\":1}", "{\"a\":1,,\"b\":2}", "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{1:1}", "{null:1}", "{[]:1}", "{{}:1}", "{\"a\":1:2}", "{:1}", "{\"a\":\"b\":\"c\"}", "'a'", "{'a':1}",
        "[1;2]",
        "\u{FEFF}", "[\u{FEFF}]", "[\u{A0}]", "[\u{0C}]", "[\u{0B}]", "[\u{2028}]", "[\u{3000}]", "[\u{200B}]",
        "[\u{0}]",
        "[]\u{0}", "// a\n1", "1 // a", "/**/1", "1/**/", "# a\n1", "/", "[1/]", "<null>", "[<null>]", "*", "[*]",
        "undefined",
        "(1)", "[1]]", "[\"a\",\n4\n,1,", "{\"a\":[}", "[{]", "{}#", "{}/**/", "[\\n]", "[a", "[\"a\"", "[\"a\",", "[-",
        "{\"a\"",
        "{\"a\":", "{\"a\":1", "{\"a\":1,", "[true", "[nul", "[\"", "{\"",
    ])
    func `rejects what the grammar does not have`(text: String) {
        #expect(!read(text).isAcceptable)
    }

    // §6 numbers.
    @Test(arguments: [
        "0", "-0", "1", "-1", "10", "123456789", "0.0", "0.5", "-0.5", "1.25", "1e0", "1E0", "1e5", "1E5", "1e+5",
        "1e-5",
        "1E+05", "0e0", "0e+1", "0.1e1", "-1.5E-3", "1e999999", "-1e-999999", "100000000000000000000000000000000000000",
        "0.000000000000000000000000000000000000000000000000000000000000000001", "0E00", "1.0000", "[1,2]", "[ 1]",
        "[1 ]",
    ])
    func `accepts numbers of any size`(text: String) {
        #expect(read(text).isAcceptable, "\(problems(text))")
        #expect(read(text, as: .json5).isAcceptable)
    }

    @Test(arguments: [
        "+1", "-", "+", "--1", "-+1", "- 1", "00", "01", "-01", "-00", "0123", "1.", "-1.", ".5", "-.5", ".", "1..2",
        "1.2.3",
        "1e", "1e+", "1E-", "1ee2", "1e1.5", "1.e1", ".e1", "e1", "0x1", "0X1F", "-0x1", "1_000", "1,000", "1a", "1-",
        "1+2",
        "1 000", "Infinity", "-Infinity", "NaN", "-NaN", "inf", "1é", "１", "1\u{301}", "0b1", "0o7", "1f", "1L", "1n",
        "2/3",
        "0.", "0e", "1.0e", "[-a]", "[1a]", "[1.]", "[.1]", "[+1]", "[0x]", "[1e]", "[-]", "1\u{0}", "~1", "½",
    ])
    func `rejects what is not a number`(text: String) {
        #expect(!read(text).isAcceptable)
    }

    // §7 strings.
    @Test(arguments: [
        #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9\u00E9""#, #""\ud83d\ude00""#, #""\uDBFF\uDFFF""#, #""\uFFFF""#,
        "\"\u{7F}\"", "\"\u{80}\"", "\"é\"", "\"\u{2028}\u{2029}\"", "\"\u{FEFF}\"", "\"😀\"", "\"\u{10FFFF}\"",
        "\"//\"",
        "\"/* no */\"", "\"'\"", "\"“ ”\"", "\"{[,:]}\"", "{\"\":0}", "{\"a\\nb\":0}", "\"\u{A0}\"", "\"\u{FFFE}\"",
        "{\"a“b”:c\":1}", "[\"a”\",\"b\"]", "[\"a”:\", \"b\"]", "\"`\"", "[\"\",\"\"]", "\"\\\\\"", "\"\\\\\\\"\"",
    ])
    func `accepts strings`(text: String) {
        #expect(read(text).isAcceptable, "\(problems(text))")
        #expect(read(text, as: .json5).isAcceptable)
    }

    @Test(arguments: [
        "\"", "\"a", "a\"", "\"\\\"", "\"\\", #""\a""#, #""\'""#, #""\v""#, #""\0""#, #""\x41""#, #""\u""#, #""\u1""#,
        #""\u12""#, #""\u123""#, #""\u123g""#, #""\U0041""#, #""\uu0041""#, #""\u{41}""#, #""\ ""#, #""\1""#, #""\é""#,
        "\"\u{0}\"", "\"\t\"", "\"\n\"", "\"\r\"", "\"\u{1F}\"", "\"a\nb\"", "\"\\\n\"", "\"\\\u{0}\"", "“a”", "‘a’",
        "`a`",
        "\"a\"b\"", "\"\"\"", "[\"a\"\"b\"]", "[\"a\" \"b\"]", "\"a”", "«a»",
    ])
    func `rejects what is not a string`(text: String) {
        #expect(!read(text).isAcceptable)
    }

    // §4: names should be unique, and a reader may take them as they are. §8.1: a reader may ignore a byte order mark.
    // §8.2: the grammar allows half a surrogate pair. §9: depth and range are the reader's own.
    @Test(arguments: [
        ("{\"a\":1,\"a\":2}", ["duplicateKey@1:8"]), ("{\"a\":1,\"\\u0061\":2}", ["duplicateKey@1:8"]),
        ("\u{FEFF}{}", ["byteOrderMark@1:1"]), (#""\ud800""#, ["loneSurrogate@1:2"]),
        (#""\udc00""#, ["loneSurrogate@1:2"]), (#""\ud800\n""#, ["loneSurrogate@1:2"]),
        (#""\ud800\u0041""#, ["loneSurrogate@1:2"]), (#""\udc00\ud800""#, ["loneSurrogate@1:2", "loneSurrogate@1:8"]),
        (#""\ud800\ud83d\ude00""#, ["loneSurrogate@1:2"]), (#"{"\uDFAA":0}"#, ["loneSurrogate@1:3"]), ("1e400", []),
        ("{\"é\":1,\"e\u{301}\":2}", []),
    ])
    func `accepts what the RFC leaves open, with a warning where readers differ`(text: String, expected: [String]) {
        #expect(read(text).isAcceptable)
        #expect(problems(text) == expected)
    }

    // §8.1: text is UTF-8.
    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF0, 0x9F, 0x98, 0x22],
            [0x22, 0x80, 0x22], [0xE9], [0x5B, 0xFF, 0x5D], [0x5B, 0x5D, 0xFF],
            [0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22],
        ] as [[UInt8]])
    func `rejects bytes that are not UTF-8`(bytes: [UInt8]) {
        for dialect in SourceDialect.allCases {
            let document = SourceReader.read(bytes, as: dialect)
            #expect(!document.isAcceptable)
            #expect(document.problems.contains { $0.kind == .invalidEncoding })
        }
    }
}
