// Where a worker puts the answers of one round together before it sends them, shared by all its connections.

/// A buffer of fixed size that is filled from the front.
struct Output: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(byteCount: Int) { memory = .allocate(byteCount: byteCount, alignment: 64) }

    deinit { memory.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
    var room: Int { memory.count - count }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= room, "an answer is put together where there is room for it")
        guard let source = bytes.baseAddress else { return }
        (memory.baseAddress! + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number in decimal digits.
    mutating func append(_ number: Int) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var rest = UInt64(number)
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Room behind what is in the output, for the caller's own purposes.
    func scratch(_ count: Int) -> UnsafeMutableRawBufferPointer {
        // The buffer itself looks at no bounds in an optimized build.
        precondition(count <= room, "there is room for a step of a body")
        return UnsafeMutableRawBufferPointer(rebasing: memory[self.count..<self.count + count])
    }

    mutating func clear() { count = 0 }
}
