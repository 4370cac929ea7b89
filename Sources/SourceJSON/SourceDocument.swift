// What reading gives: the value as far as there is one, and everything that was wrong on the way.

/// A text that has been read.
public struct SourceDocument: Sendable {
    /// The value; nil where the text could not be read to its end. A value beside problems that are errors is what the
    /// text would be once they are mended: good for finding what else is wrong, not for publishing.
    public let value: SourceValue?
    /// What deviates from the dialect, in the order of the text.
    public let problems: [SourceProblem]
    public let encoding: SourceEncoding
    public let hasByteOrderMark: Bool
    /// The text as UTF-8 without byte order mark, U+FFFD standing for what could not be decoded; empty where the bytes
    /// are no text or too many. Every range lies within it.
    public let text: [UInt8]

    /// Whether the text is one of the dialect it was read as.
    public var isAcceptable: Bool {
        value != nil && !problems.contains(where: \.isError)
    }
}
