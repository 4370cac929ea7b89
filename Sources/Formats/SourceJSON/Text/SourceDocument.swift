// The result of reading: the value, if there is one, and all problems.

/// A text that has been read.
public struct SourceDocument: Sendable {
    /// The value; nil where the text could not be read to its end. If a problem is an error, this is the value after it is
    /// fixed: good for finding further problems, but not for publishing.
    public let value: SourceValue?
    /// What deviates from the dialect, in the order of the text.
    public let problems: [SourceProblem]
    /// The text as UTF-8 without byte order mark, with U+FFFD for what could not be decoded; empty where the bytes are not
    /// text or are too many. Every range is within it.
    public let text: [UInt8]

    /// Whether the text is valid in the dialect that it was read as.
    public var isAcceptable: Bool {
        value != nil && !problems.contains(where: \.isError)
    }

    /// The most scalars that are shown of a line.
    private static let lineScalarsMax = 160

    /// The line on which a range begins, cut around it, and the place of the caret.
    public func excerpt(of range: SourceRange) -> SourceExcerpt {
        let place = min(max(0, range.start.offset), text.count)
        let width = Self.lineScalarsMax
        let start = scalars(before: place, max: width / 2)
        let end = scalars(after: place, max: width / 2)
        let before = Printable.text(text[start..<place], scalarsMax: width)
        let after = Printable.text(text[place..<end], scalarsMax: width)
        let isCutBefore = start > 0 && !isLineBreak(start - 1)
        let isCutAfter = end < text.count && !isLineBreak(end)
        let marked = text[place..<max(place, min(end, range.end.offset))]
        let caretLength = marked.count { !$0.isContinuation }
        return SourceExcerpt(
            text: (isCutBefore ? "…" : "") + before + after + (isCutAfter ? "…" : ""),
            caretColumn: before.unicodeScalars.count + (isCutBefore ? 1 : 0), caretLength: max(1, caretLength))
    }

    private func isLineBreak(_ offset: Int) -> Bool {
        text[offset] == Byte.lineFeed || text[offset] == Byte.carriageReturn
    }

    /// The offset up to `max` scalars before a place, on the same line.
    private func scalars(before place: Int, max: Int) -> Int {
        var start = place
        var count = 0
        while start > 0, !isLineBreak(start - 1), count < max {
            start -= 1
            if !text[start].isContinuation { count += 1 }
        }
        return start
    }

    private func scalars(after place: Int, max: Int) -> Int {
        var end = place
        var count = 0
        while end < text.count, !isLineBreak(end) {
            if !text[end].isContinuation { count += 1 }
            if count > max { break }
            end += 1
        }
        return end
    }
}

/// A part of a source line, with the place of a range in it.
public struct SourceExcerpt: Hashable, Sendable {
    /// The line, or the part of it around the place, with `…` where it was cut; every scalar is printable.
    public let text: String
    /// Scalars before the place, within `text`.
    public let caretColumn: Int
    /// Scalars to underline, at least 1; no more than the rest of `text`, unless the place is its end.
    public let caretLength: Int
}
