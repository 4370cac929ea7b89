// Chooses between the plain and the gzip form of a body, by `Accept-Encoding` (RFC 9110 §12.5.3).

/// A content coding that this server prepares bodies in.
public enum ContentCoding: UInt8, Sendable {
    case identity
    case gzip
}

public enum AcceptEncoding {
    /// The form to send when both exist, or nil when the client accepts neither. Without the field it is the plain one: some
    /// verifiers do not decode. At equal weight gzip wins, because it is shorter.
    public static func choose(_ field: FieldValue, in head: Span<UInt8>) -> ContentCoding? {
        guard field.isPresent else { return .identity }
        var weights = Weights()
        var segments = FieldSegments(field, named: "accept-encoding")
        while let segment = segments.next(head) {
            var members = ListMembers(segment)
            while let member = members.next(head) { weights.note(head, member) }
        }
        let gzip = weights.gzip ?? weights.any ?? 0
        // Identity is acceptable unless it is refused by name or by a refused asterisk.
        let identity = weights.identity ?? weights.any.map { $0 == 0 ? 0 : 1 } ?? 1
        if gzip == 0, identity == 0 { return nil }
        if gzip > 0, gzip >= identity || weights.identity == nil { return .gzip }
        return .identity
    }

    /// The weights in the list, in thousandths.
    private struct Weights {
        var gzip: Int?
        var identity: Int?
        var any: Int?

        mutating func note(_ head: Span<UInt8>, _ member: ByteRange) {
            let start = member.range.lowerBound
            let end = member.range.upperBound
            let semicolon = head.firstIndex(of: UInt8(ascii: ";"), from: start, to: end) ?? end
            let name = head.extracting(head.trimmed(start, semicolon).range)
            guard let weight = semicolon == end ? 1000 : Quality.read(head, semicolon + 1, end) else { return }
            if name.equalsIgnoringCase("gzip") || name.equalsIgnoringCase("x-gzip") {
                gzip = weight
            } else if name.equalsIgnoringCase("identity") {
                identity = weight
            } else if name.equals("*") {
                any = weight
            }
        }
    }
}

/// A weight such as `q=0.5` (RFC 9110 §12.4.2).
enum Quality {
    /// In thousandths; nil when it is malformed, so that its member is ignored.
    static func read(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let text = bytes.extracting(bytes.trimmed(start, end).range)
        guard text.count >= 3, text.count <= 7, Octet.lowercased(text[0]) == UInt8(ascii: "q"),
            text[1] == UInt8(ascii: "="),
            text[2] == UInt8(ascii: "0") || text[2] == UInt8(ascii: "1")
        else { return nil }
        var thousandths = Int(text[2] - 0x30) * 1000
        if text.count == 3 { return thousandths }
        guard text[3] == UInt8(ascii: ".") else { return nil }
        var unit = 100
        for index in 4..<text.count {
            guard Octet.isDigit(text[index]) else { return nil }
            thousandths += Int(text[index] - 0x30) * unit
            unit /= 10
        }
        return thousandths <= 1000 ? thousandths : nil
    }
}
