// Recovery from problems of the grammar. A known mistake is reported and reading continues as if it were fixed, so that the
// rest of the file is checked too. Anything else ends reading, because a guess would lead to wrong findings.

extension Parser {
    /// At a closing bracket in the place of a value or key: an empty container, a trailing comma, or a missing value.
    mutating func closeInsteadOfValue() {
        switch state {
        case .memberValue: readMissingValue()
        case .document: stopAtUnmatchedBracket()
        default: close()
        }
    }

    /// At a closing bracket between values.
    mutating func close() {
        guard scanner.byte == container.closingBracket else { return closeMismatched() }
        if state == .element || state == .key {
            scanner.report(
                .trailingComma, at: comma, subject: String(Unicode.Scalar(scanner.byte)),
                edit: SourceEdit(range: comma, replacement: ""))
        }
        // Only the end may follow the outermost bracket, so one that more members follow is extra.
        let isExtra = outer.count == 1 && isDoubled && scanner.byteAfterSpace(scanner.index + 1) == Byte.comma
        if isExtra, beginsMember(at: scanner.indexAfterSpace(scanner.indexAfterSpace(scanner.index + 1) + 1)) {
            return skipExtraBracket()
        }
        let isOpenedTwice = container.isOpenedTwice
        closeContainer()
        let isLast = outer.count == 1 && scanner.byteAfterSpace(scanner.index + 1) == 0
        if isOpenedTwice, !isLast, scanner.byte == Byte.closeBrace { scanner.index += 1 }
    }

    /// Whether the bracket at the cursor directly follows an equal one, which closed a value.
    private var isDoubled: Bool {
        state == .separator && scanner.index > 0 && last.end.offset == scanner.index
            && scanner.bytes[scanner.index - 1] == scanner.byte
    }

    /// At a bracket of the wrong kind: an extra one if it is doubled or the right one follows, or the one around an array that was
    /// opened twice; otherwise reading ends.
    private mutating func closeMismatched() {
        let next = scanner.byteAfterSpace(scanner.index + 1)
        if state == .separator, next == container.closingBracket || isDoubled && next == Byte.comma {
            return skipExtraBracket()
        }
        let isAfterComma = state == .element
        if closeDoubledArray() {
            if isAfterComma { expectNext() }
            return
        }
        let start = scanner.position
        let bracket = String(Unicode.Scalar(scanner.byte))
        scanner.index += 1
        scanner.stop(.mismatchedBracket, from: start, subject: bracket, related: container.bracket)
    }

    private mutating func skipExtraBracket() {
        let start = scanner.position
        let bracket = String(Unicode.Scalar(scanner.byte))
        scanner.index += 1
        scanner.report(.mismatchedBracket, from: start, subject: bracket, related: container.bracket, replacement: "")
    }

    /// `[[1],` where what follows belongs to the object around it: takes the inner array for the one that was meant.
    private mutating func closeDoubledArray() -> Bool {
        guard container.shape == .array, container.elements.count == 1, let inner = container.elements.first,
            inner.asArray != nil, inner.range.start.offset == container.bracket.end.offset,
            let around = outer.last, around.shape == .object
        else { return false }
        scanner.report(
            .mismatchedBracket, at: container.bracket, subject: "[",
            edit: SourceEdit(range: container.bracket, replacement: ""))
        container = outer.removeLast()
        (last, lastIsString) = (inner.range, false)
        place(inner)
        return true
    }

    /// At a comma or closing bracket in the place of a value.
    mutating func readMissingValue() {
        switch state {
        case .colon, .memberValue:
            let start = scanner.position
            scanner.report(.missingValue, at: SourceRange(at: start), related: container.keyRange)
            finish(.null, from: start)
        case .firstElement, .element: skipExtraComma()
        default: stopAtUnexpected()
        }
    }

    /// `"key”: “value"` was read as one string: ends the key at its typographic quotation mark instead.
    mutating func closeKeyEarlier() -> Bool {
        guard state == .colon, let key = scanner.closeAtSmartQuote(from: last.start, to: last.end.offset) else {
            return false
        }
        container.key = key
        container.keyRange = scanner.range(from: last.start)
        last = container.keyRange
        return true
    }

    mutating func skipExtraComma() {
        let start = scanner.position
        scanner.index += 1
        scanner.report(.extraComma, from: start, replacement: "")
    }

    mutating func skipEllipsis() {
        let start = scanner.position
        scanner.index += 3
        scanner.report(.ellipsis, from: start)
        if state == .document { scanner.isStopped = true }
        if state == .element || state == .firstElement || state == .key || state == .firstKey {
            skipCommaAfterEllipsis()
        }
        if state == .memberValue { finish(.null, from: start) }
    }

    /// The comma that follows an ellipsis belongs to it.
    private mutating func skipCommaAfterEllipsis() {
        scanner.skipTrivia()
        let start = scanner.position
        if scanner.byte == Byte.comma {
            scanner.index += 1
            comma = scanner.range(from: start)
            return
        }
        // Without this, the comma before the ellipsis would be reported as a trailing one.
        state = container.shape == .array ? .firstElement : .firstKey
    }

    /// `["a": 1]`: an object in the wrong brackets.
    mutating func turnIntoObject() {
        let start = scanner.position
        if container.elements.count == 2, let key = container.elements.popLast() {
            if closeDoubledArray() { return readAgain(from: key.range.start) }
            container.elements.append(key)
        }
        guard container.elements.count == 1, let element = container.elements.popLast(), let key = element.asString
        else { return scanner.stop(.memberInArray, at: start, related: container.bracket) }
        scanner.index += 1
        scanner.report(.memberInArray, from: start, related: container.bracket)
        container.shape = .object
        container.isObjectInSquareBrackets = true
        container.key = key
        container.keyRange = element.range
        state = .memberValue
    }

    /// Reads a value again, as a key.
    private mutating func readAgain(from start: SourcePosition) {
        let places = start.offset..<scanner.index
        scanner.problems.removeAll { places.contains($0.range.start.offset) && $0.kind != .invalidEncoding }
        scanner.rewind(to: start)
        state = .key
    }

    /// `{{`, which is no placeholder: the second bracket is extra, and so is one directly after that which closes the object.
    mutating func readDoubledBrace() {
        let start = scanner.position
        guard scanner.byte == Byte.openBrace, state == .firstKey, !container.isOpenedTwice else {
            return scanner.stop(.missingKey, at: start, related: container.bracket)
        }
        scanner.index += 1
        scanner.report(.mismatchedBracket, from: start, subject: "{", replacement: "")
        container.isOpenedTwice = true
    }

    /// A placeholder that a template engine should have filled in. As a value it is its own text.
    mutating func readPlaceholder() -> Bool {
        let start = scanner.position
        guard let end = scanner.placeholderEnd, !beginsDoubledObject else { return false }
        scanner.advance(to: end)
        let text = scanner.excerpt(start.offset..<end)
        scanner.report(.templatePlaceholder, from: start, subject: text)
        switch state {
        case .firstKey, .key:
            if scanner.byte == Byte.colon { finishPlaceholderKey(text, from: start) }
        case .separator: break
        default: finish(.string(text), from: start)
        }
        return true
    }

    private mutating func finishPlaceholderKey(_ text: String, from start: SourcePosition) {
        container.key = text
        container.keyRange = scanner.range(from: start)
        last = scanner.range(from: start)
        state = .colon
    }

    var beginsValue: Bool {
        switch scanner.byte {
        case Byte.quote, Byte.apostrophe, Byte.openBrace, Byte.openBracket, Byte.minus, Byte.zero...Byte.nine:
            return true
        default:
            let end = scanner.wordEnd(scanner.index)
            if end == scanner.index { return QuoteStyle(scanner.scalar(at: scanner.index).value) != nil }
            guard end - scanner.index <= 9 else { return false }
            return ["true", "false", "null", "none", "undefined", "nan", "infinity"]
                .contains(scanner.text(scanner.index..<end).lowercased())
        }
    }

    /// Whether a member may begin at a place, that of the cursor: a key in quotation marks, or a word that a colon follows.
    func beginsMember(at place: Int? = nil) -> Bool {
        let place = place ?? scanner.index
        if QuoteStyle(scanner.scalar(at: place).value) != nil { return true }
        let end = scanner.wordEnd(place)
        return end > place && scanner.byteAfterSpace(end) == Byte.colon
    }

    /// Whether `{{` is followed by a key and its colon, which no placeholder has.
    private var beginsDoubledObject: Bool {
        guard scanner.byte == Byte.openBrace, scanner.peek(1) == Byte.openBrace else { return false }
        let place = scanner.indexAfterSpace(scanner.index + 2)
        guard scanner.byteOrZero(place) == Byte.quote else {
            return scanner.wordEnd(place) > place && beginsMember(at: place)
        }
        let limit = min(scanner.bytes.count, place + Scanner.placeholderMax)
        let end = scanner.bytes[min(place + 1, limit)..<limit].firstIndex(of: Byte.quote)
        return end.map { scanner.byteAfterSpace($0 + 1) == Byte.colon } ?? false
    }
}

extension Parser {
    /// At the end of the text. If only closing brackets are missing, there is still a value.
    mutating func reachEnd() {
        switch state {
        case .end, .finished: return
        case .document: scanner.stop(.empty, from: .start)
        default:
            let end = scanner.position
            let (name, bracket) = (container.name, container.bracket)
            guard state == .separator else { return scanner.stop(.truncated, at: end, subject: name, related: bracket) }
            let closing = closeAll()
            scanner.report(
                .truncated, at: SourceRange(at: end), subject: name, related: bracket,
                edit: SourceEdit(inserting: closing, at: last.end))
        }
    }

    /// Closes every open container where the last value ended, and returns the brackets that were missing.
    private mutating func closeAll() -> String {
        var closing: [UInt8] = []
        while !outer.isEmpty {
            closing.append(container.closingBracket)
            closeContainer(at: last.end)
        }
        return String(decoding: closing, as: UTF8.self)
    }

    /// At a character that no known mistake explains.
    mutating func stopAtUnexpected() {
        let start = scanner.position
        let wordEnd = scanner.wordEnd(start.offset)
        if wordEnd > start.offset { scanner.advance(to: wordEnd) } else { scanner.advance() }
        let first = Unicode.Scalar(scanner.scalar(at: start.offset).value)
        let isVisible = first.map { Printable.visible($0) == $0 } ?? false
        let isAfterSomething = state == .separator || state == .colon
        scanner.stop(
            .unexpectedCharacter, from: start, subject: isVisible ? nil : scanner.scalarName(at: start.offset),
            related: isAfterSomething ? last : nil)
    }

    /// Text follows a string directly: a quotation mark in it is not escaped, or an earlier one is missing.
    mutating func stopsAtRunOnString() -> Bool {
        guard lastIsString, scanner.index == last.end.offset, scanner.isRunOn else { return false }
        scanner.stop(.unescapedQuote, at: scanner.position, related: last)
        return true
    }

    mutating func stopAtUnmatchedBracket() {
        let start = scanner.position
        let bracket = String(Unicode.Scalar(scanner.byte))
        scanner.index += 1
        scanner.stop(.mismatchedBracket, from: start, subject: bracket)
    }

    mutating func stopAtConflict() {
        let start = scanner.position
        scanner.skipLine()
        scanner.stop(.conflictMarker, from: start)
    }

    /// After the value of the whole text.
    mutating func readTrailingContent() {
        let start = scanner.position
        if stopsAtRunOnString() { return }
        if scanner.isConflictMarker { return stopAtConflict() }
        switch scanner.byte {
        case Byte.closeBrace, Byte.closeBracket:
            scanner.index += 1
            scanner.report(.mismatchedBracket, from: start, replacement: "")
        case Byte.colon where lastIsString: scanner.stop(.missingBraces, at: start, related: last)
        case Byte.colon:
            scanner.skipLine()
            scanner.stop(.plainText, from: last.start)
        default:
            scanner.skipLine()
            scanner.report(.trailingContent, from: start, related: last)
            state = .finished
        }
    }

    /// A word at the beginning of the text: a literal, or a sign that this is not JSON.
    mutating func readDocumentWord() {
        let start = scanner.position
        guard scanner.isWord(at: start.offset) else { return stopAtUnexpected() }
        let end = scanner.wordEnd(start.offset)
        if beginsValue {
            let kind = scanner.readWord()
            return finish(kind, from: start)
        }
        let word = scanner.text(start.offset..<min(end, start.offset + 40))
        let isScript = ["var", "let", "const", "export", "module", "window", "import", "return"]
            .contains { word == $0 || word.hasPrefix($0 + ".") }
        let next = scanner.byteAfterSpace(end)
        let kind: SourceProblemKind =
            isScript || next == UInt8(ascii: "(") || next == Byte.equals
            ? .javaScript : next == Byte.colon ? .missingBraces : .plainText
        scanner.skipLine()
        scanner.stop(kind, from: start)
    }
}
