// Whole texts: what is acceptable, which value is left of a broken text, and positions.

import SourceJSON
import Testing

struct SourceReaderTests {
    @Test func `keeps order, duplicates and positions`() throws {
        let document = read("{\"b\": 1,\r\n \"a\": [true], \"b\": null}")
        #expect(document.isAcceptable)
        let members = try #require(document.value?.asObject)
        #expect(members.map(\.key) == ["b", "a", "b"])
        #expect(members[1].keyRange.start == SourcePosition(line: 2, column: 2, offset: 11))
        #expect(members[1].value.range.end == SourcePosition(line: 2, column: 13, offset: 22))
        #expect(problems(document) == ["duplicateKey@2:15"])
    }

    @Test(arguments: [
        ("[1,\n\n2]", [3], [1]),
        ("[1,\r\n\r\n2]", [3], [1]),
        ("[1,\r\r2]", [3], [1]),
        ("[1,\n\r2]", [3], [1]),
        ("[1,\r\n2,\r3,\n 4]", [2, 3, 4], [1, 1, 2]),
        ("[1,\t2]", [1], [5]),
        ("[\"é€😀\", 2]", [1], [9]),
        ("[\"\\u00e9\", 2]", [1], [12]),
        ("[\"a\u{301}\", 2]", [1], [8]),
        ("[\"\u{2028}\", 2]", [1], [7]),
    ])
    func `counts lines by their breaks and columns by scalars`(text: String, lines: [Int], columns: [Int]) throws {
        let elements = try #require(read(text).value?.asArray)
        #expect(elements.dropFirst().map(\.range.start.line) == lines)
        #expect(elements.dropFirst().map(\.range.start.column) == columns)
    }

    @Test func `offsets count bytes of the text without its mark`() throws {
        let document = read("\u{FEFF}[\"é\", 2]")
        let element = try #require(document.value?.asArray?.last)
        #expect(element.range.start == SourcePosition(line: 1, column: 7, offset: 7))
        #expect(document.text.count == 9)
    }

    @Test func `positions after strings of several lines are correct`() throws {
        let document = read("['a\\\nb', 'é\\\r\nc',\n/* é\n */ 3]", as: .json5)
        let elements = try #require(document.value?.asArray)
        #expect(document.isAcceptable)
        #expect(elements[1].range.start == SourcePosition(line: 2, column: 5, offset: 9))
        #expect(elements[2].range.start == SourcePosition(line: 5, column: 5, offset: 29))
    }

    @Test func `returns a value despite problems with an obvious fix`() {
        #expect(value("{ 'a': [1, 2,], /* so */ b: “x” }") == #"{"a":[1,2],"b":"x"}"#)
    }

    @Test func `lists problems in the order of the text, including those of its encoding`() {
        let document = SourceReader.read(Array("[1,]".utf8) + [0xFF] + Array(" x".utf8), as: .json)
        #expect(problems(document) == ["trailingComma@1:3", "invalidEncoding@1:5", "trailingContent@1:5"])
    }

    @Test func `reading a string again keeps the problems of its encoding`() {
        let document = SourceReader.read(Array("{\"a”: \"b\", \"c\": \"".utf8) + [0xFF] + Array("\"}".utf8), as: .json)
        #expect(problems(document) == ["smartQuotes@1:4", "invalidEncoding@1:18"])
    }

    @Test func `an empty file has no value`() {
        for text in ["", " ", "\n", "\r\n\t "] { #expect(problems(text) == ["empty@1:1"]) }
        #expect(problems("// nothing\n", as: .json5) == ["empty@1:1"])
        #expect(!read("").isAcceptable)
    }
}
