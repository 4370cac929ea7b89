// Numbers: RFC 8259 §6 first; whatever is not exactly that is looked at again as JSON5 §6, and then as the mistake it
// is.

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

    private func byteOrZero(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// In what a word deviates from a number of RFC 8259; nil if it is no number in any language here.
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
