// The mechanical form of a fix, so that an editor or a `--fix` can apply it.

/// A suggested replacement of a stretch of the source text.
public struct SourceEdit: Hashable, Sendable {
    public var range: SourceRange
    public var replacement: String

    public init(range: SourceRange, replacement: String) {
        self.range = range
        self.replacement = replacement
    }

    /// An insertion.
    public init(inserting text: String, at place: SourcePosition) {
        self.init(range: SourceRange(at: place), replacement: text)
    }
}
