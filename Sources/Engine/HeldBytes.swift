// Memory that a connection has only while it needs it.

/// Bytes in memory of their own. Its owner gives the memory back.
struct HeldBytes {
    private var start: UnsafeMutableRawPointer?
    private(set) var count = 0

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    init() {}

    init(copying bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        memory.copyMemory(from: bytes)
        start = memory.baseAddress
        count = bytes.count
    }

    /// Gives the memory back.
    mutating func release() {
        start?.deallocate()
        start = nil
        count = 0
    }
}
