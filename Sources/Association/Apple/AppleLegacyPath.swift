// The rules of iOS 9 to 12, read from strings with or without `NOT ` before them.

public import SourceJSON

/// One entry of the legacy `paths`.
public struct AppleLegacyPath: Hashable, Sendable {
    /// As it was written.
    public var text: String
    /// Without the prefix `NOT `.
    public var pattern: String
    public var exclude: Bool
    public var range: SourceRange

    public init(text: String, pattern: String, exclude: Bool = false, range: SourceRange) {
        self.text = text
        self.pattern = pattern
        self.exclude = exclude
        self.range = range
    }
}
