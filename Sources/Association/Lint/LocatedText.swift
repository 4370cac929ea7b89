// A string and the place it was read from.

public import SourceJSON

/// A string of a document with its range.
public struct LocatedText: Hashable, Sendable {
    public var text: String
    public var range: SourceRange

    public init(_ text: String, range: SourceRange) {
        self.text = text
        self.range = range
    }
}
