// What stands between tokens and is no white space of JSON.

import SourceJSON
import Testing

struct ScannerTriviaTests {
    @Test(arguments: [
        ("// a\n[]", ["comment@1:1"]), ("[/* a\n*/1]", ["comment@1:2"]), ("# a\n[]", ["hash-comment@1:1"]),
        ("[1,\n # a\n 2]", ["hash-comment@2:2"]), ("[] // a", ["comment@1:4"]), ("[] # a", ["hash-comment@1:4"]),
        ("[/* a", ["unterminated-comment@1:2"]), ("[] /*/", ["unterminated-comment@1:4"]),
        ("[\u{A0}\u{A0}1]", ["other-white-space@1:2"]), ("\u{3000}[]", ["other-white-space@1:1"]),
        ("[\u{200B}1]", ["invisible-character@1:2"]), ("[]\u{2060}", ["invisible-character@1:3"]),
        ("[1,\u{FEFF}2]", ["other-white-space@1:4"]), ("[\u{B}\u{C}1]", ["other-white-space@1:2"]),
        ("[\u{A0}\u{200B}1]", ["other-white-space@1:2", "invisible-character@1:3"]),
    ])
    func `names it once for each run`(text: String, expected: [String]) {
        #expect(problems(text) == expected)
    }

    @Test func `says which character only looks like a space`() {
        #expect(
            read("[\u{A0}1]").problems.first?.message.hasPrefix("U+00A0 (no-break space) is no white space") == true)
        #expect(read("[\u{205F}1]").problems.first?.message.hasPrefix("U+205F is no white space") == true)
    }
}
