// Where something lies in the bytes of a request. Offsets instead of copies: nothing of a request is ever copied out.

/// A stretch of a request's head, from its first byte up to, not including, `end`.
public struct ByteRange: Hashable, Sendable {
    public var start: UInt32
    public var end: UInt32

    @inline(__always)
    public init(_ start: Int, _ end: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
    }

    /// Stands for something that the request does not have.
    public static let absent = ByteRange(Int(UInt32.max), 0)

    public var isPresent: Bool { start <= end }
    public var count: Int { isPresent ? Int(end - start) : 0 }
    public var range: Range<Int> { isPresent ? Int(start)..<Int(end) : 0..<0 }
}
