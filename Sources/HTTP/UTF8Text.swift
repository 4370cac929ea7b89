// Whether bytes are UTF-8 (RFC 3629 §4): the shortest form of each character, no surrogates, nothing beyond U+10FFFF.

public enum UTF8Text {
    /// Looks at each byte once.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if bytes[index] < 0x80 {
                index += 1
                continue
            }
            let character = UTF8Character(bytes, at: index)
            if character.scalar == nil { return false }
            index += character.byteCount
        }
        return true
    }
}
