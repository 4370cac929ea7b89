import Testing

@testable import Association

@Suite struct QuotedTests {
    @Test func `keeps plain text and shows what cannot be seen`() {
        #expect("a é 日".quoted == "`a é 日`")
        #expect("a\n\u{1B}[31m\u{200B}".quoted == "`a\\u{a}\\u{1b}[31m\\u{200b}`")
    }

    @Test func `cuts long text`() {
        #expect(String(repeating: "x", count: 60).quoted == "`" + String(repeating: "x", count: 60) + "`")
        #expect(String(repeating: "x", count: 61).quoted == "`" + String(repeating: "x", count: 60) + "…`")
    }
}
