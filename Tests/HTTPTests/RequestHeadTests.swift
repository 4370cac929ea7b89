// The values that a head is made of.

import Testing

@testable import HTTP

struct RequestHeadTests {
    @Test func `a head that was not read asks for nothing`() {
        let head = RequestHead()
        #expect(head.method == .unknown)
        #expect(!head.path.isPresent)
        #expect(head.path.count == 0)
        #expect(head.body == .none)
    }

    @Test func `a field remembers from its first value to its last`() {
        var field = FieldValue.absent
        #expect(!field.isPresent)
        field.note(ByteRange(10, 12))
        #expect(field.isPresent && !field.isRepeated)
        field.note(ByteRange(30, 35))
        #expect(field.isRepeated)
        #expect(field.range == ByteRange(10, 35))
    }

    @Test func `an empty range is present, an absent one is not`() {
        #expect(ByteRange(5, 5).isPresent)
        #expect(ByteRange(5, 5).count == 0)
        #expect(ByteRange.absent.range.isEmpty)
    }
}
