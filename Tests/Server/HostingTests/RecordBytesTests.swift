// Records can be written and read again, and any other bytes are refused.

import Testing

@testable import Hosting

struct RecordBytesTests {
    private static let sample: [UInt8] = {
        var writer = RecordWriter()
        writer.add(UInt64.max)
        writer.add(Int64.min)
        writer.add(nil as UInt64?)
        writer.add(7 as UInt64?)
        writer.add(UInt8(3))
        writer.add("häß")
        writer.add(["", "b"])
        return writer.bytes
    }()

    private static func read(_ bytes: [UInt8]) throws -> Bool {
        try bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes)
            guard try reader.number() == UInt64.max, try reader.signed() == Int64.min, try reader.optional() == nil,
                try reader.optional() == 7, try reader.byte() == 3, try reader.text() == "häß"
            else { return false }
            return try reader.texts() == ["", "b"] && reader.isAtEnd
        }
    }

    @Test func `values are read as they were written`() throws { #expect(try Self.read(Self.sample)) }

    @Test func `truncated bytes are refused at every length`() {
        for count in 0..<Self.sample.count {
            #expect(throws: RecordReader.Failure.self) { try Self.read(Array(Self.sample.prefix(count))) }
        }
    }

    @Test func `a changed byte is noticed, whatever its value`() {
        // The byte before an optional number: all values except zero mean that there is one.
        let presence = 17
        for index in Self.sample.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var bytes = Self.sample
                bytes[index] = value
                let isSame = bytes == Self.sample || index == presence && value != 0
                #expect(((try? Self.read(bytes)) ?? false) == isSame, "byte \(index) is \(value)")
            }
        }
    }
}
