// Positions in a source text, as editors and compilers count them. Each number has 32 bits: every value and key carries two
// positions, and with 64 bits reading took a third longer.

/// A place in a source text: line and column from 1 (columns count Unicode scalars), and the byte offset from 0 in the
/// text as UTF-8 without its byte order mark.
public struct SourcePosition: Hashable, Sendable {
    private var storedLine: UInt32
    private var storedColumn: UInt32
    private var storedOffset: UInt32

    public init(line: Int, column: Int, offset: Int) {
        storedLine = UInt32(clamping: line)
        storedColumn = UInt32(clamping: column)
        storedOffset = UInt32(clamping: offset)
    }

    /// A position known to lie within a text; the bytes of a text are limited to less than 32 bits.
    init(bounded line: Int, _ column: Int, _ offset: Int) {
        storedLine = UInt32(truncatingIfNeeded: line)
        storedColumn = UInt32(truncatingIfNeeded: column)
        storedOffset = UInt32(truncatingIfNeeded: offset)
    }

    public var line: Int {
        get { Int(storedLine) }
        set { storedLine = UInt32(clamping: newValue) }
    }

    public var column: Int {
        get { Int(storedColumn) }
        set { storedColumn = UInt32(clamping: newValue) }
    }

    public var offset: Int {
        get { Int(storedOffset) }
        set { storedOffset = UInt32(clamping: newValue) }
    }

    /// The beginning of a text.
    public static let start = SourcePosition(line: 1, column: 1, offset: 0)
}

/// A part of a source text: from its first scalar up to, but not including, `end`.
public struct SourceRange: Hashable, Sendable {
    public var start: SourcePosition
    public var end: SourcePosition

    public init(start: SourcePosition, end: SourcePosition) {
        (self.start, self.end) = (start, end)
    }

    /// The empty range at a place.
    public init(at place: SourcePosition) {
        self.init(start: place, end: place)
    }

    /// The range of a value that was not read from a text: empty, at the beginning.
    public static let none = SourceRange(at: .start)

    public var isEmpty: Bool { start.offset == end.offset }

    package func contains(_ other: SourceRange) -> Bool {
        other.start.offset >= start.offset && other.end.offset <= end.offset
    }
}
