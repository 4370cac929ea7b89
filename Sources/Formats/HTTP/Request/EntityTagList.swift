// The lists of entity tags in `If-Match` and `If-None-Match` (RFC 9110 §13.1).

/// Looks for an entity tag in a list of them.
public enum EntityTagList {
    /// How two tags are compared (RFC 9110 §8.8.3.2).
    public enum Comparison: Sendable {
        /// For If-None-Match: `W/` makes no difference.
        case weak
        /// For If-Match: a weak tag equals nothing.
        case strong
    }

    /// Whether the field is `*` or has `tag` (a strong one, with its quotes) in its list.
    public static func matches(
        _ field: FieldValue, named name: StaticString, in head: Span<UInt8>, tag: Span<UInt8>, _ comparison: Comparison
    ) -> Bool {
        var segments = FieldSegments(field, named: name)
        while let segment = segments.next(head) {
            if head.extracting(segment.range).equals("*") { return true }
            var position = segment.range.lowerBound
            while let entry = nextTag(head, &position, segment.range.upperBound) {
                if entry.isWeak, comparison == .strong { continue }
                if head.extracting(entry.range.range).equals(tag) { return true }
            }
        }
        return false
    }

    /// The next `"…"` or `W/"…"` and whether it is weak. Anything else ends the list, because the rest is unreliable.
    private static func nextTag(_ head: Span<UInt8>, _ position: inout Int, _ end: Int) -> (
        range: ByteRange, isWeak: Bool
    )? {
        while position < end {
            let byte = head[position]
            if byte != Octet.space, byte != Octet.tab, byte != UInt8(ascii: ",") { break }
            position += 1
        }
        let isWeak =
            position + 1 < end && head[position] == UInt8(ascii: "W") && head[position + 1] == UInt8(ascii: "/")
        let start = isWeak ? position + 2 : position
        guard start < end, head[start] == UInt8(ascii: "\""),
            let close = head.firstIndex(of: UInt8(ascii: "\""), from: start + 1, to: end)
        else { return nil }
        position = close + 1
        return (ByteRange(start, close + 1), isWeak)
    }
}
