// The values of a field that stands in a head more than once. Lists that are sent in several lines are one list (RFC 9110
// §5.3), and the lines of other fields may lie between them.

/// Walks over the values of one field, in order. Nearly always there is one.
struct FieldSegments {
    private let name: StaticString
    private var position: Int
    private let end: Int
    private var isFirst = true

    /// `name` is in lower case.
    init(_ field: FieldValue, named name: StaticString) {
        self.name = name
        position = field.range.range.lowerBound
        end = field.range.range.upperBound
        if !field.isPresent { isFirst = false }
    }

    mutating func next(_ bytes: Span<UInt8>) -> ByteRange? {
        if isFirst {
            isFirst = false
            return takeLine(bytes, from: position)
        }
        while position < end {
            // The parser has checked each line: a token, a colon, a value.
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":"), from: position, to: end) else { return nil }
            let isOurs = bytes.extracting(position..<colon).equalsIgnoringCase(name)
            let value = takeLine(bytes, from: colon + 1)
            if isOurs { return value }
        }
        return nil
    }

    private mutating func takeLine(_ bytes: Span<UInt8>, from start: Int) -> ByteRange {
        let lineEnd = bytes.firstIndex(of: Octet.carriageReturn, from: start, to: end) ?? end
        position = min(lineEnd + 2, end)
        return bytes.trimmed(start, lineEnd)
    }
}

/// Walks over the members of a comma-separated list; empty members are skipped (RFC 9110 §5.6.1.2). Members that are
/// quoted strings with commas in them are the business of those who read such lists.
struct ListMembers {
    private var position: Int
    private let end: Int

    init(_ range: ByteRange) {
        position = range.range.lowerBound
        end = range.range.upperBound
    }

    mutating func next(_ bytes: Span<UInt8>) -> ByteRange? {
        while position < end {
            let comma = bytes.firstIndex(of: UInt8(ascii: ","), from: position, to: end) ?? end
            let member = bytes.trimmed(position, comma)
            position = comma + 1
            if member.count > 0 { return member }
        }
        return nil
    }
}
