// Source lines and carets for printing problems.

import SourceJSON
import Testing

struct SourceDocumentTests {
    @Test func `replaces control characters in an excerpt`() {
        let document = read("[1,]\u{1B}[31m\tred\u{202E}\u{85}")
        #expect(document.excerpt(of: .none).text == "[1,]\u{FFFD}[31m red\u{FFFD}\u{FFFD}")
    }

    @Test func `an excerpt has a caret under the range`() throws {
        let document = read("{\n  \"é\": [1,],\r\n}")
        let problem = try #require(document.problems.first)
        let excerpt = document.excerpt(of: problem.range)
        #expect(excerpt.text == "  \"é\": [1,],")
        #expect(excerpt.caretColumn == 9)
        #expect(excerpt.caretLength == 1)
    }

    @Test func `an excerpt of a long line is the part around the range`() {
        let filler = String(repeating: "\"é\",", count: 1_000)
        let document = read("[" + filler + "True," + filler + "1]")
        let range = document.problems[0].range
        let excerpt = document.excerpt(of: range)
        let scalars = Array(excerpt.text.unicodeScalars)
        #expect(scalars.count == 162)
        #expect(scalars.first == "…" && scalars.last == "…")
        let marked = scalars[excerpt.caretColumn..<excerpt.caretColumn + excerpt.caretLength]
        #expect(String(String.UnicodeScalarView(marked)) == "True")
    }

    @Test func `an excerpt is from the line on which its range begins`() {
        let document = read("[/* a\nb */1]")
        let excerpt = document.excerpt(of: document.problems[0].range)
        #expect(excerpt.text == "[/* a")
        #expect(excerpt.caretLength == 4)
        #expect(document.excerpt(of: .none).caretColumn == 0)
    }

    @Test func `ranges outside the text do not trap`() {
        let far = SourcePosition(line: 9, column: 9, offset: 900)
        let excerpt = read("[1]").excerpt(of: SourceRange(start: far, end: .start))
        #expect(excerpt == read("[1]").excerpt(of: SourceRange(at: SourcePosition(line: 1, column: 4, offset: 3))))
        #expect(excerpt.caretLength == 1)
    }
}
