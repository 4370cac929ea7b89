// One thing wrong with a text: what, where, and what would mend it. The words for it are in
// `SourceProblem+Message.swift`.

/// A deviation from the dialect a text was read as.
public struct SourceProblem: Hashable, Sendable {
    public let kind: SourceProblemKind
    public let range: SourceRange
    /// The text it concerns or what takes its place in the message, shortened and printable.
    public let subject: String
    /// Another place that explains it: the bracket that was opened, the key that came first, the value that ended.
    public let related: SourceRange?
    /// The replacement of text that mends it, where that is mechanical.
    public let edit: SourceEdit?
    /// False for what the dialect allows but nobody should rely on.
    public let isError: Bool
}
