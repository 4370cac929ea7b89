// Numbers that are none of JSON, by name. What is one is in `SourceReader+RFC8259Tests`.

import SourceJSON
import Testing

struct ScannerNumbersTests {
    @Test(arguments: [
        ("[+1]", ["plus-sign@1:2"], "[1]"), ("[.5]", ["bare-decimal-point@1:2"], "[0.5]"),
        ("[5.]", ["bare-decimal-point@1:2"], "[5]"), ("[0x1F]", ["hexadecimal-number@1:2"], "[31]"),
        ("[+0x1F]", ["plus-sign@1:2", "hexadecimal-number@1:2"], "[31]"), ("[007]", ["leading-zero@1:2"], "[7]"),
        ("[-01.5]", ["leading-zero@1:2"], "[-1.5]"), ("[Infinity]", ["infinity-or-nan@1:2"], "[null]"),
        ("[-Infinity]", ["infinity-or-nan@1:2"], "[null]"), ("[NaN]", ["infinity-or-nan@1:2"], "[null]"),
        ("[1e]", ["malformed-number@1:2"], "[1]"), ("[1.2.3]", ["malformed-number@1:2"], #"["1.2.3"]"#),
        ("[1_000]", ["malformed-number@1:2"], #"["1_000"]"#), ("[-]", ["malformed-number@1:2"], #"["-"]"#),
        ("[1-2]", ["malformed-number@1:2"], #"["1-2"]"#), ("[0x]", ["unquoted-string@1:2"], #"["0x"]"#),
        ("[12ab]", ["unquoted-string@1:2"], #"["12ab"]"#),
    ])
    func `names a number that JSON has not`(text: String, expected: [String], left: String) {
        #expect(problems(text) == expected)
        #expect(value(text) == left)
    }
}
