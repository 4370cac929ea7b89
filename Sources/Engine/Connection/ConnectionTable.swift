// The connections of one worker in one block of memory, with their deadlines and the sum of their memory. The block is reserved
// once; pages that were never used need no memory.

import HTTP
import Posix

/// A connection's place in its worker's table.
typealias Slot = UnsafeMutablePointer<Connection>

/// Slots for connections, with a list of the free ones, and their deadlines.
@safe struct ConnectionTable: ~Copyable {
    let slots: Slot
    private let capacity: Int
    private let memory: Memory
    /// How many slots were ever used; the others have no memory yet.
    private var used = 0
    private var freeSlots: [Int32] = []
    private(set) var count = 0
    var deadlines: Deadlines
    /// The memory of all connections, and its limit.
    private(set) var heldBytes = 0
    let heldBytesMax: Int

    init(capacity: Int, heldBytesMax: Int, _ limits: Limits) {
        (self.capacity, self.heldBytesMax) = (capacity, heldBytesMax)
        memory = Memory(byteCount: capacity * MemoryLayout<Connection>.stride)
        unsafe slots = memory.bytes.baseAddress!.assumingMemoryBound(to: Connection.self)
        freeSlots.reserveCapacity(min(capacity, 1024))
        deadlines = Deadlines(limits)
    }

    var isFull: Bool { count == capacity }
    /// Slots below this number may be in use.
    var slotCount: Int { used }

    /// Uses a free slot for a connection. The table must not be full.
    mutating func insert(fd: Int32) -> Slot {
        let slot: Slot
        let generation: UInt32
        if let free = freeSlots.popLast() {
            unsafe slot = slots + Int(free)
            generation = unsafe max(1, slot.pointee.generation &+ 1)
        } else {
            precondition(used < capacity, "a full table accepts no connection")
            unsafe slot = slots + used
            generation = 1
            used += 1
        }
        unsafe slot.initialize(to: Connection(fd: fd, generation: generation))
        count += 1
        return unsafe slot
    }

    /// Frees the slot of a connection that has released everything.
    mutating func remove(_ slot: Slot) {
        unsafe deadlines.remove(slot)
        unsafe heldBytes -= slot.pointee.countedBytes
        unsafe slot.pointee.fd = -1
        unsafe freeSlots.append(Int32(slot - slots))
        count -= 1
    }

    /// The epoll token of a connection: its slot and its generation, which is never 0.
    func token(_ slot: Slot) -> UInt64 {
        unsafe UInt64(slot.pointee.generation) << 32 | UInt64(slot - slots)
    }

    /// The slot of a token; nil when that connection has ended.
    func slot(of token: UInt64) -> Slot? {
        let slot = unsafe slots + Int(Int32(truncatingIfNeeded: token))
        return unsafe slot.pointee.fd >= 0 && slot.pointee.generation == UInt32(token >> 32) ? slot : nil
    }

    /// Updates the sum after a connection's memory has changed.
    mutating func updateHeldBytes(of slot: Slot) {
        let bytes = unsafe slot.pointee.heldBytes
        let added = unsafe bytes - slot.pointee.countedBytes
        if added == 0 { return }
        unsafe deadlines.addHeldBytes(added, to: slot.pointee.deadline.kind)
        heldBytes += added
        unsafe slot.pointee.countedBytes = bytes
    }

    /// Whether the connections may use this many more bytes.
    func hasRoom(for bytes: Int) -> Bool { heldBytes + bytes <= heldBytesMax }
}
