// The shape of UTF-8, for text that is known to be valid.

/// Lengths and kinds of UTF-8 bytes.
enum UTF8Scalar {
    static func length(startingWith byte: UInt8) -> Int {
        byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }

    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
