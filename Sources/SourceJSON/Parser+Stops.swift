// The ends of reading: the end of the text, and what cannot be read past.

extension Parser {
    /// At the end of the text. If nothing but closing brackets is missing, what has been read is still a value.
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

    /// Something stands where nothing that is known does.
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

    /// Text goes on right behind a string: a quotation mark inside it is not escaped, or an earlier one is missing.
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

    /// A word at the beginning of the text: a literal, or a sign that this is no JSON.
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
