// The values of a field that a head has more than once. A list that is sent in several lines is one list (RFC 9110 §5.3), and
// lines of other fields may be between them.

/// Iterates over the values of one field, in order. Nearly always there is one.
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
            let isOfField = bytes.extracting(position..<colon).equalsIgnoringCase(name)
            let value = takeLine(bytes, from: colon + 1)
            if isOfField { return value }
        }
        return nil
    }

    private mutating func takeLine(_ bytes: Span<UInt8>, from start: Int) -> ByteRange {
        let lineEnd = bytes.firstIndex(of: Octet.carriageReturn, from: start, to: end) ?? end
        position = min(lineEnd + 2, end)
        return bytes.trimmed(start, lineEnd)
    }
}

/// Iterates over the members of a comma-separated list and skips empty ones (RFC 9110 §5.6.1.2). It does not know quoted
/// strings, so it is not for lists whose members may contain quoted commas.
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
