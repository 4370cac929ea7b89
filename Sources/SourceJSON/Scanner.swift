// The cursor over a text: where it is, and what it has found wrong so far. It works on bytes with index arithmetic and
// counts lines and columns as it passes them, so a position costs nothing however long the line is.

/// Reads the tokens of a text, one after the other, and records what deviates from the dialect.
struct Scanner {
    /// Well-formed UTF-8: an index never stands inside a scalar.
    let bytes: [UInt8]
    let dialect: SourceDialect
    let limits: SourceLimits
    var index = 0
    var line = 1
    /// The index of column 1, moved on by one for each continuation byte passed since, so that columns count scalars.
    var columnBase = 0
    var problems: [SourceProblem] = []
    /// Too much is wrong, or something that cannot be read past: stop here, and offer no value.
    var isStopped = false
    /// The bytes of a string whose escapes had to be decoded; kept to reuse its memory.
    var decoded: [UInt8] = []

    init(_ bytes: [UInt8], dialect: SourceDialect, limits: SourceLimits) {
        self.bytes = bytes
        self.dialect = dialect
        self.limits = limits
    }

    var position: SourcePosition {
        SourcePosition(bounded: line, index - columnBase + 1, index)
    }

    var isAtEnd: Bool { index >= bytes.count }

    /// The byte at the cursor, or a zero at the end of the text; no token begins with either.
    var byte: UInt8 { peek(0) }

    func peek(_ distance: Int) -> UInt8 {
        index + distance < bytes.count ? bytes[index + distance] : 0
    }

    /// The first byte behind white space, or a zero at the end of the text.
    func byteAfterSpace(_ offset: Int) -> UInt8 {
        var offset = offset
        while offset < bytes.count, bytes[offset].isSpace { offset += 1 }
        return offset < bytes.count ? bytes[offset] : 0
    }

    /// The range from `start` to the cursor.
    func range(from start: SourcePosition) -> SourceRange {
        SourceRange(start: start, end: position)
    }

    /// Whether the text goes on with these characters.
    func continues(with text: String) -> Bool {
        continues(with: text, at: index)
    }

    func continues(with text: String, at offset: Int) -> Bool {
        bytes[min(offset, bytes.count)...].starts(with: text.utf8)
    }

    /// The scalar at the cursor and its length in bytes; U+0000 of length 0 at the end.
    func scalar(at offset: Int) -> (value: UInt32, length: Int) {
        guard offset < bytes.count else { return (0, 0) }
        let lead = UInt32(bytes[offset])
        let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard length > 1, length <= bytes.count - offset else { return (lead, 1) }
        var value = lead & (0xFF >> UInt32(length + 1))
        for place in 1..<length { value = value << 6 | UInt32(bytes[offset + place] & 0x3F) }
        return (value, length)
    }

    /// Passes one scalar; a CRLF is one line break and passed whole.
    mutating func advance() {
        switch byte {
        case Byte.lineFeed, Byte.carriageReturn: advanceLine()
        case 0..<0x80: index = min(index + 1, bytes.count)
        default:
            let length = scalar(at: index).length
            index += length
            columnBase += length - 1
        }
    }

    /// Passes LF, CR or CRLF.
    mutating func advanceLine() {
        index += bytes[index] == Byte.carriageReturn && peek(1) == Byte.lineFeed ? 2 : 1
        line += 1
        columnBase = index
    }

    /// Passes scalars until `end`, an index on a scalar.
    mutating func advance(to end: Int) {
        while index < end { advance() }
    }

    /// Returns to a position this cursor has been at.
    mutating func rewind(to position: SourcePosition) {
        index = position.offset
        line = position.line
        columnBase = position.offset - position.column + 1
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}
