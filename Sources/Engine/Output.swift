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

    mutating func clear() { count = 0 }
}
