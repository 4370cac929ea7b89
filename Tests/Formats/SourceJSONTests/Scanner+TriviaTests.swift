// Comments and spaces between tokens that JSON does not have.

import SourceJSON
import Testing

struct ScannerTriviaTests {
    @Test(arguments: [
        ("// a\n[]", ["comment@1:1"]), ("[/* a\n*/1]", ["comment@1:2"]), ("# a\n[]", ["hashComment@1:1"]),
        ("[1,\n # a\n 2]", ["hashComment@2:2"]), ("[] // a", ["comment@1:4"]), ("[] # a", ["hashComment@1:4"]),
        ("[/* a", ["unterminatedComment@1:2"]), ("[] /*/", ["unterminatedComment@1:4"]),
        ("[\u{A0}\u{A0}1]", ["otherWhiteSpace@1:2"]), ("\u{3000}[]", ["otherWhiteSpace@1:1"]),
        ("[\u{200B}1]", ["invisibleCharacter@1:2"]), ("[]\u{2060}", ["invisibleCharacter@1:3"]),
        ("[1,\u{FEFF}2]", ["otherWhiteSpace@1:4"]), ("[\u{B}\u{C}1]", ["otherWhiteSpace@1:2"]),
        ("[\u{A0}\u{200B}1]", ["otherWhiteSpace@1:2", "invisibleCharacter@1:3"]),
    ])
    func `reports each run of spaces once`(text: String, expected: [String]) {
        #expect(problems(text) == expected)
    }

    @Test func `names the character that looks like a space`() {
        #expect(
            read("[\u{A0}1]").problems.first?.message.hasPrefix("U+00A0 (no-break space) is not white space") == true)
        #expect(read("[\u{205F}1]").problems.first?.message.hasPrefix("U+205F is not white space") == true)
    }
}
