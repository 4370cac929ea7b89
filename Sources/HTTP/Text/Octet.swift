// The character classes of RFC 9110 and RFC 3986. The irregular ones are pairs of 64-bit sets over ASCII: a look-up is a
// shift and a mask, without a table in memory or a lock on first use. OctetTests spells the sets out.

/// Tests and conversions of single bytes.
enum Octet {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    /// RFC 9110 §5.6.2 `tchar`: what methods and field names are made of.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // ! # $ % & ' * + - . 0-9 | A-Z ^ _ ` a-z | ~
        isIn(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE, byte)
    }

    /// What may stand in a request target: visible ASCII without the characters that RFC 3986 leaves out and that
    /// something on the way could read in two ways. `^ { | } [ ]` and the backquote are not in the grammar either, but
    /// browsers send them in queries and nobody reads them differently.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        // not " # < > \ or anything at or below space or above ~
        isIn(0xAFFF_FFF2_0000_0000, 0x7FFF_FFFF_EFFF_FFFF, byte)
    }

    /// Whether a byte is in a set of ASCII characters, given as its lower and its upper half.
    @inline(__always)
    private static func isIn(_ low: UInt64, _ high: UInt64, _ byte: UInt8) -> Bool {
        let half = byte < 64 ? low : byte < 128 ? high : 0
        return half &>> UInt64(byte & 63) & 1 != 0
    }

    /// What a host name is made of here. RFC 3986 would let more through; no such name can be configured.
    @inline(__always)
    static func isHost(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || byte == 0x2E || byte == 0x2D || byte == 0x5F }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 26 }

    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

public enum PercentEncoding {
    /// Decodes a path into `target`, which is at least as long, and says how many bytes came out. Nil for what must not
    /// become part of a name: an encoded slash is not a separator, and a zero byte ends a name for some readers only.
    public static func decode(_ path: Span<UInt8>, into target: UnsafeMutableRawBufferPointer) -> Int? {
        precondition(target.count >= path.count, "decoding never makes a path longer")
        var count = 0
        var index = 0
        while index < path.count {
            var byte = path[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 1 < path.count, let high = Octet.hexValue(path[index]),
                    let low = Octet.hexValue(path[index + 1])
                else { return nil }
                byte = high << 4 | low
                index += 2
                if byte == UInt8(ascii: "/") || byte == 0 { return nil }
            }
            unsafe target[count] = byte
            count += 1
        }
        return count
    }
}
