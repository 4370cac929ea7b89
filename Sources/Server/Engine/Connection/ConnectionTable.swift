// The connections of one worker in one block of memory, with their deadlines and the sum of their memory. The block is reserved
// once; pages that were never used need no memory.

import HTTP
import Posix

/// A connection's place in its worker's table, which has that place as long as it exists. Nothing outlives the table that has a slot,
/// and only the thread of the worker uses it.
@safe struct Slot: Equatable {
    fileprivate let place: UnsafeMutablePointer<Connection>

    var connection: Connection {
        _read { yield unsafe place.pointee }
        nonmutating _modify { yield unsafe &place.pointee }
    }

    static func == (one: Slot, other: Slot) -> Bool { unsafe one.place == other.place }
}

/// Slots for connections, with a list of the free ones, and their deadlines.
@safe struct ConnectionTable: ~Copyable {
    private let first: UnsafeMutablePointer<Connection>
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
        unsafe first = memory.bytes.baseAddress!.assumingMemoryBound(to: Connection.self)
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
            slot = self.slot(Int(free))
            generation = max(1, slot.connection.generation &+ 1)
        } else {
            precondition(used < capacity, "a full table accepts no connection")
            slot = self.slot(used)
            generation = 1
            used += 1
        }
        unsafe slot.place.initialize(to: Connection(fd: fd, generation: generation))
        count += 1
        return slot
    }

    /// Frees the slot of a connection that has released everything.
    mutating func remove(_ slot: Slot) {
        deadlines.remove(slot)
        heldBytes -= slot.connection.countedBytes
        slot.connection.fd = -1
        freeSlots.append(Int32(number(slot)))
        count -= 1
    }

    /// One that was used at some time, by its number.
    func slot(_ number: Int) -> Slot { unsafe Slot(place: first + number) }

    func number(_ slot: Slot) -> Int { unsafe slot.place - first }

    /// The epoll token of a connection: its slot and its generation, which is never 0.
    func token(_ slot: Slot) -> UInt64 {
        UInt64(slot.connection.generation) << 32 | UInt64(number(slot))
    }

    /// The slot of a token; nil when that connection has ended.
    func slot(of token: UInt64) -> Slot? {
        let slot = slot(Int(Int32(truncatingIfNeeded: token)))
        return slot.connection.fd >= 0 && slot.connection.generation == UInt32(token >> 32) ? slot : nil
    }

    /// Updates the sum after a connection's memory has changed.
    mutating func updateHeldBytes(of slot: Slot) {
        let bytes = slot.connection.heldBytes
        let added = bytes - slot.connection.countedBytes
        if added == 0 { return }
        deadlines.addHeldBytes(added, to: slot.connection.deadline.kind)
        heldBytes += added
        slot.connection.countedBytes = bytes
    }

    /// Whether the connections may use this many more bytes.
    func hasRoom(for bytes: Int) -> Bool { heldBytes + bytes <= heldBytesMax }
}
