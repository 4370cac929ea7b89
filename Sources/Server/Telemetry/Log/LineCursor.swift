// Writes a line into memory. There is room for the longest line before it is begun; that is checked once for each piece, not for
// each byte.

import HTTP

/// Writes into a buffer from its front.
@safe struct LineCursor {
    private(set) var next: UnsafeMutablePointer<UInt8>
    let end: UnsafeMutablePointer<UInt8>

    init(_ start: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe next = start.assumingMemoryBound(to: UInt8.self)
        unsafe end = next + byteCount
    }

    /// Checks that there is room for this many bytes.
    @inline(__always)
    func need(_ count: Int) { unsafe precondition(end - next >= count, "there is room for the longest line") }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        need(1)
        unsafe next.pointee = byte
        unsafe next += 1
    }

    @inline(__always)
    mutating func put(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        need(count)
        unsafe UnsafeMutableRawPointer(next).copyMemory(from: text.utf8Start, byteCount: count)
        unsafe next += count
    }

    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        need(bytes.count)
        guard let start = bytes.baseAddress else { return }
        unsafe UnsafeMutableRawPointer(next).copyMemory(from: start, byteCount: bytes.count)
        unsafe next += bytes.count
    }

    /// A number in decimal digits.
    mutating func put(_ number: Int) {
        need(20)
        var rest = UInt64(max(0, number))
        var count = 1
        var bound: UInt64 = 10
        while count < 20, rest >= bound {
            count += 1
            bound = count == 20 ? .max : bound &* 10
        }
        for place in stride(from: count - 1, through: 0, by: -1) {
            unsafe next[place] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        unsafe next += count
    }

    /// A number with a fixed count of digits, padded with zeros.
    mutating func put(_ number: Int, digits: Int) {
        need(digits)
        var rest = UInt32(truncatingIfNeeded: number)
        for place in stride(from: digits - 1, through: 0, by: -1) {
            unsafe next[place] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        unsafe next += digits
    }

    /// Text that `write` writes, of at most `bytesMax` bytes.
    mutating func put(addressBy write: (UnsafeMutableRawBufferPointer) -> Int, bytesMax: Int) {
        need(bytesMax)
        unsafe next += write(UnsafeMutableRawBufferPointer(start: next, count: bytesMax))
    }
}

/// Text from clients. Bytes that would end the line or the field, or control a terminal, are escaped.
extension LineCursor {
    /// Replaces the rest of a field that is too long.
    private static let cut: StaticString = "..."
    /// The most bytes of one escaped byte or character.
    private static let escapeBytesMax = 6

    /// Writes bytes as the content of a JSON string: always valid UTF-8, without characters that control a terminal or look like
    /// a line end. Invalid UTF-8 becomes U+FFFD. Writes about `bytesMax` bytes at most.
    mutating func put(json bytes: UnsafeRawBufferPointer, bytesMax: Int) {
        unsafe put(escaping: bytes, bytesMax) { cursor, index in
            let byte = unsafe bytes[index]
            if byte < 0x80 {
                cursor.putJSON(ascii: byte)
                return 1
            }
            let character = unsafe UTF8Character(bytes, at: index)
            guard let scalar = character.scalar else {
                cursor.put("\\ufffd")
                return character.byteCount
            }
            if LineCursor.isUnsafe(scalar) {
                cursor.putJSON(unit: UInt16(truncatingIfNeeded: scalar))
            } else {
                unsafe cursor.put(UnsafeRawBufferPointer(rebasing: bytes[index..<index + character.byteCount]))
            }
            return character.byteCount
        }
    }

    /// Writes bytes as nginx and Apache do in the combined format: all but visible ASCII becomes `\xHH`.
    mutating func put(combined bytes: UnsafeRawBufferPointer, bytesMax: Int) {
        unsafe put(escaping: bytes, bytesMax) { cursor, index in
            let byte = unsafe bytes[index]
            if LineCursor.isPlain(byte) {
                cursor.put(byte)
            } else {
                cursor.put("\\x")
                cursor.put(hexadecimal: byte >> 4, letters: 0x37)
                cursor.put(hexadecimal: byte & 0xF, letters: 0x37)
            }
            return 1
        }
    }

    /// Copies plain bytes, eight at a time. For all others, `escape` writes one byte or character and returns its length in the
    /// source.
    @inline(__always)
    private mutating func put(
        escaping bytes: UnsafeRawBufferPointer, _ bytesMax: Int, _ escape: (inout LineCursor, Int) -> Int
    ) {
        guard let source = bytes.baseAddress else { return }
        need(bytesMax + LineCursor.cut.utf8CodeUnitCount)
        let stop = unsafe next + (bytesMax - LineCursor.escapeBytesMax)
        var index = 0
        while index < bytes.count {
            if unsafe next > stop { return put(LineCursor.cut) }
            if bytes.count - index >= 8, unsafe stop - next >= 8 {
                let word = unsafe source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                // All eight bytes are stored; those that are not plain are overwritten next.
                unsafe UnsafeMutableRawPointer(next).storeBytes(of: word, as: UInt64.self)
                let plain = LineCursor.plainCount(word)
                unsafe next += plain
                index += plain
                if plain == 8 { continue }
            }
            index += escape(&self, index)
        }
    }

    /// How many bytes of a word, from the first in memory, need no escaping.
    @inline(__always)
    static func plainCount(_ word: UInt64) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        // In each of these the lowest set bit is exact; those above it may come from a borrow.
        let control = (word &- ones &* 0x20) & ~word
        let quote = word ^ ones &* 0x22
        let backslash = word ^ ones &* 0x5C
        let delete = word ^ ones &* 0x7F
        let found =
            (word | control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
                | (delete &- ones) & ~delete) & tops
        return found.trailingZeroBitCount / 8
    }

    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C }

    private mutating func putJSON(ascii byte: UInt8) {
        switch byte {
        case 0x22: put("\\\"")
        case 0x5C: put("\\\\")
        case 0x0A: put("\\n")
        case 0x0D: put("\\r")
        case 0x09: put("\\t")
        case 0x20..<0x7F: put(byte)
        default: putJSON(unit: UInt16(byte))
        }
    }

    private mutating func putJSON(unit: UInt16) {
        put("\\u")
        for index in 0..<4 {
            put(hexadecimal: UInt8(truncatingIfNeeded: unit >> UInt16(12 - index * 4)) & 0xF, letters: 0x57)
        }
    }

    private mutating func put(hexadecimal digit: UInt8, letters: UInt8) {
        put(digit < 10 ? 0x30 + digit : letters + digit)
    }

    /// Invisible characters with an effect: controls (C1), line separators, and characters that change the writing direction or
    /// have no width.
    static func isUnsafe(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x80...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        default: false
        }
    }
}
