// The ends of reading: the end of the text, and what cannot be read past.

extension Parser {
    /// At the end of the text. If nothing but closing brackets is missing, what has been read is still a value.
    mutating func reachEnd() {
        switch state {
        case .end, .finished: return
        case .document: scanner.stop(.empty, from: .start)
        default:
            let end = scanner.position
            let range = SourceRange(start: end, end: end)
            let name = container?.name ?? "text"
            guard state == .separator else {
                return scanner.stop(.truncated, at: end, subject: name, related: container?.bracket)
            }
            var closing = ""
            for open in CollectionOfOne(container).compactMap({ $0 }) + outer.reversed() {
                closing.unicodeScalars.append(Unicode.Scalar(open.closingBracket))
            }
            scanner.report(
                .truncated, at: range, subject: name, related: container?.bracket,
                edit: SourceEdit(range: SourceRange(start: last.end, end: last.end), replacement: closing))
            closeAll()
        }
    }

    private mutating func closeAll() {
        while container != nil { closeContainer(at: last.end) }
    }

    /// Something stands where nothing that is known does.
    mutating func stopAtUnexpected() {
        let start = scanner.position
        let isWord = scanner.isWord(at: start.offset)
        if isWord { scanner.advance(to: scanner.wordEnd(start.offset)) } else { scanner.advance() }
        let subject =
            scanner.byte == 0 && start.offset == scanner.index ? "" : scanner.excerpt(start.offset..<scanner.index)
        scanner.stop(.unexpectedCharacter, from: start, subject: subject, related: state == .document ? nil : last)
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

    mutating func stopAtForeignText() {
        let start = scanner.position
        let kind: SourceProblemKind = scanner.isConflictMarker ? .conflictMarker : .pem
        scanner.skipLine()
        scanner.stop(kind, from: start)
    }

    /// After the value of the whole text.
    mutating func readTrailingContent() {
        let start = scanner.position
        let whole = value
        if stopsAtRunOnString() { return }
        if scanner.isConflictMarker { return stopAtForeignText() }
        switch scanner.byte {
        case Byte.closeBrace, Byte.closeBracket: return stopAtUnmatchedBracket()
        case Byte.colon where lastIsString: return scanner.stop(.missingBraces, at: start, related: last)
        default: break
        }
        scanner.skipLine()
        scanner.report(.trailingContent, from: start, related: last)
        value = whole
        state = .finished
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
        scanner.advance(to: end)
        let isScript = ["var", "let", "const", "export", "module", "window", "import", "return"]
            .contains { word == $0 || word.hasPrefix($0 + ".") }
        scanner.skipTrivia()
        let kind: SourceProblemKind =
            isScript || scanner.byte == UInt8(ascii: "(") || scanner.byte == Byte.equals
            ? .javaScript : scanner.byte == Byte.colon ? .missingBraces : .plainText
        let related = scanner.range(from: start)
        scanner.rewind(to: start)
        scanner.skipLine()
        scanner.stop(kind, from: start, related: kind == .missingBraces ? related : nil)
    }
}
