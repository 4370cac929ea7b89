// Duplicate keys: found among any number of keys, in linear time.

import SourceJSON
import Testing

struct KeyIndexTests {
    @Test(arguments: [2, 7, 8, 9, 10, 100, 1_000])
    func `finds a duplicate key and the first one`(count: Int) throws {
        for first in [0, count / 2, count - 1] {
            let members = (0..<count).map { "\"key\($0)\":\($0)" } + ["\"key\(first)\":-1", "\"other\":0"]
            let document = read("{" + members.joined(separator: ",\n") + "}")
            #expect(document.problems.map(\.kind) == [.duplicateKey])
            #expect(document.problems.first?.range.start.line == count + 1)
            #expect(document.problems.first?.related?.start.line == first + 1)
        }
    }

    @Test func `keys are equal only if their code points are`() {
        for filler in ["", (0..<10).map { "\"k\($0)\":0," }.joined()] {
            #expect(
                problems("{" + filler + "\"é\":1,\"e\u{301}\":2,\"E\":3,\"K\":4,\"\u{212A}\":5,\"\":6,\" \":7}").isEmpty
            )
            #expect(read("{" + filler + "\"é\":1,\"\\u00e9\":2}").problems.map(\.kind) == [.duplicateKey])
            #expect(read("{" + filler + "\"\":1,\"\":2}").problems.map(\.kind) == [.duplicateKey])
        }
    }

    @Test func `equal keys of different objects are not duplicates`() {
        #expect(problems("[{\"a\":1},{\"a\":1},{\"a\":{\"a\":1}}]").isEmpty)
    }

    @Test func `finds a duplicate among a hundred thousand keys`() {
        let members = (0..<100_000).map { "\"\(String($0, radix: 36))\":0" }.joined(separator: ",")
        let document = read("{" + members + ",\"zz\":1}")
        #expect(document.problems.map(\.kind) == [.duplicateKey])
    }
}
