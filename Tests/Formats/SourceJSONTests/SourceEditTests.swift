import SourceJSON
import Testing

struct SourceEditTests {
    private func edit(_ start: Int, _ end: Int, _ replacement: String) -> SourceEdit {
        func position(_ offset: Int) -> SourcePosition { SourcePosition(line: 1, column: offset + 1, offset: offset) }
        return SourceEdit(range: SourceRange(start: position(start), end: position(end)), replacement: replacement)
    }

    private func applied(_ edits: [SourceEdit], to text: String) -> String {
        String(decoding: SourceEdit.apply(edits, to: Array(text.utf8)).text, as: UTF8.self)
    }

    @Test func `applies edits in the order of the text`() {
        #expect(applied([edit(4, 5, "E"), edit(0, 1, "AA"), edit(2, 2, "-")], to: "abcde") == "AAb-cdE")
        #expect(applied([], to: "abc") == "abc")
    }

    @Test func `applies the first of edits that touch each other`() {
        let (text, count) = SourceEdit.apply(
            [edit(1, 3, "x"), edit(3, 4, "y"), edit(0, 2, "z")], to: Array("abcd".utf8))
        #expect(String(decoding: text, as: UTF8.self) == "zcy")
        #expect(count == 2)
    }

    @Test func `ignores an edit after the end of the text`() {
        #expect(applied([edit(2, 9, "x"), edit(0, 1, "y")], to: "abc") == "ybc")
    }

    @Test func `removes a byte order mark that an edit moves to the front`() {
        #expect(SourceEdit.apply([edit(0, 1, "")], to: Array("x\u{FEFF}\u{FEFF}{}".utf8)).text == Array("{}".utf8))
    }

    @Test(arguments: ["\u{FEFF}\u{FEFF}\u{FEFF}{}", "{}", "x"])
    func `an editable text is read unchanged`(text: String) throws {
        let bytes = try #require(SourceEdit.editable(SourceReader.read(Array(text.utf8), as: .json)))
        #expect(SourceReader.read(bytes, as: .json).text == bytes)
    }

    // Without the point, the last is UTF-16.
    @Test(arguments: ["", "[\0\0]", "0.\0\0\0"]) func `a text with zero bytes is not editable`(text: String) {
        #expect(SourceEdit.editable(SourceReader.read(Array(text.utf8), as: .json)) == nil)
    }
}
