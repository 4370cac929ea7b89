// Strings. A common one, in straight double quotes without an escape, takes one pass over its bytes and one String. The rest
// reports what JSON does not allow in a string, and handles quotation marks that do not match.

extension Scanner {
    /// Reads the string whose opening mark is at the cursor.
    mutating func readString(_ style: QuoteStyle) -> String {
        let start = position
        advance()
        if style == .double, byte == Byte.quote { skipDoubledQuote() }
        var segment = index
        var multilineEnd = 0
        decoded.removeAll(keepingCapacity: true)
        while true {
            if style == .double { skipToSpecial() } else { skipPlain() }
            guard index < bytes.count else {
                if style == .double, let string = closeAtSmartQuote(from: start, to: index) { return string }
                stop(.truncated, at: position, subject: "string", related: SourceRange(at: start))
                return ""
            }
            let byte = bytes[index]
            if byte == Byte.quote, style == .double {
                return close(style, from: start, segment: segment)
            } else if byte == Byte.backslash {
                decoded.append(contentsOf: bytes[segment..<index])
                readEscape()
                segment = index
            } else if let mark = QuoteStyle(scalar(at: index).value), style.isClosed(by: mark) {
                return close(style, from: start, segment: segment)
            } else if byte == Byte.lineFeed || byte == Byte.carriageReturn {
                if index >= multilineEnd { multilineEnd = closingMark(of: style) ?? 0 }
                guard index < multilineEnd else { return endAtLineBreak(style, from: start, segment: segment) }
                let lineBreak = position
                advanceLine()
                let opened = SourceRange(start: start, end: lineBreak)
                report(.lineBreakInString, from: lineBreak, related: opened, replacement: "\\n")
            } else {
                let character = position
                advance()
                if byte < 0x20 {
                    report(.controlCharacter, from: character, replacement: Self.escape(byte))
                }
            }
        }
    }

    /// Skips everything that needs no decoding in double quotes.
    private mutating func skipToSpecial() {
        var end = index
        var continuations = 0
        while end < bytes.count {
            let byte = bytes[end]
            if byte < 0x20 || byte == Byte.quote || byte == Byte.backslash { break }
            if byte.isContinuation { continuations += 1 }
            end += 1
        }
        index = end
        columnBase += continuations
    }

    /// Skips bytes that need no decoding in any string.
    private mutating func skipPlain() {
        var end = index
        while end < bytes.count {
            let byte = bytes[end]
            if byte < 0x20 || byte >= 0x80 || byte == Byte.quote || byte == Byte.backslash { break }
            if byte == Byte.apostrophe || byte == Byte.backtick { break }
            end += 1
        }
        index = end
    }

    /// What has been decoded before, and the text from `segment` to the cursor.
    mutating func content(from segment: Int) -> String {
        if decoded.isEmpty { return text(segment..<index) }
        decoded.append(contentsOf: bytes[segment..<index])
        return String(decoding: decoded, as: UTF8.self)
    }

    /// At the closing mark: skips it, and checks that it was meant to be one.
    private mutating func close(_ style: QuoteStyle, from start: SourcePosition, segment: Int) -> String {
        let string = content(from: segment)
        if style == .double, isStructure(peek(1)) {
            index += 1
            return string
        }
        advance()
        if let kind = style.problem {
            report(kind, from: start, replacement: SourceWriter.quoted(string))
        } else if isRunOn {
            return closeRunOn(string, from: start)
        }
        return string
    }
}

extension Scanner {
    /// Reads the escape whose backslash is at the cursor. At the end of the text it reads only the backslash.
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
            // In JSON5 any other character is itself, except a digit, which C would read as octal.
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
        decoded.append(Unicode.Scalar(value))
        report(.javaScriptEscape, from: start, replacement: Self.unicodeEscape(UInt32(value)))
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
            unit = unit << 4 | UInt32(digit)
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

extension Scanner {
    /// `""name"`: two opening marks. An empty string is followed by structure or space, never by a letter.
    mutating func skipDoubledQuote() {
        let next = peek(1)
        let isPath = next == Byte.slash && peek(2) != Byte.slash && peek(2) != Byte.asterisk
        guard next.isLetter || next.isDigit || isPath else { return }
        let start = position
        index += 1
        report(.doubledQuote, from: start, replacement: "")
    }

    /// Whether text follows a string directly, where JSON and JSON5 allow only structure, space and comments.
    var isRunOn: Bool {
        switch byte {
        case Byte.quote, Byte.apostrophe, Byte.asterisk, Byte.minus, Byte.point, Byte.underscore: true
        case Byte.slash: peek(1) != Byte.slash && peek(1) != Byte.asterisk
        case 0x80...0xFF: Self.nonstandardSpace(scalar(at: index).value) == nil
        default: byte.isLetter || byte.isDigit
        }
    }

    /// After a string that text follows directly: perhaps it ended at an earlier, typographic mark, or its mark is doubled.
    mutating func closeRunOn(_ string: String, from start: SourcePosition) -> String {
        if let closed = closeAtSmartQuote(from: start, to: index) { return closed }
        if byte == Byte.quote, isFollowedByStructure(index + 1) {
            let second = position
            advance()
            report(.doubledQuote, from: second, replacement: "")
        }
        return string
    }

    /// At a line break without a closing mark after it: the closing mark is missing on this line.
    mutating func endAtLineBreak(_ style: QuoteStyle, from start: SourcePosition, segment: Int) -> String {
        let lineEnd = index
        if style == .double, let string = closeAtSmartQuote(from: start, to: lineEnd) { return string }
        var end = lineEnd
        while end > segment, isSeparator(bytes[end - 1]) { end -= 1 }
        rewind(to: SourcePosition(line: line, column: position.column - (lineEnd - end), offset: end))
        let string = content(from: segment)
        // If it began with another mark, the whole string is replaced: a straight mark would not close it.
        let written = range(from: start)
        let edit =
            style == .double
            ? SourceEdit(inserting: "\"", at: position)
            : SourceEdit(range: written, replacement: SourceWriter.quoted(string))
        report(.unterminatedString, at: written, edit: edit)
        return string
    }

    /// Ends a string that began with a straight mark at a typographic one, if that fits what follows: a colon, or only
    /// separators up to the end of the line.
    mutating func closeAtSmartQuote(from start: SourcePosition, to end: Int) -> String? {
        var offset = start.offset + 1
        while offset < end {
            let (value, length) = scalar(at: offset)
            if value >= 0x80, QuoteStyle(value) == .smartDouble, endsKeyOrLine(offset + length) { break }
            offset += length
        }
        guard offset < end else { return nil }
        // The text after the mark is read again, so its problems are removed; those of the encoding would not be found again.
        while let last = problems.last, last.kind != .invalidEncoding, last.range.start.offset > offset {
            problems.removeLast()
        }
        rewind(to: start)
        advance(to: offset)
        let string = text(start.offset + 1..<offset)
        let mark = position
        advance()
        report(.smartQuotes, from: mark, replacement: "\"")
        return string
    }

    private func endsKeyOrLine(_ offset: Int) -> Bool {
        var offset = offset
        while offset < bytes.count, isSeparator(bytes[offset]) {
            if bytes[offset] == Byte.colon { return true }
            offset += 1
        }
        return offset == bytes.count || bytes[offset] == Byte.lineFeed || bytes[offset] == Byte.carriageReturn
    }

    /// The offset of the next mark of this style, if a string can end there: structure follows it.
    func closingMark(of style: QuoteStyle) -> Int? {
        var offset = index
        while offset < bytes.count {
            let (value, length) = scalar(at: offset)
            if let mark = QuoteStyle(value), style.isClosed(by: mark) {
                return isFollowedByStructure(offset + length) ? offset : nil
            }
            offset += length
            if value == UInt32(Byte.backslash) { offset += scalar(at: offset).length }
        }
        return nil
    }

    /// Space, or a byte that separates values.
    func isStructure(_ byte: UInt8) -> Bool {
        isSeparator(byte) || byte == Byte.lineFeed || byte == Byte.carriageReturn
    }

    /// A byte that separates values on a line.
    private func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case Byte.comma, Byte.colon, Byte.closeBrace, Byte.closeBracket, Byte.space, Byte.tab: true
        default: false
        }
    }

    /// Whether the next thing after white space separates values or ends the text.
    private func isFollowedByStructure(_ offset: Int) -> Bool {
        let next = byteAfterSpace(offset)
        return isSeparator(next) || next == 0
    }
}

/// A family of quotation marks: a string that one member opens, any member closes.
enum QuoteStyle {
    case double
    case single
    case backtick
    case smartDouble
    case smartSingle

    /// The family of a scalar, if it is a quotation mark.
    init?(_ scalar: UInt32) {
        switch scalar {
        case 0x22: self = .double
        case 0x27: self = .single
        case 0x60: self = .backtick
        // Typographic marks, the double prime, the full-width form.
        case 0x201C...0x201F, 0x2033, 0x2036, 0xFF02: self = .smartDouble
        case 0x2018...0x201B, 0x2032, 0x2035, 0xFF07: self = .smartSingle
        default: return nil
        }
    }

    /// Whether this mark closes a string of the family. A straight mark closes a typographic one too: people correct one end
    /// and forget the other.
    func isClosed(by mark: QuoteStyle) -> Bool {
        mark == self || self == .smartDouble && mark == .double || self == .smartSingle && mark == .single
    }

    /// The problem of a string in these marks.
    var problem: SourceProblemKind? {
        switch self {
        case .double: nil
        case .single: .singleQuotes
        case .backtick: .backtickQuotes
        case .smartDouble, .smartSingle: .smartQuotes
        }
    }
}
