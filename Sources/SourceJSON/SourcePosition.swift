// Where something stands in a source text, as editors and compilers count it.

/// A place in a source text: line and column from 1 (columns count Unicode scalars), and the byte offset from 0 in the
/// text as UTF-8 without its byte order mark.
public struct SourcePosition: Hashable, Sendable {
    public var line: Int
    public var column: Int
    public var offset: Int

    public init(line: Int, column: Int, offset: Int) {
        self.line = line
        self.column = column
        self.offset = offset
    }
}

/// A stretch of a source text: from its first scalar up to, not including, `end`.
public struct SourceRange: Hashable, Sendable {
    public var start: SourcePosition
    public var end: SourcePosition

    public init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }
}

extension SourcePosition {
    /// The beginning of a text.
    public static let start = SourcePosition(line: 1, column: 1, offset: 0)
}

extension SourceRange {
    /// The range of a value that was never written: empty, at the beginning.
    public static let none = SourceRange(start: .start, end: .start)

    /// Whether it covers no text.
    public var isEmpty: Bool { start.offset == end.offset }
}
