// Tokens to values. The grammar is a state machine with its own stack, so deep values need no stack of the thread. Each state
// has one function, which reads what may come next and reports everything else.

/// Reads one text as a value.
struct Parser {
    /// What must come next.
    enum State {
        /// The value of the whole text.
        case document
        /// After `[`; after a comma in an array.
        case firstElement, element
        /// After `{`; after a comma in an object.
        case firstKey, key
        case colon
        case memberValue
        /// After a value in a container: a comma or the closing bracket.
        case separator
        /// After the value of the whole text.
        case end
        case finished
    }

    var scanner: Scanner
    var state = State.document
    /// The innermost open container; those around it are in `outer`.
    var container = Container(.document, bracket: .none)
    var outer: [Container] = []
    var value: SourceValue?
    var valueCount = 0
    /// The comma that was read last.
    var comma = SourceRange.none
    /// The value or key that was read last, and whether it was a string.
    var last = SourceRange.none
    var lastIsString = false

    init(_ bytes: [UInt8], dialect: SourceDialect, limits: SourceLimits) {
        scanner = Scanner(bytes, dialect: dialect, limits: limits)
    }

    /// Reads to the end, or to a problem that ends reading; then there is no value.
    mutating func read() {
        while state != .finished {
            scanner.skipTrivia()
            if scanner.isStopped { break }
            if scanner.isAtEnd {
                reachEnd()
                break
            }
            switch state {
            case .document, .firstElement, .element, .memberValue: readValue()
            case .firstKey, .key: readKey()
            case .colon: readColon()
            case .separator: readSeparator()
            case .end: readTrailingContent()
            case .finished: break
            }
            if scanner.isStopped { break }
        }
        if scanner.isStopped { value = nil }
    }

    private mutating func readValue() {
        let start = scanner.position
        switch scanner.byte {
        case Byte.quote:
            let string = scanner.readString(.double)
            finish(.string(string), from: start)
        case Byte.openBrace:
            if !readPlaceholder() { open(.object) }
        case Byte.openBracket: open(.array)
        case Byte.point where scanner.continues(with: "..."): skipEllipsis()
        case Byte.minus, Byte.zero...Byte.nine, Byte.plus, Byte.point:
            let number = scanner.readNumber()
            finish(number, from: start)
        case Byte.closeBracket, Byte.closeBrace: closeInsteadOfValue()
        case Byte.comma: readMissingValue()
        default: readNonstandardValue()
        }
    }

    /// A value that begins as no JSON value does.
    private mutating func readNonstandardValue() {
        let start = scanner.position
        let scalar = scanner.scalar(at: scanner.index).value
        if let style = QuoteStyle(scalar) {
            let string = scanner.readString(style)
            return finish(.string(string), from: start)
        }
        if readPlaceholder() { return }
        if scanner.isConflictMarker { return stopAtConflict() }
        if state == .document { return readDocumentWord() }
        let isBareText = scanner.byte == Byte.slash || scanner.byte == Byte.asterisk
        guard isBareText || scanner.isWord(at: scanner.index) else { return stopAtUnexpected() }
        let kind = isBareText ? scanner.readBareString(from: start) : scanner.readWord()
        finish(kind, from: start)
    }

    private mutating func readKey() {
        let start = scanner.position
        switch scanner.byte {
        case Byte.quote: finishKey(scanner.readString(.double), from: start)
        case Byte.closeBrace, Byte.closeBracket: close()
        case Byte.comma: skipExtraComma()
        case Byte.point where scanner.continues(with: "..."): skipEllipsis()
        case Byte.colon, Byte.openBrace, Byte.openBracket:
            if !readPlaceholder() { readDoubledBrace() }
        default:
            if let style = QuoteStyle(scanner.scalar(at: scanner.index).value) {
                return finishKey(scanner.readString(style), from: start)
            }
            if readPlaceholder() { return }
            if scanner.isConflictMarker { return stopAtConflict() }
            guard let key = scanner.readBareKey() else { return stopAtUnexpected() }
            finishKey(key, from: start)
        }
    }

    private mutating func finishKey(_ key: String, from start: SourcePosition) {
        last = scanner.range(from: start)
        lastIsString = true
        if let first = container.keys.firstIndex(of: key, in: container.members) {
            scanner.report(.duplicateKey, at: last, related: container.members[first].keyRange)
        }
        container.key = key
        container.keyRange = last
        state = .colon
    }

    private mutating func readColon() {
        let start = scanner.position
        switch scanner.byte {
        case Byte.colon:
            scanner.index += 1
            state = .memberValue
        case Byte.comma, Byte.closeBrace:
            if !closeKeyEarlier() { readMissingValue() }
        case Byte.equals where !scanner.isConflictMarker:
            scanner.index += scanner.peek(1) == Byte.greater ? 2 : 1
            scanner.report(.missingColon, from: start, replacement: ":")
            state = .memberValue
        default:
            if stopsAtRunOnString() { return }
            if scanner.isConflictMarker { return stopAtConflict() }
            guard beginsValue else { return stopAtUnexpected() }
            let end = last.end
            scanner.report(.missingColon, at: SourceRange(at: start), edit: SourceEdit(inserting: ":", at: end))
            state = .memberValue
        }
    }

    private mutating func readSeparator() {
        let start = scanner.position
        switch scanner.byte {
        case Byte.comma:
            scanner.index += 1
            comma = scanner.range(from: start)
            expectNext()
        case Byte.closeBrace, Byte.closeBracket: close()
        case Byte.colon where container.shape == .array && lastIsString: turnIntoObject()
        case Byte.semicolon:
            scanner.index += 1
            scanner.report(.wrongSeparator, from: start, subject: ";", replacement: ",")
            expectNext()
        default:
            if stopsAtRunOnString() { return }
            if scanner.isConflictMarker { return stopAtConflict() }
            if readPlaceholder() { return }
            guard container.shape == .array ? beginsValue : beginsMember() else { return stopAtUnexpected() }
            let before = last
            scanner.report(
                .missingComma, at: SourceRange(at: start), related: before,
                edit: SourceEdit(inserting: ",", at: before.end))
            expectNext()
        }
    }

    mutating func expectNext() {
        state = container.shape == .array ? .element : .key
    }

    /// At an opening bracket: passes it; what follows belongs into the new container.
    mutating func open(_ shape: Container.Shape) {
        let start = scanner.position
        guard outer.count < scanner.limits.depth else {
            return scanner.stop(.tooDeep, at: start, subject: "\(scanner.limits.depth)")
        }
        scanner.index += 1
        outer.append(container)
        container = Container(shape, bracket: scanner.range(from: start))
        state = shape == .array ? .firstElement : .firstKey
    }

    /// Adds a value that has been read to its container.
    mutating func finish(_ kind: SourceValue.Kind, from start: SourcePosition) {
        last = scanner.range(from: start)
        if case .string = kind { lastIsString = true } else { lastIsString = false }
        place(SourceValue(kind, range: last))
    }

    mutating func place(_ finished: SourceValue) {
        valueCount += 1
        if valueCount > scanner.limits.values {
            return scanner.stop(.tooManyValues, at: finished.range.start, subject: "\(scanner.limits.values)")
        }
        state = .separator
        switch container.shape {
        case .array: container.elements.append(finished)
        case .object:
            container.members.append(SourceMember(key: container.key, keyRange: container.keyRange, value: finished))
        case .document:
            value = finished
            state = .end
        }
    }

    /// At a closing bracket of the right kind: skips it and adds the container to the one around it.
    mutating func closeContainer() {
        scanner.index += 1
        closeContainer(at: scanner.position)
    }

    mutating func closeContainer(at end: SourcePosition) {
        guard var closed = outer.popLast() else { return }
        swap(&closed, &container)
        last = SourceRange(start: closed.bracket.start, end: end)
        lastIsString = false
        place(SourceValue(closed.kind, range: last))
    }
}

/// An open bracket and what has been read since.
struct Container {
    enum Shape {
        /// The text itself, which has one value and no closing bracket.
        case document
        case array
        case object
    }

    var shape: Shape
    let bracket: SourceRange
    var elements: [SourceValue] = []
    var members: [SourceMember] = []
    var keys = KeyIndex()
    /// The key whose value comes next.
    var key = ""
    var keyRange = SourceRange.none
    /// An object that was opened with `{{`.
    var isOpenedTwice = false
    /// An object that was opened with `[`: it has members, so an object was meant.
    var isObjectInSquareBrackets = false

    init(_ shape: Shape, bracket: SourceRange) {
        (self.shape, self.bracket) = (shape, bracket)
    }

    var closingBracket: UInt8 {
        shape == .array || isObjectInSquareBrackets ? Byte.closeBracket : Byte.closeBrace
    }

    var name: String {
        switch shape {
        case .document: "text"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The value of the closed container.
    var kind: SourceValue.Kind { shape == .array ? .array(elements) : .object(members) }
}

/// The keys of an object so far.
struct KeyIndex {
    /// Up to this number of keys, comparing is faster than hashing.
    private static let comparedMax = 8

    /// The index of the first member with each key; empty while there are few keys.
    private var first: [ExactText: Int] = [:]

    /// The index of the first member with this key, if there is one; the caller then adds a member with the key.
    mutating func firstIndex(of key: String, in members: [SourceMember]) -> Int? {
        guard members.count >= Self.comparedMax else {
            return members.firstIndex { $0.key.isIdentical(to: key) }
        }
        if first.isEmpty {
            for (index, member) in members.enumerated() { _ = enter(member.key, at: index) }
        }
        let index = enter(key, at: members.count)
        return index < members.count ? index : nil
    }

    /// The index of a key, which is the given one if the key is new; one look-up for both.
    private mutating func enter(_ key: String, at index: Int) -> Int {
        func keep(_ entry: inout Int) -> Int { entry }
        return keep(&first[ExactText(key), default: index])
    }
}
