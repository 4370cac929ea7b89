// The `Range` field (RFC 9110 §14.2) against a body of known length. A malformed field is ignored, as the specification allows for
// any reason, and so is one with several ranges: the whole body is sent then.

/// The part of a body that a client asks for.
public enum RequestedRange: Equatable, Sendable {
    /// Send the whole body.
    case ignored
    /// Within the body and not empty.
    case satisfiable(Range<Int>)
    /// Nothing of it is within the body.
    case unsatisfiable

    public init(_ value: Span<UInt8>, bodyCount: Int) {
        self = .ignored
        guard let equals = value.firstIndex(of: UInt8(ascii: "=")),
            value.extracting(0..<equals).equalsIgnoringCase("bytes")
        else { return }
        var members = ListMembers(ByteRange(equals + 1, value.count))
        guard let member = members.next(value), members.next(value) == nil,
            let specification = Specification(value.extracting(member.range))
        else { return }
        self = specification.resolve(bodyCount).map { .satisfiable($0) } ?? .unsatisfiable
    }

    /// One `first-last`, `first-` or `-suffix`.
    private struct Specification {
        private let first: Int?
        private let last: Int?

        /// Nil when it is malformed.
        init?(_ text: Span<UInt8>) {
            guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
            let (start, end) = (text.extracting(0..<dash), text.extracting(dash + 1..<text.count))
            (first, last) = (Specification.number(start), Specification.number(end))
            guard first != nil || start.isEmpty, last != nil || end.isEmpty, first != nil || last != nil else {
                return nil
            }
            if let first, let last, last < first { return nil }
        }

        /// The part that is within a body, or nil when the body has none of it.
        func resolve(_ bodyCount: Int) -> Range<Int>? {
            guard let first else {
                let suffix = min(last ?? 0, bodyCount)
                return suffix > 0 ? bodyCount - suffix..<bodyCount : nil
            }
            guard first < bodyCount else { return nil }
            return first..<min(last.map { $0 + 1 } ?? bodyCount, bodyCount)
        }

        /// Nil for anything but digits. Numbers beyond any body's length are reduced to 2^56.
        private static func number(_ text: Span<UInt8>) -> Int? { text.decimal().map { Int(min($0, 1 << 56)) } }
    }
}
