// Words: literals, numbers, unquoted keys, and text without its quotation marks.

extension Scanner {
    /// Whether a scalar can be part of a word or number: everything but space, structure, quotation marks and slashes.
    func isWord(at offset: Int) -> Bool {
        guard offset < bytes.count else { return false }
        switch bytes[offset] {
        case Byte.dollar, Byte.plus, Byte.minus, Byte.point, Byte.underscore: return true
        case 0..<0x80: return bytes[offset].isDigit || bytes[offset].isLetter
        default:
            let value = scalar(at: offset).value
            return Self.nonstandardSpace(value) == nil && QuoteStyle(value) == nil
        }
    }

    func wordEnd(_ start: Int) -> Int {
        var end = start
        while isWord(at: end) { end += scalar(at: end).length }
        return end
    }

    func continuations(_ range: Range<Int>) -> Int {
        var count = 0
        for offset in range where bytes[offset].isContinuation { count += 1 }
        return count
    }

    /// Reads a word in the place of a value.
    mutating func readWord() -> SourceValue.Kind {
        let start = position
        index = wordEnd(index)
        columnBase += continuations(start.offset..<index)
        // No literal is longer than `undefined`; making a String of a longer word would waste time.
        let word = index - start.offset <= 9 ? text(start.offset..<index) : ""
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "Infinity", "NaN":
            report(.infinityOrNaN, from: start, replacement: "null")
            return .number(SourceNumber(text: word))
        case "True": return literal(.bool(true), .pythonLiteral, "true", from: start)
        case "False": return literal(.bool(false), .pythonLiteral, "false", from: start)
        case "None": return literal(.null, .pythonLiteral, "null", from: start)
        case "undefined": return literal(.null, .undefined, "null", from: start)
        default: break
        }
        switch word.lowercased() {
        case "true": return literal(.bool(true), .wrongCaseLiteral, "true", from: start)
        case "false": return literal(.bool(false), .wrongCaseLiteral, "false", from: start)
        case "null": return literal(.null, .wrongCaseLiteral, "null", from: start)
        default: return readBareString(from: start)
        }
    }

    private mutating func literal(
        _ value: SourceValue.Kind, _ kind: SourceProblemKind, _ replacement: String, from start: SourcePosition
    ) -> SourceValue.Kind {
        report(kind, from: start, replacement: replacement)
        return value
    }

    /// Reads to the end of an unquoted string whose beginning has been read: it ends at space, a comma, a bracket or a
    /// quotation mark, which is then its closing one.
    mutating func readBareString(from start: SourcePosition) -> SourceValue.Kind {
        skipBareText(endsAtColon: false)
        let string = text(start.offset..<index)
        let isNumber = !string.utf8.contains { !$0.isDigit && !Self.numberPunctuation.contains($0) }
        if byte == Byte.quote { index += 1 }
        let kind: SourceProblemKind = isNumber ? .malformedNumber : .unquotedString
        report(kind, from: start, replacement: SourceWriter.quoted(string))
        return .string(string)
    }

    private static let numberPunctuation: [UInt8] = [
        Byte.plus, Byte.minus, Byte.point, Byte.underscore, UInt8(ascii: "e"), UInt8(ascii: "E"),
    ]

    /// Skips text to the end of a bare key or string. A colon is part of a bare string (`https://…`, `14:6D:E9`), unless
    /// space follows.
    mutating func skipBareText(endsAtColon: Bool) {
        while !isAtEnd {
            switch byte {
            case 0...Byte.space, Byte.comma, Byte.quote, Byte.openBrace, Byte.closeBrace, Byte.openBracket,
                Byte.closeBracket:
                return
            case Byte.colon where endsAtColon || peek(1) <= Byte.quote: return
            case 0x80...0xFF where Self.nonstandardSpace(scalar(at: index).value) != nil: return
            default: advance()
            }
        }
    }

    /// Reads a key without quotation marks: an identifier of JSON5 §3, or something like one. Nil, and nothing is read, where
    /// no key can begin.
    mutating func readBareKey() -> String? {
        let start = position
        if let name = readIdentifier() {
            let next = scalar(at: index).value
            if !isBareKey || Self.nonstandardSpace(next) != nil {
                report(.unquotedKey, from: start, replacement: SourceWriter.quoted(name))
                return name
            }
        }
        skipBareText(endsAtColon: true)
        let key = text(start.offset..<index)
        if byte == Byte.quote { index += 1 }
        let next = byteAfterSpace(index)
        guard !key.isEmpty, next == Byte.colon || next == Byte.equals else {
            rewind(to: start)
            return nil
        }
        report(.invalidKey, from: start, replacement: SourceWriter.quoted(key))
        return key
    }

    /// Whether a bare key continues at the cursor: neither space, structure nor a comment.
    private var isBareKey: Bool {
        switch byte {
        case 0...Byte.space, Byte.colon, Byte.comma, Byte.openBrace, Byte.closeBrace, Byte.openBracket,
            Byte.closeBracket, Byte.equals:
            false
        case Byte.slash: peek(1) != Byte.slash && peek(1) != Byte.asterisk
        default: true
        }
    }

    /// The identifier at the cursor, with its escapes decoded (ECMAScript 5.1 §7.6); nil, and nothing is read, if there is
    /// none.
    private mutating func readIdentifier() -> String? {
        if let name = readPlainIdentifier() { return name }
        let start = position
        var name = String.UnicodeScalarView()
        while !isAtEnd {
            var (value, length) = scalar(at: index)
            if value == UInt32(Byte.backslash) {
                guard peek(1) == UInt8(ascii: "u"), let unit = hexadecimalUnit(at: index + 2) else { break }
                (value, length) = (unit, 6)
            }
            guard let scalar = Unicode.Scalar(value), Self.isIdentifier(scalar, isFirst: name.isEmpty) else { break }
            name.append(scalar)
            if length == 6 { index += 6 } else { advance() }
        }
        if name.isEmpty { rewind(to: start) }
        return name.isEmpty ? nil : String(name)
    }

    /// The same for names of letters, digits and `_`, which nearly all are; nil, and nothing is read, for others.
    private mutating func readPlainIdentifier() -> String? {
        var end = index
        while end < bytes.count, bytes[end].isLetter || bytes[end].isDigit || bytes[end] == Byte.underscore { end += 1 }
        guard end > index, !bytes[index].isDigit, end < bytes.count, bytes[end] < 0x80, bytes[end] != Byte.backslash,
            bytes[end] != Byte.dollar
        else { return nil }
        defer { index = end }
        return text(index..<end)
    }

    private static func isIdentifier(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "$", "_": return true
        case "0"..."9", "\u{200C}", "\u{200D}": return !isFirst
        default: break
        }
        if scalar.isASCII { return false }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: true
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: !isFirst
        default: false
        }
    }
}

extension Scanner {
    /// Reads the number or bare word that begins at the cursor with a digit, a sign or a point.
    mutating func readNumber() -> SourceValue.Kind {
        let start = position
        if let end = strictNumberEnd, !isWord(at: end) {
            index = end
            // `14:6D:E9`: a fingerprint without quotation marks.
            if byte == Byte.colon, isWord(at: index + 1) { return readBareString(from: start) }
            return number(from: start)
        }
        index = wordEnd(index)
        columnBase += continuations(start.offset..<index)
        let word = bytes[start.offset..<index]
        guard let found = Self.deviations(of: word) else { return readBareString(from: start) }
        let number = SourceNumber(text: text(start.offset..<index))
        for kind in found { report(kind, from: start, replacement: number.canonicalText) }
        return self.number(from: start)
    }

    private mutating func number(from start: SourcePosition) -> SourceValue.Kind {
        if index - start.offset > limits.numberBytes {
            report(.numberTooLong, from: start, subject: "\(limits.numberBytes)")
            return .null
        }
        return .number(SourceNumber(text: text(start.offset..<index)))
    }

    /// The end of the number of RFC 8259 at the cursor.
    private var strictNumberEnd: Int? {
        var end = index
        if byteOrZero(end) == Byte.minus { end += 1 }
        guard byteOrZero(end).isDigit else { return nil }
        end = byteOrZero(end) == Byte.zero ? end + 1 : digitsEnd(end)
        if byteOrZero(end) == Byte.point {
            guard byteOrZero(end + 1).isDigit else { return nil }
            end = digitsEnd(end + 1)
        }
        if byteOrZero(end) | 0x20 == UInt8(ascii: "e") {
            end += byteOrZero(end + 1) == Byte.plus || byteOrZero(end + 1) == Byte.minus ? 2 : 1
            guard byteOrZero(end).isDigit else { return nil }
            end = digitsEnd(end)
        }
        return end
    }

    private func digitsEnd(_ start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end].isDigit { end += 1 }
        return end
    }

    /// How a word deviates from a number of RFC 8259; nil if it is not a number in JSON5 either.
    private static func deviations(of word: ArraySlice<UInt8>) -> [SourceProblemKind]? {
        var rest = word
        var found: [SourceProblemKind] = []
        if rest.first == Byte.plus { found.append(.plusSign) }
        if rest.first == Byte.plus || rest.first == Byte.minus { rest = rest.dropFirst() }
        if rest.elementsEqual("Infinity".utf8) || rest.elementsEqual("NaN".utf8) { return found + [.infinityOrNaN] }
        if rest.first == Byte.zero, rest.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
            let digits = rest.dropFirst(2)
            guard !digits.isEmpty, digits.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
            return found + [.hexadecimalNumber]
        }
        let whole = rest.prefix(while: \.isDigit)
        rest = rest.dropFirst(whole.count)
        if whole.count > 1, whole.first == Byte.zero { found.append(.leadingZero) }
        var fraction = rest.prefix(0)
        if rest.first == Byte.point {
            fraction = rest.dropFirst().prefix(while: \.isDigit)
            rest = rest.dropFirst(1 + fraction.count)
            if whole.isEmpty || fraction.isEmpty { found.append(.bareDecimalPoint) }
        }
        if let first = rest.first, first | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if rest.first == Byte.plus || rest.first == Byte.minus { rest = rest.dropFirst() }
            if rest.isEmpty { found.append(.malformedNumber) }
            rest = rest.drop(while: \.isDigit)
        }
        if whole.isEmpty && fraction.isEmpty { return nil }
        return rest.isEmpty ? found : nil
    }
}
