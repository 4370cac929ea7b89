// The connections of one worker in one block of memory, found by index. The block is reserved once; pages that were never
// used take no memory.

import Posix

/// Slots for connections, with a list of the free ones.
struct ConnectionTable: ~Copyable {
    let slots: UnsafeMutablePointer<Connection>
    let capacity: Int
    private let memory: Memory
    /// How many slots were ever used: those above have no memory yet.
    private var used = 0
    private var freeSlots: [Int32] = []
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        memory = Memory(byteCount: capacity * MemoryLayout<Connection>.stride)
        slots = memory.bytes.baseAddress!.assumingMemoryBound(to: Connection.self)
        freeSlots.reserveCapacity(min(capacity, 1024))
    }

    var isFull: Bool { count == capacity }
    /// Slots below this number may be in use.
    var slotCount: Int { used }

    /// Takes a slot for a connection. The table must not be full.
    mutating func insert(fd: Int32) -> Int32 {
        let index: Int32
        let generation: UInt32
        if let free = freeSlots.popLast() {
            index = free
            generation = max(1, slots[Int(index)].generation &+ 1)
        } else {
            precondition(used < capacity, "a full table takes nothing")
            index = Int32(used)
            generation = 1
            used += 1
        }
        (slots + Int(index)).initialize(to: Connection(fd: fd, generation: generation))
        count += 1
        return index
    }

    /// Frees a slot whose connection has given everything back.
    mutating func remove(_ index: Int32) {
        slots[Int(index)].fd = -1
        freeSlots.append(index)
        count -= 1
    }

    /// What epoll hands back for a connection: its slot and its generation, which is never 0.
    func token(_ index: Int32) -> UInt64 {
        UInt64(slots[Int(index)].generation) << 32 | UInt64(UInt32(bitPattern: index))
    }

    /// The slot of a token, or nil when that connection has ended since.
    func index(of token: UInt64) -> Int32? {
        let index = Int32(truncatingIfNeeded: token)
        let slot = slots + Int(index)
        return slot.pointee.fd >= 0 && slot.pointee.generation == UInt32(token >> 32) ? index : nil
    }
}
