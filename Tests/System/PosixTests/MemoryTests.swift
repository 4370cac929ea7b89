// Blocks of memory keep their contents when they grow.

import Posix
import Testing

struct MemoryTests {
    @Test func `a block is zeroed and keeps its contents when it grows`() {
        var memory = Memory(byteCount: 10)
        #expect(memory.bytes.count >= 10)
        #expect(memory.bytes.allSatisfy { $0 == 0 })
        memory.bytes[9] = 7
        memory.resize(byteCount: 10_000_000)
        #expect(memory.bytes[9] == 7)
        #expect(memory.bytes[9_999_999] == 0)
        memory.resize(byteCount: 10)
        #expect(memory.bytes[9] == 7)
    }
}
