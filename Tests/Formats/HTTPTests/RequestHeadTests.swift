// The values that a head consists of.

import Testing

@testable import HTTP

struct RequestHeadTests {
    @Test func `an empty head has no fields`() {
        let head = RequestHead()
        #expect(head.method == .unknown)
        #expect(!head.path.isPresent)
        #expect(head.path.count == 0)
        #expect(head.body == .none)
    }

    @Test func `a field covers the range from its first value to its last`() {
        var field = FieldValue.absent
        #expect(!field.isPresent)
        field.note(ByteRange(10, 12))
        #expect(field.isPresent && !field.isRepeated)
        field.note(ByteRange(30, 35))
        #expect(field.isRepeated)
        #expect(field.range == ByteRange(10, 35))
    }

    @Test func `tells an empty range from an absent one`() {
        #expect(ByteRange(5, 5).isPresent)
        #expect(ByteRange(5, 5).count == 0)
        #expect(ByteRange.absent.range.isEmpty)
    }
}
