// The cursor over a text: where it is, and what it has found wrong so far. It works on bytes with index arithmetic and
// counts lines and columns as it passes them, so a position costs nothing however long the line is.

/// Reads the tokens of a text, one after the other, and records what deviates from the dialect.
struct Scanner {
    /// Well-formed UTF-8: an index never stands inside a scalar.
    let bytes: [UInt8]
    let dialect: SourceDialect
    let limits: SourceLimits
    var index = 0
    var line = 1
    /// The index of column 1, moved on by one for each continuation byte passed since, so that columns count scalars.
    var columnBase = 0
    var problems: [SourceProblem] = []
    /// Too much is wrong, or something that cannot be read past: stop here, and offer no value.
    var isStopped = false
    /// The bytes of a string whose escapes had to be decoded; kept to reuse its memory.
    var decoded: [UInt8] = []

    init(_ bytes: [UInt8], dialect: SourceDialect, limits: SourceLimits) {
        self.bytes = bytes
        self.dialect = dialect
        self.limits = limits
    }

    var position: SourcePosition {
        SourcePosition(bounded: line, index - columnBase + 1, index)
    }

    var isAtEnd: Bool { index >= bytes.count }

    /// The byte at the cursor, or a zero at the end of the text; no token begins with either.
    var byte: UInt8 { peek(0) }

    func peek(_ distance: Int) -> UInt8 {
        index + distance < bytes.count ? bytes[index + distance] : 0
    }

    /// The first byte behind white space, or a zero at the end of the text.
    func byteAfterSpace(_ offset: Int) -> UInt8 {
        var offset = offset
        while offset < bytes.count, bytes[offset].isSpace { offset += 1 }
        return offset < bytes.count ? bytes[offset] : 0
    }

    /// The range from `start` to the cursor.
    func range(from start: SourcePosition) -> SourceRange {
        SourceRange(start: start, end: position)
    }

    /// Whether the text goes on with these characters.
    func continues(with text: String) -> Bool {
        continues(with: text, at: index)
    }

    func continues(with text: String, at offset: Int) -> Bool {
        bytes[min(offset, bytes.count)...].starts(with: text.utf8)
    }

    /// The scalar at the cursor and its length in bytes; U+0000 of length 0 at the end.
    func scalar(at offset: Int) -> (value: UInt32, length: Int) {
        guard offset < bytes.count else { return (0, 0) }
        let lead = UInt32(bytes[offset])
        let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard length > 1, length <= bytes.count - offset else { return (lead, 1) }
        var value = lead & (0xFF >> UInt32(length + 1))
        for place in 1..<length { value = value << 6 | UInt32(bytes[offset + place] & 0x3F) }
        return (value, length)
    }

    /// Passes one scalar; a CRLF is one line break and passed whole.
    mutating func advance() {
        switch byte {
        case Byte.lineFeed, Byte.carriageReturn: advanceLine()
        case 0..<0x80: index = min(index + 1, bytes.count)
        default:
            let length = scalar(at: index).length
            index += length
            columnBase += length - 1
        }
    }

    /// Passes LF, CR or CRLF.
    mutating func advanceLine() {
        index += bytes[index] == Byte.carriageReturn && peek(1) == Byte.lineFeed ? 2 : 1
        line += 1
        columnBase = index
    }

    /// Passes scalars until `end`, an index on a scalar.
    mutating func advance(to end: Int) {
        while index < end { advance() }
    }

    /// Returns to a position this cursor has been at.
    mutating func rewind(to position: SourcePosition) {
        index = position.offset
        line = position.line
        columnBase = position.offset - position.column + 1
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Records that the text from `start` to the cursor deviates.
    mutating func report(
        _ kind: SourceProblemKind, from start: SourcePosition, subject: String? = nil, related: SourceRange? = nil,
        replacement: @autoclosure () -> String? = nil
    ) {
        let range = range(from: start)
        report(
            kind, at: range, subject: subject, related: related,
            edit: replacement().map { SourceEdit(range: range, replacement: $0) })
    }

    /// Records that a stretch of the text deviates. Without a subject, the text itself is the subject.
    mutating func report(
        _ kind: SourceProblemKind, at range: SourceRange, subject: String? = nil, related: SourceRange? = nil,
        edit: @autoclosure () -> SourceEdit? = nil
    ) {
        let standing = kind.standing(in: dialect)
        guard standing != .permitted else { return }
        if problems.count < limits.problems {
            problems.append(
                SourceProblem(
                    kind: kind, range: range, subject: subject ?? defaultSubject(of: kind, at: range), related: related,
                    edit: edit(), isError: standing == .error))
            return
        }
        // Warnings beyond the limit are dropped: they must not make an acceptable text unacceptable.
        guard standing == .error else { return }
        // What JSON5 permits is no reason to stop: a long file of comments still has a value to look at.
        if kind.standing(in: .json5) != .permitted { isStopped = true }
        guard problems.count == limits.problems else { return }
        // Behind all that are listed: an encoding is judged before the text is read from its beginning.
        let last = problems[problems.count - 1].range
        problems.append(
            SourceProblem(
                kind: .tooManyProblems, range: last.start.offset > range.start.offset ? last : range,
                subject: "\(limits.problems)", related: nil, edit: nil,
                isError: true))
    }

    /// Records that the text from `start` to the cursor cannot be read past.
    mutating func stop(
        _ kind: SourceProblemKind, from start: SourcePosition, subject: String? = nil, related: SourceRange? = nil
    ) {
        stop(kind, at: range(from: start), subject: subject, related: related)
    }

    /// Records what cannot be read past, at one place.
    mutating func stop(
        _ kind: SourceProblemKind, at place: SourcePosition, subject: String? = nil, related: SourceRange? = nil
    ) {
        stop(kind, at: SourceRange(at: place), subject: subject, related: related)
    }

    private mutating func stop(
        _ kind: SourceProblemKind, at range: SourceRange, subject: String?, related: SourceRange?
    ) {
        if !isStopped { report(kind, at: range, subject: subject, related: related) }
        isStopped = true
    }

    private func defaultSubject(of kind: SourceProblemKind, at range: SourceRange) -> String {
        switch kind {
        case .controlCharacter, .otherWhiteSpace, .invisibleCharacter: scalarName(at: range.start.offset)
        default: excerpt(range.start.offset..<range.end.offset)
        }
    }

    /// A stretch of the text for a message: at most 40 scalars, nothing in it that a terminal would act on.
    func excerpt(_ range: Range<Int>) -> String {
        Printable.text(bytes[range], scalarsMax: 40)
    }

    /// The name of the scalar at the cursor, such as `U+00A0`.
    func scalarName(at offset: Int) -> String {
        Printable.name(scalar(at: offset).value)
    }

    /// Passes everything up to the next token.
    mutating func skipTrivia() {
        while index < bytes.count {
            switch bytes[index] {
            case Byte.space, Byte.tab: index += 1
            case Byte.lineFeed:
                index += 1
                line += 1
                columnBase = index
            case Byte.carriageReturn: advanceLine()
            case Byte.slash:
                guard skipComment() else { return }
            case Byte.hash:
                skipHashComment()
                if isStopped { return }
            case 0x0B, 0x0C, 0x80...0xFF:
                guard skipOddSpace() else { return }
            default: return
            }
        }
    }

    /// Passes a comment of JSON5 §7; false if the slash begins none.
    private mutating func skipComment() -> Bool {
        let start = position
        switch peek(1) {
        case Byte.slash:
            skipLine()
            report(.comment, from: start, replacement: "")
        case Byte.asterisk:
            index += 2
            while !(byte == Byte.asterisk && peek(1) == Byte.slash) {
                guard !isAtEnd else {
                    stop(.unterminatedComment, from: start)
                    return true
                }
                advance()
            }
            index += 2
            report(.comment, from: start, replacement: "")
        default: return false
        }
        return true
    }

    private mutating func skipHashComment() {
        let start = position
        skipLine()
        let mended = dialect == .json5 ? "//" + text(start.offset + 1..<index) : ""
        report(.hashComment, from: start, replacement: mended)
    }

    /// Passes the rest of the line, up to its break; U+2028 and U+2029 end a comment too (JSON5 §7).
    mutating func skipLine() {
        while index < bytes.count {
            let byte = bytes[index]
            if byte == Byte.lineFeed || byte == Byte.carriageReturn { return }
            if byte == 0xE2, peek(1) == 0x80, peek(2) & 0xFE == 0xA8 { return }
            if byte.isContinuation { columnBase += 1 }
            index += 1
        }
    }

    /// Passes a run of spaces that JSON does not know, reported once; false if the cursor is not at one.
    private mutating func skipOddSpace() -> Bool {
        let start = position
        guard let kind = Self.oddSpace(scalar(at: index).value) else { return false }
        repeat { advance() } while Self.oddSpace(scalar(at: index).value) == kind
        report(kind, from: start, replacement: kind == .otherWhiteSpace ? " " : "")
        return true
    }

    /// White space of JSON5 §8 beyond that of JSON, and characters that show as nothing and are white space to no one.
    static func oddSpace(_ scalar: UInt32) -> SourceProblemKind? {
        switch scalar {
        case 0x0B, 0x0C, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: .otherWhiteSpace
        case 0xAD, 0x180E, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x2069: .invisibleCharacter
        default: nil
        }
    }

    /// The end of a template placeholder that begins at the cursor and ends on the same line.
    var placeholderEnd: Int? {
        let closing: String
        switch (byte, peek(1)) {
        case (Byte.openBrace, Byte.openBrace): closing = peek(2) == Byte.openBrace ? "}}}" : "}}"
        case (Byte.openBrace, Byte.percent): closing = "%}"
        case (Byte.less, Byte.percent): closing = "%>"
        case (Byte.dollar, Byte.openBrace): closing = "}"
        case (Byte.dollar, UInt8(ascii: "(")): closing = ")"
        case (Byte.less, _) where peek(1).isLetter: closing = ">"
        default: return nil
        }
        // No placeholder is longer than this, and the bound keeps a line of them linear.
        let limit = min(bytes.count, index + 200)
        var end = index + 2
        while end < limit, bytes[end] != Byte.lineFeed {
            if continues(with: closing, at: end) { return end + closing.utf8.count }
            end += 1
        }
        return nil
    }

    /// Whether a line of a merge that was never finished begins at the cursor.
    var isConflictMarker: Bool {
        index == columnBase
            && (continues(with: "<<<<<<<") || continues(with: "=======") || continues(with: ">>>>>>>")
                || continues(with: "|||||||"))
    }
}
