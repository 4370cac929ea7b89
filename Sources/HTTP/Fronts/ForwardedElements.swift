// The value of `Forwarded` (RFC 7239 §4): elements between commas, parameters between semicolons, values as tokens or quoted
// strings, in which commas and semicolons separate nothing.

/// Walks over the elements of one line.
struct ForwardedElements {
    /// What an element says; quotes are left out. A value with an escaped byte in it is none that means anything here.
    struct Element {
        var node: ByteRange = .absent
        var proto: ByteRange = .absent
        var host: ByteRange = .absent
    }

    private var position: Int
    private let end: Int
    /// Whether the walk has ended before the end of the line.
    private(set) var isMalformed = false

    init(_ line: ByteRange) {
        position = line.range.lowerBound
        end = line.range.upperBound
    }

    mutating func next(_ bytes: Span<UInt8>) -> Element? {
        var element = Element()
        var hasPair = false
        while !isMalformed, position < end {
            skipBlanks(bytes)
            guard position < end else { break }
            switch bytes[position] {
            case UInt8(ascii: ","):
                position += 1
                // An empty element is none (RFC 9110 §5.6.1.2).
                if hasPair { return element }
            case UInt8(ascii: ";"): position += 1
            default:
                readPair(bytes, into: &element)
                hasPair = true
            }
        }
        return hasPair && !isMalformed ? element : nil
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while position < end, bytes[position] == Octet.space || bytes[position] == Octet.tab { position += 1 }
    }

    private mutating func readPair(_ bytes: Span<UInt8>, into element: inout Element) {
        let start = position
        while position < end, Octet.isToken(bytes[position]) { position += 1 }
        let name = bytes.extracting(start..<position)
        guard !name.isEmpty, position < end, bytes[position] == UInt8(ascii: "=") else { return fail() }
        position += 1
        guard let value = readValue(bytes) else { return fail() }
        skipBlanks(bytes)
        guard position == end || bytes[position] == UInt8(ascii: ";") || bytes[position] == UInt8(ascii: ",") else {
            return fail()
        }
        // RFC 7239 §4: each parameter once in an element.
        if name.equalsIgnoringCase("for") {
            if element.node.isPresent { return fail() }
            element.node = value
        } else if name.equalsIgnoringCase("proto") {
            if element.proto.isPresent { return fail() }
            element.proto = value
        } else if name.equalsIgnoringCase("host") {
            if element.host.isPresent { return fail() }
            element.host = value
        }
    }

    private mutating func readValue(_ bytes: Span<UInt8>) -> ByteRange? {
        guard position < end else { return nil }
        let start = position
        if bytes[position] != UInt8(ascii: "\"") {
            while position < end, Octet.isToken(bytes[position]) { position += 1 }
            return position > start ? ByteRange(start, position) : nil
        }
        position += 1
        while position < end, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") { position += 1 }
            position += 1
        }
        guard position < end else { return nil }
        position += 1
        return ByteRange(start + 1, position - 1)
    }

    private mutating func fail() { isMalformed = true }
}
