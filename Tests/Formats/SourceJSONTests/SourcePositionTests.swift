// Positions and ranges.

import SourceJSON
import Testing

struct SourcePositionTests {
    @Test func `a position can be read and changed`() {
        var position = SourcePosition(line: 3, column: 4, offset: 5)
        position.line += 1
        position.column = 9
        position.offset -= 5
        #expect(position == SourcePosition(line: 4, column: 9, offset: 0))
    }

    @Test func `clamps numbers out of bounds`() {
        let position = SourcePosition(line: -1, column: .max, offset: .min)
        #expect(position == SourcePosition(line: 0, column: Int(UInt32.max), offset: 0))
    }

    @Test func `an empty range covers no text`() {
        #expect(SourceRange(at: .start).isEmpty)
        #expect(SourceRange.none == SourceRange(start: .start, end: .start))
        #expect(read("[1]").value?.range.isEmpty == false)
    }
}
