// The buffer in which a worker assembles the answers of one turn. All its connections share it.

/// A buffer of fixed size that is filled from the front.
@safe struct Output: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    /// The catalogue's original of the body that was copied last, and where the copy ends.
    private var tail = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private var tailEnd = 0

    init(byteCount: Int) { unsafe memory = .allocate(byteCount: byteCount, alignment: 64) }

    deinit { unsafe memory.deallocate() }

    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: memory[..<count]) }
    var room: Int { unsafe memory.count - count }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= room, "the output has room for an answer")
        guard let source = bytes.baseAddress else { return }
        unsafe (memory.baseAddress! + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Appends a copy of a body, whose original stays valid until the output is sent or kept.
    mutating func append(body: UnsafeRawBufferPointer) {
        unsafe append(body)
        unsafe (tail, tailEnd) = unsafe (body, count)
    }

    /// The rest after `sent` bytes: bytes that must be copied, and perhaps a body that need not be.
    func rest(from sent: Int) -> (copied: UnsafeRawBufferPointer, body: Body) {
        guard tailEnd == count, unsafe !tail.isEmpty else {
            return unsafe (UnsafeRawBufferPointer(rebasing: bytes[sent...]), .none)
        }
        let bodyStart = unsafe count - tail.count
        let body = unsafe Body.memory(tail).dropping(max(0, sent - bodyStart))
        return unsafe (UnsafeRawBufferPointer(rebasing: bytes[min(sent, bodyStart)..<bodyStart]), body)
    }

    mutating func append(_ text: StaticString) {
        unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number in decimal digits.
    mutating func append(_ number: Int) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var rest = UInt64(number)
            var start = digits.count
            repeat {
                start -= 1
                unsafe digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            unsafe append(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Appends the line of a range, without its end.
    mutating func append(_ range: Range<Int>, of completeCount: Int) {
        append(WireText.range)
        append(range.lowerBound)
        append("-")
        append(range.upperBound - 1)
        append("/")
        append(completeCount)
    }

    /// Unused room of the buffer, for temporary use.
    func scratch(_ count: Int) -> UnsafeMutableRawBufferPointer {
        // The pointer does not check bounds in an optimized build.
        precondition(count <= room, "there is room for a step of a body")
        return unsafe UnsafeMutableRawBufferPointer(rebasing: memory[self.count..<self.count + count])
    }

    mutating func clear() { (count, tailEnd) = (0, 0) }
}
