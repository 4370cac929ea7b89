// Strings. The common one, in straight double quotes without an escape, is one run over its bytes and one String; the
// rest notes what JSON does not allow inside one. `Scanner+Quotes.swift` mends strings whose marks do not match.

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

    /// Passes everything that means itself in double quotes.
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

    /// Passes bytes that mean themselves in every string.
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

    /// The string from `segment` to the cursor, after what has been decoded before.
    mutating func content(from segment: Int) -> String {
        if decoded.isEmpty { return text(segment..<index) }
        decoded.append(contentsOf: bytes[segment..<index])
        return String(decoding: decoded, as: UTF8.self)
    }

    /// At the closing mark: passes it, and makes sure that it was meant to be one.
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
