// How the bytes of a file spell its text. JSON that is served must be UTF-8 (RFC 8259 §8.1); editors and shells on some
// systems still write UTF-16, and a person who did that deserves to be told so.

/// A Unicode encoding form.
public enum SourceEncoding: String, Hashable, Sendable, CaseIterable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16 (little endian)"
    case utf16BigEndian = "UTF-16 (big endian)"
    case utf32LittleEndian = "UTF-32 (little endian)"
    case utf32BigEndian = "UTF-32 (big endian)"

    /// The encoding of these bytes and the length of their byte order mark, 0 if there is none.
    ///
    /// Without a mark, the zero bytes tell, as in the table of RFC 4627 §3: a JSON text begins with two ASCII
    /// characters (or is one), and no UTF-8 JSON text holds a zero byte.
    static func detect(_ bytes: [UInt8]) -> (encoding: SourceEncoding, markBytes: Int) {
        func begins(_ prefix: UInt8...) -> Bool { bytes.starts(with: prefix) }
        if begins(0xEF, 0xBB, 0xBF) { return (.utf8, 3) }
        if begins(0xFF, 0xFE, 0x00, 0x00) { return (.utf32LittleEndian, 4) }
        if begins(0x00, 0x00, 0xFE, 0xFF) { return (.utf32BigEndian, 4) }
        if begins(0xFF, 0xFE) { return (.utf16LittleEndian, 2) }
        if begins(0xFE, 0xFF) { return (.utf16BigEndian, 2) }
        let isZero = bytes.prefix(4).map { $0 == 0 }
        switch isZero {
        case [false, true, true, true]: return (.utf32LittleEndian, 0)
        case [true, true, true, false]: return (.utf32BigEndian, 0)
        case [false, true, false, true]: return (.utf16LittleEndian, 0)
        case [true, false, true, false]: return (.utf16BigEndian, 0)
        case [false, true]: return (.utf16LittleEndian, 0)
        case [true, false]: return (.utf16BigEndian, 0)
        default: return (.utf8, 0)
        }
    }
}
