// Whether bytes are UTF-8 (RFC 3629 §4): the shortest form of each character, no surrogates, nothing beyond U+10FFFF.

public enum UTF8Text {
    /// Looks at each byte once.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            let first = bytes[index]
            index += 1
            if first < 0x80 { continue }
            let following: Int
            // The bounds of the second byte keep out what is too long, too large or half of a pair.
            var lowest: UInt8 = 0x80
            var highest: UInt8 = 0xBF
            switch first {
            case 0xC2...0xDF: following = 1
            case 0xE0: (following, lowest) = (2, 0xA0)
            case 0xED: (following, highest) = (2, 0x9F)
            case 0xE1...0xEF: following = 2
            case 0xF0: (following, lowest) = (3, 0x90)
            case 0xF1...0xF3: following = 3
            case 0xF4: (following, highest) = (3, 0x8F)
            default: return false
            }
            guard bytes.count - index >= following, bytes[index] >= lowest, bytes[index] <= highest else {
                return false
            }
            for offset in 1..<max(1, following) where bytes[index + offset] & 0xC0 != 0x80 { return false }
            index += following
        }
        return true
    }
}
