// The connections of one worker in one block of memory, with what they wait for and what they hold together. The block is
// reserved once; pages that were never used take no memory.

import HTTP
import Posix

/// The place of a connection in the table of its worker.
typealias Slot = UnsafeMutablePointer<Connection>

/// Slots for connections, with a list of the free ones, and their deadlines.
@safe struct ConnectionTable: ~Copyable {
    let slots: Slot
    private let capacity: Int
    private let memory: Memory
    /// How many slots were ever used: those above have no memory yet.
    private var used = 0
    private var freeSlots: [Int32] = []
    private(set) var count = 0
    var deadlines: Deadlines
    /// What the connections hold in memory, and how much that may be.
    private(set) var heldBytes = 0
    let heldBytesMax: Int

    init(capacity: Int, heldBytesMax: Int, _ limits: Limits) {
        self.capacity = capacity
        self.heldBytesMax = heldBytesMax
        memory = Memory(byteCount: capacity * MemoryLayout<Connection>.stride)
        unsafe slots = memory.bytes.baseAddress!.assumingMemoryBound(to: Connection.self)
        freeSlots.reserveCapacity(min(capacity, 1024))
        deadlines = Deadlines(limits)
    }

    var isFull: Bool { count == capacity }
    /// Slots below this number may be in use.
    var slotCount: Int { used }

    /// Takes a slot for a connection. The table must not be full.
    mutating func insert(fd: Int32) -> Slot {
        let slot: Slot
        let generation: UInt32
        if let free = freeSlots.popLast() {
            unsafe slot = slots + Int(free)
            generation = unsafe max(1, slot.pointee.generation &+ 1)
        } else {
            precondition(used < capacity, "a full table takes nothing")
            unsafe slot = slots + used
            generation = 1
            used += 1
        }
        unsafe slot.initialize(to: Connection(fd: fd, generation: generation))
        count += 1
        return unsafe slot
    }

    /// Frees a slot whose connection has given everything back.
    mutating func remove(_ slot: Slot) {
        unsafe deadlines.remove(slot)
        unsafe heldBytes -= slot.pointee.reckonedBytes
        unsafe slot.pointee.fd = -1
        unsafe freeSlots.append(Int32(slot - slots))
        count -= 1
    }

    /// What epoll hands back for a connection: its slot and its generation, which is never 0.
    func token(_ slot: Slot) -> UInt64 {
        unsafe UInt64(slot.pointee.generation) << 32 | UInt64(slot - slots)
    }

    /// The slot of a token, or nil when that connection has ended since.
    func slot(of token: UInt64) -> Slot? {
        let slot = unsafe slots + Int(Int32(truncatingIfNeeded: token))
        return unsafe slot.pointee.fd >= 0 && slot.pointee.generation == UInt32(token >> 32) ? slot : nil
    }

    /// Reckons what a connection holds now.
    mutating func reckon(_ slot: Slot) {
        let bytes = unsafe slot.pointee.heldBytes
        let added = unsafe bytes - slot.pointee.reckonedBytes
        if added == 0 { return }
        unsafe deadlines.addHeldBytes(added, to: slot.pointee.deadline.kind)
        heldBytes += added
        unsafe slot.pointee.reckonedBytes = bytes
    }

    /// Whether the connections may hold so many bytes more.
    func hasRoom(for bytes: Int) -> Bool { heldBytes + bytes <= heldBytesMax }
}
