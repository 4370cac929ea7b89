// Whole texts through the door of the module: what is acceptable, and what is left of what is not.

import SourceJSON
import Testing

struct SourceReaderTests {
    @Test func `keeps order, duplicates and positions`() throws {
        let document = SourceReader.read(Array("{\"b\": 1,\r\n \"a\": [true], \"b\": null}".utf8), as: .json)
        #expect(document.isAcceptable)
        let members = try #require(document.value?.asObject)
        #expect(members.map(\.key) == ["b", "a", "b"])
        #expect(members[1].keyRange.start == SourcePosition(line: 2, column: 2, offset: 11))
        #expect(document.problems.map(\.kind) == [.duplicateKey])
    }

    @Test func `offers a value beside problems it can mend in thought`() {
        let document = SourceReader.read(Array("{ 'a': [1, 2,], /* so */ b: “x” }".utf8), as: .json)
        #expect(!document.isAcceptable)
        #expect(
            document.value.map { String(decoding: SourceWriter.minified($0), as: UTF8.self) }
                == #"{"a":[1,2],"b":"x"}"#)
    }
}
