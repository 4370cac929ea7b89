// Escapes in strings: RFC 8259 §7, JSON5 §5.1, and what is in neither. Each appends what it stands for to `decoded`.

extension Scanner {
    /// Reads the escape whose backslash is at the cursor. At the end of the text it reads nothing but that.
    mutating func readEscape() {
        let start = position
        index += 1
        switch byte {
        case Byte.quote, Byte.backslash, Byte.slash: appendEscaped(byte)
        case UInt8(ascii: "b"): appendEscaped(0x08)
        case UInt8(ascii: "f"): appendEscaped(0x0C)
        case UInt8(ascii: "n"): appendEscaped(0x0A)
        case UInt8(ascii: "r"): appendEscaped(0x0D)
        case UInt8(ascii: "t"): appendEscaped(0x09)
        case UInt8(ascii: "u"): readUnicodeEscape(from: start)
        default: readForeignEscape(from: start)
        }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        decoded.append(byte)
        index += 1
    }

    private mutating func readForeignEscape(from start: SourcePosition) {
        guard !isAtEnd else { return }
        switch byte {
        case UInt8(ascii: "v"), Byte.apostrophe:
            let value: UInt8 = byte == Byte.apostrophe ? byte : 0x0B
            appendEscaped(value)
            report(.javaScriptEscape, from: start, replacement: Self.escape(value))
        case Byte.zero where !peek(1).isDigit:
            appendEscaped(0)
            report(.javaScriptEscape, from: start, replacement: Self.escape(0))
        case UInt8(ascii: "x"): readByteEscape(from: start)
        case Byte.lineFeed, Byte.carriageReturn:
            advanceLine()
            report(.lineContinuation, from: start, replacement: "")
        case 0xE2 where peek(1) == 0x80 && peek(2) & 0xFE == 0xA8:
            advance()
            report(.lineContinuation, from: start, replacement: "")
        default:
            // JSON5 lets any other character stand for itself, except a digit, which C would read as octal.
            let kind: SourceProblemKind = byte.isDigit ? .invalidEscape : .unknownEscape
            let character = index
            advance()
            decoded.append(contentsOf: bytes[character..<index])
            report(kind, from: start)
        }
    }

    private mutating func readByteEscape(from start: SourcePosition) {
        index += 1
        guard let high = byte.hexadecimalValue, let low = peek(1).hexadecimalValue else {
            decoded.append(UInt8(ascii: "x"))
            return report(.invalidEscape, from: start)
        }
        index += 2
        let value = high << 4 | low
        if let scalar = Unicode.Scalar(value) { decoded.append(scalar) }
        report(.javaScriptEscape, from: start, replacement: Self.unicodeEscape(value))
    }

    /// `\uXXXX`, or two of them for a scalar beyond U+FFFF.
    private mutating func readUnicodeEscape(from start: SourcePosition) {
        guard let unit = hexadecimalUnit(at: index + 1) else {
            repeat { index += 1 } while byte.hexadecimalValue != nil
            decoded.append("\u{FFFD}" as Unicode.Scalar)
            return report(.invalidEscape, from: start)
        }
        index += 5
        if let scalar = Unicode.Scalar(unit) {
            decoded.append(scalar)
        } else if unit < 0xDC00, byte == Byte.backslash, peek(1) == UInt8(ascii: "u"),
            let low = hexadecimalUnit(at: index + 2), 0xDC00...0xDFFF ~= low,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        {
            index += 6
            decoded.append(scalar)
        } else {
            decoded.append("\u{FFFD}" as Unicode.Scalar)
            report(.loneSurrogate, from: start)
        }
    }

    /// The value of four hexadecimal digits.
    func hexadecimalUnit(at offset: Int) -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for place in offset..<offset + 4 {
            guard let digit = bytes[place].hexadecimalValue else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// The JSON spelling of a byte of ASCII inside a string.
    static func escape(_ byte: UInt8) -> String {
        switch byte {
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        case Byte.quote: "\\\""
        case Byte.backslash: "\\\\"
        case 0..<0x20: unicodeEscape(UInt32(byte))
        default: String(Unicode.Scalar(byte))
        }
    }

    static func unicodeEscape(_ unit: UInt32) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
