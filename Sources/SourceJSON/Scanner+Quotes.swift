// Strings whose quotation marks do not match: doubled, typographic at one end only, or missing. The line a string was
// written on, and what stands after it, decide how far it was meant to go. All of this runs only on text that is no
// JSON5, and each look-ahead ends where the next string of its kind begins, so that the whole stays linear.

extension Scanner {
    /// `""name"`: two opening marks. After an empty string stands structure or space, never a letter.
    mutating func skipDoubledQuote() {
        let next = peek(1)
        let isPath = next == Byte.slash && peek(2) != Byte.slash && peek(2) != Byte.asterisk
        guard next.isLetter || next.isDigit || isPath else { return }
        let start = position
        index += 1
        report(.doubledQuote, from: start, replacement: "")
    }

    /// Whether text goes on right behind a string, where no JSON or JSON5 has anything but structure, space or a
    /// comment.
    var isRunOn: Bool {
        switch byte {
        case Byte.quote, Byte.apostrophe, Byte.asterisk, Byte.minus, Byte.point, Byte.underscore: true
        case Byte.slash: peek(1) != Byte.slash && peek(1) != Byte.asterisk
        case 0x80...0xFF: Self.oddSpace(scalar(at: index).value) == nil
        default: byte.isLetter || byte.isDigit
        }
    }

    /// After a string that text runs on from: perhaps its closing mark was an earlier, typographic one, or is doubled.
    mutating func closeRunOn(_ string: String, from start: SourcePosition) -> String {
        if let closed = closeAtSmartQuote(from: start, to: index) { return closed }
        if byte == Byte.quote, isFollowedByStructure(index + 1) {
            let second = position
            advance()
            report(.doubledQuote, from: second, replacement: "")
        }
        return string
    }

    /// At a line break that no mark beyond it explains: the closing mark is missing on this line.
    mutating func endAtLineBreak(_ style: QuoteStyle, from start: SourcePosition, segment: Int) -> String {
        let lineEnd = index
        if style == .double, let string = closeAtSmartQuote(from: start, to: lineEnd) { return string }
        var end = lineEnd
        while end > segment, isSeparator(bytes[end - 1]) { end -= 1 }
        rewind(to: SourcePosition(line: line, column: position.column - (lineEnd - end), offset: end))
        let string = content(from: segment)
        // With another mark at its beginning, the string is written anew: a plain mark would not close it.
        let written = range(from: start)
        let edit =
            style == .double
            ? SourceEdit(inserting: "\"", at: position)
            : SourceEdit(range: written, replacement: SourceWriter.quoted(string))
        report(.unterminatedString, at: written, edit: edit)
        return string
    }

    /// Ends a string that was opened with a straight mark at a typographic one, if that makes sense of what follows:
    /// a colon, or nothing but separators up to the end of the line.
    mutating func closeAtSmartQuote(from start: SourcePosition, to end: Int) -> String? {
        var offset = start.offset + 1
        while offset < end {
            let (value, length) = scalar(at: offset)
            if value >= 0x80, QuoteStyle(value) == .smartDouble, endsKeyOrLine(offset + length) { break }
            offset += length
        }
        guard offset < end else { return nil }
        // What was noted beyond the mark will be read again; what decoding noted will not.
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

    /// The offset of the next mark of this style, if a string may well end there: structure follows it.
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
