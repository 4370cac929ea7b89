// Compares and splits bytes as text, without creating a `String`.

import Libc

extension Span<UInt8> {
    /// Whether the bytes are exactly this text.
    @inline(__always)
    public func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let start = unsafe text.utf8Start
        for index in 0..<count where unsafe self[index] != start[index] { return false }
        return true
    }

    /// Whether the bytes begin with this text.
    @inline(__always)
    public func hasPrefix(_ text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && extracting(0..<text.utf8CodeUnitCount).equals(text)
    }

    /// Whether the bytes are this text, ignoring the case of ASCII letters; `text` is in lower case.
    @inline(__always)
    public func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let start = unsafe text.utf8Start
        for index in 0..<count where unsafe Octet.lowercased(self[index]) != start[index] { return false }
        return true
    }

    /// Whether the bytes are those of `other`, ignoring the case of ASCII letters.
    public func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where Octet.lowercased(self[index]) != Octet.lowercased(other[index]) { return false }
        return true
    }

    public func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }

    /// The position of the first `byte` at or after `start` and before `end`.
    @inline(__always)
    public func firstIndex(of byte: UInt8, from start: Int = 0, to end: Int? = nil) -> Int? {
        let end = end ?? count
        precondition(start <= end && end <= count, "a search stays within its bytes")
        return unsafe withUnsafeBufferPointer { buffer in
            // memchr reads 32 bytes at a time: 28 ns for 400 bytes.
            guard start < end, let base = buffer.baseAddress,
                let found = unsafe memchr(base + start, Int32(byte), end - start)
            else { return nil }
            return unsafe found - UnsafeRawPointer(base)
        }
    }

    /// The number that the bytes are in decimal digits, `UInt64.max` if it is larger; nil for any other text, an empty one too.
    func decimal() -> UInt64? {
        if isEmpty { return nil }
        var number: UInt64 = 0
        for index in 0..<count {
            guard Octet.isDigit(self[index]) else { return nil }
            let (tens, isLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(UInt64(self[index] &- 0x30))
            number = isLarge || isTooLarge ? .max : sum
        }
        return number
    }

    /// The bounds of the bytes between `start` and `end` without the spaces and tabs around them (RFC 9110 §5.6.3 OWS).
    @inline(__always)
    func trimmed(_ start: Int, _ end: Int) -> ByteRange {
        var start = start
        var end = end
        while start < end, self[start] == Octet.space || self[start] == Octet.tab { start += 1 }
        while start < end, self[end - 1] == Octet.space || self[end - 1] == Octet.tab { end -= 1 }
        return ByteRange(start, end)
    }

    /// Whether all bytes between `start` and `end` are valid in a field value (RFC 9110 §5.5): no control characters except tabs;
    /// bytes above ASCII are valid. Written without an early exit, so that it is vectorised.
    @inline(__always)
    func isFieldText(_ start: Int, _ end: Int) -> Bool {
        let bytes = extracting(start..<end)
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            var bad: UInt8 = 0
            for index in buffer.indices {
                let byte = unsafe buffer[index]
                bad |= (byte < 0x20 ? 1 : 0) & (byte == Octet.tab ? 0 : 1) | (byte == 0x7F ? 1 : 0)
            }
            return bad == 0
        }
    }
}

private func - (left: UnsafeMutableRawPointer, right: UnsafeRawPointer) -> Int { unsafe UnsafeRawPointer(left) - right }

/// A range of a request's head; `end` is not included.
public struct ByteRange: Hashable, Sendable {
    public var start: UInt32
    public var end: UInt32

    @inline(__always)
    public init(_ start: Int, _ end: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
    }

    /// The range of something that the request does not have.
    public static let absent = ByteRange(Int(UInt32.max), 0)

    public var isPresent: Bool { start <= end }
    public var count: Int { isPresent ? Int(end - start) : 0 }
    public var range: Range<Int> { isPresent ? Int(start)..<Int(end) : 0..<0 }
}
