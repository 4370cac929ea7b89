// Sightings on their way from the one worker that makes them to the one thread that keeps them. When nobody takes them
// away the newest are dropped and counted: whatever clients call themselves, a worker never waits and never takes memory.

import Posix
import Synchronization

/// A ring with one writer and one reader. Pages that were never written take no memory.
final class SightingRing: @unchecked Sendable {
    private let memory: Memory
    private let slots: UnsafeMutablePointer<Sighting>
    /// How many were ever written, and taken.
    private let written = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)

    /// A power of two.
    static let capacity = 1_024

    init() {
        memory = Memory(byteCount: SightingRing.capacity * MemoryLayout<Sighting>.stride)
        slots = memory.bytes.baseAddress!.assumingMemoryBound(to: Sighting.self)
    }

    /// The writer's side. False when there is no room.
    func push(_ sighting: Sighting) -> Bool {
        let position = written.load(ordering: .relaxed)
        if position &- taken.load(ordering: .acquiring) >= SightingRing.capacity { return false }
        (slots + position % SightingRing.capacity).initialize(to: sighting)
        written.store(position &+ 1, ordering: .releasing)
        return true
    }

    /// The reader's side: gives all that are there to `body`, the oldest first.
    func drain(_ body: (Sighting) -> Void) {
        var position = taken.load(ordering: .relaxed)
        while position < written.load(ordering: .acquiring) {
            body(slots[position % SightingRing.capacity])
            position += 1
            taken.store(position, ordering: .releasing)
        }
    }
}
