// What stands between tokens: white space and comments, those of JSON, of JSON5, and those of neither that people write
// anyway.

extension Scanner {
    /// Passes everything up to the next token.
    mutating func skipTrivia() {
        while index < bytes.count {
            switch bytes[index] {
            case Byte.space, Byte.tab: index += 1
            case Byte.lineFeed:
                index += 1
                line += 1
                columnBase = index
            case Byte.carriageReturn: advanceLine()
            case Byte.slash:
                guard skipComment() else { return }
            case Byte.hash:
                skipHashComment()
                if isStopped { return }
            case 0x0B, 0x0C, 0x80...0xFF:
                guard skipOddSpace() else { return }
            default: return
            }
        }
    }

    /// Passes a comment of JSON5 §7; false if the slash begins none.
    private mutating func skipComment() -> Bool {
        let start = position
        switch peek(1) {
        case Byte.slash:
            skipLine()
            report(.comment, from: start, replacement: "")
        case Byte.asterisk:
            index += 2
            while !(byte == Byte.asterisk && peek(1) == Byte.slash) {
                guard !isAtEnd else {
                    stop(.unterminatedComment, from: start)
                    return true
                }
                advance()
            }
            index += 2
            report(.comment, from: start, replacement: "")
        default: return false
        }
        return true
    }

    private mutating func skipHashComment() {
        let start = position
        skipLine()
        let mended = dialect == .json5 ? "//" + text(start.offset + 1..<index) : ""
        report(.hashComment, from: start, replacement: mended)
    }

    /// Passes the rest of the line, up to its break; U+2028 and U+2029 end a comment too (JSON5 §7).
    mutating func skipLine() {
        while index < bytes.count {
            let byte = bytes[index]
            if byte == Byte.lineFeed || byte == Byte.carriageReturn { return }
            if byte == 0xE2, peek(1) == 0x80, peek(2) & 0xFE == 0xA8 { return }
            if byte.isContinuation { columnBase += 1 }
            index += 1
        }
    }

    /// Passes a run of spaces that JSON does not know, reported once; false if the cursor is not at one.
    private mutating func skipOddSpace() -> Bool {
        let start = position
        guard let kind = Self.oddSpace(scalar(at: index).value) else { return false }
        repeat { advance() } while Self.oddSpace(scalar(at: index).value) == kind
        report(kind, from: start, replacement: kind == .otherWhiteSpace ? " " : "")
        return true
    }

    /// White space of JSON5 §8 beyond that of JSON, and characters that show as nothing and are white space to no one.
    static func oddSpace(_ scalar: UInt32) -> SourceProblemKind? {
        switch scalar {
        case 0x0B, 0x0C, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: .otherWhiteSpace
        case 0xAD, 0x180E, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x2069: .invisibleCharacter
        default: nil
        }
    }
}
