// What is code, what is comment and what is neither.

import Testing

struct SourceTextTests {
    @Test(arguments: [
        ("a // b", "a     ", "  // b"),
        ("a /* b /* c */ d */ e", "a                   e", "  /* b /* c */ d */  "),
        ("a \"b\" c", "a     c", "       "),
        (#"a "\"b" c"#, "a       c", "         "),
        (#"a "\(b("c"))" d"#, "a   (b(   ))  d", "               "),
        (##"a #"b"c\("# d"##, "a           d", "             "),
        ("a `b c` d", "a       d", "         "),
        ("a \"// b\" c", "a        c", "          "),
        ("(a)) b", "(a)) b", "      "),
    ])
    func `tells code, comments and literals apart`(line: String, code: String, comment: String) {
        let text = SourceText(line)
        #expect(text.code == [code])
        #expect(text.comments == [comment])
    }

    @Test func `reads a string over several lines as one literal`() {
        let text = SourceText("a \"\"\"\n  \"b\" // c\n  \"\"\" d")
        #expect(text.code.map { $0.filter { $0 != " " } } == ["a", "", "d"])
        #expect(text.lines.count == 3)
    }

    @Test(arguments: ["\"", "\"\\", "/*", "`", "#\"", "\"\\(", ""])
    func `ends with the text, whatever is left open`(text: String) {
        #expect(SourceText(text).code.count == 1)
    }

    @Test(arguments: [
        ("Data(", "x = Data(y)", true), ("Data(", "userData(y)", false), ("Data(", "x.Data(y)", false),
        ("Data(", "userData(Data(y))", true), ("any ", "x: any Y", true), ("any ", "[any (A & B)]", true),
        ("any ", "many X", false), ("any ", "any |= X", false), ("await", "awaiting", false),
        ("try!", "try! x()", true),
    ])
    func `finds words that stand by themselves`(word: String, line: String, isFound: Bool) {
        #expect(SourceText.lines(of: [line], containing: word) == (isFound ? [1] : []))
    }
}
