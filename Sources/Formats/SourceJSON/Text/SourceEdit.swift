// The mechanical form of a fix, so that an editor or a `--fix` can apply it.

/// A suggested replacement of a part of the source text.
public struct SourceEdit: Hashable, Sendable {
    public var range: SourceRange
    public var replacement: String
    /// Whether readers that accept the text as it is would read it differently afterwards. Such an edit is advice: nothing applies it
    /// unless a person agrees.
    public var changesMeaning: Bool

    public init(range: SourceRange, replacement: String, changesMeaning: Bool = false) {
        (self.range, self.replacement, self.changesMeaning) = (range, replacement, changesMeaning)
    }

    public init(inserting text: String, at place: SourcePosition) {
        self.init(range: SourceRange(at: place), replacement: text)
    }

    /// The text with these edits applied, and how many were: of edits that touch each other, only the first.
    public static func apply(_ edits: [SourceEdit], to text: [UInt8]) -> (text: [UInt8], count: Int) {
        var result: [UInt8] = []
        var (place, count) = (0, 0)
        for edit in edits.sorted(by: { $0.range.start.offset < $1.range.start.offset }) {
            let (start, end) = (edit.range.start.offset, edit.range.end.offset)
            guard count == 0 ? start >= 0 : start > place, end >= start, end <= text.count else { continue }
            result += text[place..<start]
            result += edit.replacement.utf8
            (place, count) = (end, count + 1)
        }
        return (withoutMarks(result + text[place...]), count)
    }

    /// The text if it can be edited, or nil: with zero bytes in it, it would be taken for another encoding.
    public static func editable(_ document: SourceDocument) -> [UInt8]? {
        document.text.isEmpty || document.text.contains(0) ? nil : withoutMarks(document.text)
    }

    private static func withoutMarks(_ text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        while rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        return Array(rest)
    }
}
