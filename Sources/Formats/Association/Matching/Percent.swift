// Percent-encoding (RFC 3986 §2.1) in both directions. Decoding keeps a malformed escape and replaces bytes that are not UTF-8
// by U+FFFD; `isWellFormed` tells whether either happens.

import SourceJSON

/// Percent-encoding of URL pieces.
package enum Percent {
    private static let upperDigits = Array("0123456789ABCDEF".utf8)

    /// `byte` as `%XX`, in the upper case that RFC 3986 §6.2.2.1 prefers.
    package static func escape(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), upperDigits[Int(byte >> 4)], upperDigits[Int(byte & 15)]]
    }

    /// Escapes spaces and everything beyond ASCII. Other characters that RFC 3986 does not allow (`|`, `{`) reach phones
    /// unescaped and are kept.
    package static func escapingIllegalBytes(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: isAlwaysEscaped) else { return bytes }
        return bytes.flatMap { isAlwaysEscaped($0) ? escape($0) : [$0] }
    }

    /// Whether every client escapes a byte before a phone gets the URL.
    package static func isAlwaysEscaped(_ byte: UInt8) -> Bool { byte <= 0x20 || byte >= 0x7F }

    /// The bytes with each well-formed escape replaced by its byte, as valid UTF-8.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
        return Array(String(decoding: rawDecode(bytes), as: UTF8.self).utf8)
    }

    /// False if decoding keeps or replaces something.
    package static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%") {
                guard byte(of: bytes[...], at: index) != nil else { return false }
                index += 2
            }
            index += 1
        }
        return String(validating: rawDecode(bytes[...]), as: UTF8.self) != nil
    }

    private static func rawDecode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if let byte = byte(of: bytes, at: index) {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// The byte of the escape that begins at an index; nil if none does.
    package static func byte(of bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
            let high = bytes[index + 1].hexadecimalValue, let low = bytes[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }
}

/// The bytes of a scalar in UTF-8.
package enum UTF8Scalar {
    package static func length(startingWith byte: UInt8) -> Int {
        byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }
}
