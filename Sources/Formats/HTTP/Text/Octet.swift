// The character classes of RFC 9110 and RFC 3986. The irregular ones are pairs of 64-bit sets over ASCII: a look-up is a
// shift and a mask, without a table in memory or a lock on first use. OctetTests lists the characters.

/// Tests and conversions of single bytes.
public enum Octet {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20

    /// RFC 9110 §5.6.2 `tchar`: the characters of methods and field names.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // ! # $ % & ' * + - . 0-9 | A-Z ^ _ ` a-z | ~
        isIn(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE, byte)
    }

    /// The characters of a request target: visible ASCII without those that RFC 3986 excludes and that parsers may read
    /// differently. `^ { | } [ ]` and the backquote are not in the grammar either, but browsers send them in queries and all
    /// parsers read them alike.
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

    /// The characters of a host name. RFC 3986 allows more, but such names cannot be configured.
    @inline(__always)
    static func isHost(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || byte == 0x2E || byte == 0x2D || byte == 0x5F }

    /// The characters of field values and quoted strings, those beyond ASCII included (RFC 9110 §5.5).
    static func isText(_ byte: UInt8) -> Bool { byte == tab || byte >= 0x20 && byte != 0x7F }

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

    /// The byte, with ASCII capitals as small letters.
    @inlinable @inline(__always)
    public static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

/// Paths with rules of their own.
public enum WellKnownPath {
    @inlinable public static var prefix: StaticString { "/.well-known/" }
    @inlinable public static var appleAssociation: StaticString { "/.well-known/apple-app-site-association" }
    /// Where Apple's devices look for the same file next.
    @inlinable public static var appleAssociationAtRoot: StaticString { "/apple-app-site-association" }
    @inlinable public static var statementList: StaticString { "/.well-known/assetlinks.json" }
}

public enum PercentEncoding {
    /// Decodes a path into `target`, which is at least as long, and returns the number of decoded bytes. Nil for an encoded slash,
    /// which is no separator, and for a zero byte, which ends a name for some programs only.
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
