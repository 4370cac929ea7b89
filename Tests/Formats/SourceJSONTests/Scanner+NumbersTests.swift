// Numbers that JSON does not have. Valid ones are in `SourceReader+RFC8259Tests`.

import Testing

struct ScannerNumbersTests {
    @Test(arguments: [
        ("[+1]", ["plusSign@1:2"], "[1]"), ("[.5]", ["bareDecimalPoint@1:2"], "[0.5]"),
        ("[5.]", ["bareDecimalPoint@1:2"], "[5]"), ("[0x1F]", ["hexadecimalNumber@1:2"], "[31]"),
        ("[+0x1F]", ["plusSign@1:2", "hexadecimalNumber@1:2"], "[31]"), ("[007]", ["leadingZero@1:2"], "[7]"),
        ("[-01.5]", ["leadingZero@1:2"], "[-1.5]"), ("[Infinity]", ["infinityOrNaN@1:2"], "[null]"),
        ("[-Infinity]", ["infinityOrNaN@1:2"], "[null]"), ("[NaN]", ["infinityOrNaN@1:2"], "[null]"),
        ("[1e]", ["malformedNumber@1:2"], "[1]"), ("[1.2.3]", ["malformedNumber@1:2"], #"["1.2.3"]"#),
        ("[1_000]", ["malformedNumber@1:2"], #"["1_000"]"#), ("[-]", ["malformedNumber@1:2"], #"["-"]"#),
        ("[1-2]", ["malformedNumber@1:2"], #"["1-2"]"#), ("[0x]", ["unquotedString@1:2"], #"["0x"]"#),
        ("[12ab]", ["unquotedString@1:2"], #"["12ab"]"#),
    ])
    func `reports a number that JSON does not have`(text: String, expected: [String], left: String) {
        #expect(problems(text) == expected)
        #expect(value(text) == left)
    }
}
