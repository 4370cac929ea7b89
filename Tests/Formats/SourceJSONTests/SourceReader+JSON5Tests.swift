// JSON5 against its specification 1.0.0, section by section. What only JSON5 permits is rejected as JSON.

import SourceJSON
import Testing

struct SourceReaderJSON5Tests {
    @Test(arguments: [
        // §3 objects.
        ("{a:1}", #"{"a":1}"#), ("{$:1,_:2,a1:3}", #"{"$":1,"_":2,"a1":3}"#), ("{été:1}", #"{"été":1}"#),
        (#"{\u0061b:1}"#, #"{"ab":1}"#), (#"{a\u0062:1}"#, #"{"ab":1}"#), ("{null:1,true:2}", #"{"null":1,"true":2}"#),
        ("{a\u{200C}b:1}", "{\"a\u{200C}b\":1}"), ("{ünïcode:1}", #"{"ünïcode":1}"#),
        ("{Infinity:1}", #"{"Infinity":1}"#),
        ("{'a':1}", #"{"a":1}"#), ("{a:1,}", #"{"a":1}"#), ("{a:1,/**/}", #"{"a":1}"#), ("{ⅷ:1}", #"{"ⅷ":1}"#),
        // §4 arrays.
        ("[1,]", "[1]"), ("[1 , ]", "[1]"), ("[[],]", "[[]]"),
        // §5 strings.
        ("'a'", #""a""#), (#"'"'"#, #""\"""#), (#""'""#, #""'""#), (#"'\''"#, #""'""#),
        (#"'\x41\v\0'"#, #""A\u000b\u0000""#), ("'a\\\nb'", #""ab""#), ("'a\\\r\nb'", #""ab""#), ("'a\\\rb'", #""ab""#),
        ("'a\\\u{2028}b'", #""ab""#), (#"'\q\.\*'"#, #""q.*""#), ("'\u{2028}\u{2029}'", #""\u2028\u2029""#),
        ("\"\t\"", #""\t""#), (#"'\é'"#, #""é""#), ("\"\\'\"", #""'""#), ("'\u{1}'", #""\u0001""#),
        (#"'\xe9'"#, #""é""#),
        // §6 numbers.
        ("+1", "1"), (".5", "0.5"), ("5.", "5"), ("-.5", "-0.5"), ("+.5e1", "0.5e1"), ("5.e3", "5e3"), ("0x1F", "31"),
        ("-0XaB", "-171"), ("+0x0", "0"), ("0xffffffffffffffff", "18446744073709551615"), ("Infinity", "null"),
        ("-Infinity", "null"), ("+Infinity", "null"), ("NaN", "null"), ("-NaN", "null"), ("[-0]", "[-0]"),
        // §7 comments.
        ("// a\n1", "1"), ("1 // a", "1"), ("1//", "1"), ("/* a\n * b */1", "1"), ("/***/1", "1"), ("1/**/", "1"),
        ("[/*,*/1//]\n]", "[1]"), ("// a\u{2028}1", "1"), ("// a\r1", "1"), ("{/**/a/**/:/**/1/**/}", #"{"a":1}"#),
        (".5//a", "0.5"), ("+1/**/", "1"), ("true//", "true"), ("'a'//", #""a""#), ("/*//*/1", "1"), ("//*/\n1", "1"),
        // §8 white space.
        ("\u{B}\u{C}\u{A0}\u{FEFF}\u{2028}\u{2029}\u{3000}\u{1680}\u{2003}\u{202F}\u{205F}1", "1"), ("1\u{A0}", "1"),
        ("[1\u{A0},\u{3000}2]", "[1,2]"), ("{a\u{A0}:1}", #"{"a":1}"#), (".5\u{A0}", "0.5"), ("\u{FEFF}[]", "[]"),
    ])
    func `accepts as JSON5 what JSON rejects`(text: String, expected: String) {
        #expect(problems(text, as: .json5).isEmpty)
        #expect(value(text, as: .json5) == expected)
        if text != "[-0]" && !text.contains("'\"") && text != "\"'\"" && text != "\u{FEFF}[]" {
            #expect(!read(text).isAcceptable)
        }
    }

    @Test(arguments: [
        "{a-b:1}", "{1a:1}", "{-a:1}", "{a b:1}", "{:1}", "{a}", "{,}", "[,]", "[1,,]", "[,1]", "{a:1,,}",
        #"{\u0031:1}"#,
        #"{a\u0020:1}"#, #"{\x61:1}"#, "{a\u{200B}:1}", "{“a”:1}", "{\u{301}a:1}", "'a", "'a\n'", "\"a\nb\"", "`a`",
        #"'\1'"#,
        #"'\01'"#,
        #"'\x4'"#, #"'\u12'"#, "'a'b'", "0x", "0xg", "01", "-01", "+-1", "++1", ".", "+", "-", "1e", ".e1", "0x1.8",
        "1_0",
        "infinity", "nan", "Nan", "+ 1", "- Infinity", "/", "/*", "/* /", "1 /* *", "# a\n1", "\u{200B}1", "1 2",
        "{}{}",
        "undefined", "True", "{a:1 b:2}", "[1 2]", "{a=1}", "{a:1;b:2}", "tru", "[1", "{a:", "{a", "\u{180E}1",
        "<!-- -->1",
    ])
    func `rejects what JSON5 does not have`(text: String) {
        #expect(!read(text, as: .json5).isAcceptable)
        #expect(!read(text).isAcceptable)
    }

    @Test func `warnings are the same as for JSON, except the byte order mark`() {
        #expect(problems("{a:1,'a':2}", as: .json5) == ["duplicateKey@1:6"])
        #expect(problems(#"'\ud800'"#, as: .json5) == ["loneSurrogate@1:2"])
        #expect(problems("\u{FEFF}1", as: .json5).isEmpty)
    }
}
