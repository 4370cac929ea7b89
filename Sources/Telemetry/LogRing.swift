// The way of a line from its worker to the disk: a ring of bytes that one worker fills and one thread empties. Nobody waits
// for the other: where there is no room the line is dropped, and counted.

import Posix
import Synchronization

/// What worker and writer share. Positions only grow; their remainder is the place in memory.
final class LogRing: @unchecked Sendable {
    let memory: MirroredMemory
    /// Up to where lines are whole, and can be taken.
    let written = Atomic<Int>(0)
    /// Up to where they have been.
    let taken = Atomic<Int>(0)

    /// A power of two: some thousand lines, which is as long as a disk may think without a line being lost.
    static let byteCount = 1_048_576

    init() throws(SystemError) { memory = try MirroredMemory(byteCount: LogRing.byteCount) }

    /// The bytes from one position to another.
    func bytes(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory.start + start & (LogRing.byteCount - 1), count: end - start)
    }
}

/// How workers wake the writer, which they do only when it sleeps: some dozen times a second at most.
final class LogAlarm: Sendable {
    private let state = Atomic<UInt8>(State.awake.rawValue)
    private let wakeUp: WakeUp

    enum State: UInt8 {
        /// Will look at all rings before it sleeps.
        case awake
        /// Will look soon by itself; to be woken when a ring is half full.
        case dozing
        /// To be woken by whatever there is.
        case asleep
    }

    init() throws(SystemError) { wakeUp = try WakeUp() }

    /// A worker has published something. `isPressing` when its ring is half full. The store that published it, the load
    /// here and the writer's two on the other side are in one order for both threads: either the writer sees the lines
    /// before it sleeps, or the worker sees it sleep.
    @inline(__always)
    func published(isPressing: Bool) {
        let present = state.load(ordering: .sequentiallyConsistent)
        if present == State.awake.rawValue || present == State.dozing.rawValue && !isPressing { return }
        rouse(from: present)
    }

    private func rouse(from present: UInt8) {
        let (isChanged, _) = state.compareExchange(
            expected: present, desired: State.awake.rawValue, ordering: .sequentiallyConsistent)
        if isChanged { wakeUp.wake() }
    }

    /// Wakes the writer whatever it does.
    func wake() { wakeUp.wake() }

    /// The writer's side: says how deep it is about to sleep. It has to look at the rings once more before it does.
    func prepare(_ next: State) { state.store(next.rawValue, ordering: .sequentiallyConsistent) }

    /// Sleeps until it is woken or the time is up.
    func sleep(milliseconds: Int32) {
        if wakeUp.wait(milliseconds: milliseconds) { wakeUp.clear() }
        prepare(.awake)
    }
}
