// Base64 with the alphabet for URLs and without padding (RFC 4648 §5), as JSON Web Signatures use it.

/// Bytes to text, and back.
public enum Base64URL {
    public static func text(_ bytes: [UInt8]) -> String {
        String(Digest.base64(bytes).prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// Also reads the standard alphabet and padding, because some authorities show keys that way. Nil for other text.
    public static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in text.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 | value
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        let padding = text.utf8.drop { $0 != UInt8(ascii: "=") }
        guard bitCount < 6, bits & ((1 << UInt32(bitCount)) - 1) == 0, padding.count <= 2,
            padding.allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        return bytes
    }

    /// Whether a byte is of the alphabet for URLs. A text of such bytes is safe in a path.
    public static func isDigit(_ byte: UInt8) -> Bool {
        value(of: byte) != nil && byte != UInt8(ascii: "+") && byte != UInt8(ascii: "/")
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
