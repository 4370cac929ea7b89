// Positions hold what they are given.

import SourceJSON
import Testing

struct SourcePositionTests {
    @Test func `keeps its numbers and can be changed`() {
        var position = SourcePosition(line: 3, column: 4, offset: 5)
        position.line += 1
        position.column = 9
        position.offset -= 5
        #expect(position == SourcePosition(line: 4, column: 9, offset: 0))
    }

    @Test func `holds numbers out of bounds to its bounds`() {
        let position = SourcePosition(line: -1, column: .max, offset: .min)
        #expect(position == SourcePosition(line: 0, column: Int(UInt32.max), offset: 0))
    }

    @Test func `an empty range covers nothing`() {
        #expect(SourceRange(at: .start).isEmpty)
        #expect(SourceRange.none == SourceRange(start: .start, end: .start))
        #expect(read("[1]").value?.range.isEmpty == false)
    }
}
