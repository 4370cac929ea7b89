// The `Range` field (RFC 9110 §14.2) against a body of known length. A malformed or unreasonable field is ignored, as the
// specification allows for any reason; the whole body is sent then.

/// The parts of a body that a client asks for.
public struct ByteRanges: Sendable {
    /// In the order of the request; each is within the body and not empty.
    private var starts: InlineArray<8, Int> = InlineArray(repeating: 0)
    private var ends: InlineArray<8, Int> = InlineArray(repeating: 0)
    public private(set) var count = 0

    /// More than any honest client asks for at once.
    public static let countMax = 8

    public enum Outcome: Sendable {
        /// Send the whole body.
        case ignored
        case satisfiable(ByteRanges)
        /// None of the ranges is within the body.
        case unsatisfiable
    }

    public subscript(index: Int) -> Range<Int> {
        precondition(index < count, "the index is that of a requested range")
        return starts[index]..<ends[index]
    }

    public static func read(_ value: Span<UInt8>, bodyCount: Int) -> Outcome {
        guard let equals = value.firstIndex(of: UInt8(ascii: "=")),
            value.extracting(0..<equals).equalsIgnoringCase("bytes")
        else { return .ignored }
        var ranges = ByteRanges()
        var members = ListMembers(ByteRange(equals + 1, value.count))
        var asked = 0
        while let member = members.next(value) {
            asked += 1
            guard asked <= countMax, let specification = Specification(value.extracting(member.range)) else {
                return .ignored
            }
            guard let range = specification.resolve(bodyCount) else { continue }
            if ranges.overlaps(range) { return .ignored }
            ranges.append(range)
        }
        if asked == 0 { return .ignored }
        return ranges.count == 0 ? .unsatisfiable : .satisfiable(ranges)
    }

    private mutating func append(_ range: Range<Int>) {
        starts[count] = range.lowerBound
        ends[count] = range.upperBound
        count += 1
    }

    /// With overlapping ranges a small request could ask for a huge answer (RFC 9110 §14.2).
    private func overlaps(_ range: Range<Int>) -> Bool {
        for index in 0..<count where self[index].overlaps(range) { return true }
        return false
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
