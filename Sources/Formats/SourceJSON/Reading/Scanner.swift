// The cursor over a text: its position, and the problems found so far. It works on bytes and counts lines and columns as it
// goes, so a position takes constant time, even in a long line.

/// Reads the tokens of a text, one after the other, and records deviations from the dialect.
struct Scanner {
    /// Well-formed UTF-8: an index is never inside a scalar.
    let bytes: [UInt8]
    let dialect: SourceDialect
    let limits: SourceLimits
    var index = 0
    var line = 1
    /// The index of column 1, plus one for each continuation byte read since, so that columns count scalars.
    var columnBase = 0
    var problems: [SourceProblem] = []
    /// There are too many problems, or one that ends reading; then there is no value.
    var isStopped = false
    /// The bytes of a string with escapes, decoded; a property to reuse its memory.
    var decoded: [UInt8] = []

    init(_ bytes: [UInt8], dialect: SourceDialect, limits: SourceLimits) {
        (self.bytes, self.dialect, self.limits) = (bytes, dialect, limits)
    }

    var position: SourcePosition {
        SourcePosition(bounded: line, index - columnBase + 1, index)
    }

    var isAtEnd: Bool { index >= bytes.count }

    /// The byte at the cursor, or zero at the end of the text; no token begins with zero.
    var byte: UInt8 { byteOrZero(index) }

    func peek(_ distance: Int) -> UInt8 { byteOrZero(index + distance) }

    func byteOrZero(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// The first byte after white space, or zero at the end of the text.
    func byteAfterSpace(_ offset: Int) -> UInt8 { byteOrZero(indexAfterSpace(offset)) }

    func indexAfterSpace(_ offset: Int) -> Int {
        var offset = offset
        while byteOrZero(offset).isSpace { offset += 1 }
        return offset
    }

    func range(from start: SourcePosition) -> SourceRange {
        SourceRange(start: start, end: position)
    }

    /// Whether a text is at the cursor, or at another place.
    func continues(with text: String, at offset: Int? = nil) -> Bool {
        bytes[min(offset ?? index, bytes.count)...].starts(with: text.utf8)
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

    /// Skips one scalar; CRLF is one line break and is skipped as a whole.
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

    /// Skips LF, CR or CRLF.
    mutating func advanceLine() {
        index += bytes[index] == Byte.carriageReturn && peek(1) == Byte.lineFeed ? 2 : 1
        line += 1
        columnBase = index
    }

    /// Skips scalars until `end`, the index of a scalar.
    mutating func advance(to end: Int) {
        while index < end { advance() }
    }

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

    /// Records that a part of the text deviates. Without a subject, the text itself is the subject.
    mutating func report(
        _ kind: SourceProblemKind, at range: SourceRange, subject: String? = nil, related: SourceRange? = nil,
        edit: @autoclosure () -> SourceEdit? = nil
    ) {
        let treatment = kind.treatment(in: dialect)
        guard treatment != .permitted else { return }
        if problems.count < limits.problems {
            problems.append(
                SourceProblem(
                    kind: kind, range: range, subject: subject ?? defaultSubject(of: kind, at: range), related: related,
                    edit: edit(), isError: treatment == .error))
            return
        }
        // Warnings beyond the limit are dropped: they must not make an acceptable text unacceptable.
        guard treatment == .error else { return }
        // What JSON5 permits does not stop reading: a file with many comments still has a value to check.
        if kind.treatment(in: .json5) != .permitted { isStopped = true }
        guard problems.count == limits.problems else { return }
        // After all that are listed: encoding problems are found before the text is read from its beginning.
        let last = problems[problems.count - 1].range
        problems.append(
            SourceProblem(
                kind: .tooManyProblems, range: last.start.offset > range.start.offset ? last : range,
                subject: "\(limits.problems)", related: nil, edit: nil,
                isError: true))
    }

    /// Records that the text from `start` to the cursor ends reading.
    mutating func stop(
        _ kind: SourceProblemKind, from start: SourcePosition, subject: String? = nil, related: SourceRange? = nil
    ) {
        stop(kind, at: range(from: start), subject: subject, related: related)
    }

    /// Records a problem at one place that ends reading.
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

    /// A part of the text for a message: at most 40 scalars, without control characters.
    func excerpt(_ range: Range<Int>) -> String {
        Printable.text(bytes[range], scalarsMax: 40)
    }

    /// The name of the scalar at the cursor, such as `U+00A0`.
    func scalarName(at offset: Int) -> String {
        Printable.name(Unicode.Scalar(scalar(at: offset).value) ?? "\u{FFFD}")
    }

    /// Skips everything up to the next token.
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
                guard skipNonstandardSpace() else { return }
            default: return
            }
        }
    }

    /// Skips a comment of JSON5 §7; false if the slash does not begin one.
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
        let replacement = dialect == .json5 ? "//" + text(start.offset + 1..<index) : ""
        report(.hashComment, from: start, replacement: replacement)
    }

    /// Skips the rest of the line, up to its break; U+2028 and U+2029 end a comment too (JSON5 §7).
    mutating func skipLine() {
        while index < bytes.count {
            let byte = bytes[index]
            if byte == Byte.lineFeed || byte == Byte.carriageReturn { return }
            if byte == 0xE2, peek(1) == 0x80, peek(2) & 0xFE == 0xA8 { return }
            if byte.isContinuation { columnBase += 1 }
            index += 1
        }
    }

    /// Skips a run of spaces that JSON does not allow, and reports it once; false if the cursor is not at one.
    private mutating func skipNonstandardSpace() -> Bool {
        let start = position
        guard let kind = Self.nonstandardSpace(scalar(at: index).value) else { return false }
        repeat { advance() } while Self.nonstandardSpace(scalar(at: index).value) == kind
        report(kind, from: start, replacement: kind == .otherWhiteSpace ? " " : "")
        return true
    }

    /// White space of JSON5 §8 that JSON does not have, and invisible characters that are not white space in either.
    static func nonstandardSpace(_ scalar: UInt32) -> SourceProblemKind? {
        switch scalar {
        case 0x0B, 0x0C, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: .otherWhiteSpace
        case 0xAD, 0x180E, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x2069: .invisibleCharacter
        default: nil
        }
    }

    /// No placeholder is longer; the limit keeps reading linear where a line has many of them.
    static let placeholderMax = 200

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
        let limit = min(bytes.count, index + Scanner.placeholderMax)
        var end = index + 2
        while end < limit, bytes[end] != Byte.lineFeed {
            if continues(with: closing, at: end) { return end + closing.utf8.count }
            end += 1
        }
        return nil
    }

    /// Whether a marker of an unresolved merge begins at the cursor.
    var isConflictMarker: Bool {
        index == columnBase
            && (continues(with: "<<<<<<<") || continues(with: "=======") || continues(with: ">>>>>>>")
                || continues(with: "|||||||"))
    }
}
