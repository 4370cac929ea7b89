// Whether bytes are UTF-8 (RFC 3629 §4): the shortest form of each character, no surrogates, nothing beyond U+10FFFF.

public enum UTF8Text {
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if unsafe bytes[index] < 0x80 {
                index += 1
                continue
            }
            let character = unsafe UTF8Character(bytes, at: index)
            if character.scalar == nil { return false }
            index += character.byteCount
        }
        return true
    }
}

/// The character that begins at a byte above ASCII.
public struct UTF8Character {
    /// Nil if the bytes are not a valid character.
    public let scalar: UInt32?
    /// Its length. If the bytes are invalid, the length of the longest valid beginning (Unicode §3.9, D93b), so that the number of
    /// replacement characters is the same as in other programs.
    public let byteCount: Int

    public init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        let first = unsafe bytes[start]
        var (following, lowest, highest): (Int, UInt8, UInt8) = (0, 0x80, 0xBF)
        switch first {
        case 0xC2...0xDF: following = 1
        case 0xE0: (following, lowest) = (2, 0xA0)
        case 0xED: (following, highest) = (2, 0x9F)
        case 0xE1...0xEF: following = 2
        case 0xF0: (following, lowest) = (3, 0x90)
        case 0xF4: (following, highest) = (3, 0x8F)
        case 0xF1...0xF3: following = 3
        default:
            (scalar, byteCount) = (nil, 1)
            return
        }
        var value = UInt32(first) & (0x3F >> UInt32(following))
        for step in 1...following {
            guard start + step < bytes.count, unsafe bytes[start + step] >= lowest,
                unsafe bytes[start + step] <= highest
            else {
                (scalar, byteCount) = (nil, step)
                return
            }
            value = unsafe value << 6 | UInt32(bytes[start + step] & 0x3F)
            (lowest, highest) = (0x80, 0xBF)
        }
        (scalar, byteCount) = (value, following + 1)
    }
}
