// Passes log lines from a worker to the writing thread, through a ring of bytes that the worker fills and the thread empties.
// Neither waits for the other: a line for which there is no room is dropped and counted.

import Posix
import Synchronization

/// The shared ring. Positions only grow; modulo the size they are offsets.
final class LogRing: @unchecked Sendable {
    let memory: MirroredMemory
    /// The end of the complete lines.
    let written = Atomic<Int>(0)
    /// The end of the lines that the writer has taken.
    let taken = Atomic<Int>(0)

    /// A power of two: room for some thousand lines while the disk is slow.
    static let byteCount = 1_048_576

    init() throws(SystemError) { memory = try MirroredMemory(byteCount: LogRing.byteCount) }

    /// The bytes from one position to another.
    func bytes(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: memory.start + start & (LogRing.byteCount - 1), count: end - start)
    }
}

/// Lets workers wake the writer only when it sleeps: some dozen times a second at most.
final class LogAlarm: Sendable {
    private let state = Atomic<UInt8>(State.awake.rawValue)
    private let wakeUp: WakeUp

    enum State: UInt8 {
        /// It checks all rings before it sleeps.
        case awake
        /// It checks the rings soon by itself; woken early when a ring is half full.
        case dozing
        /// It must be woken for any line.
        case asleep
    }

    init() throws(SystemError) { wakeUp = try WakeUp() }

    /// Called after a worker has published lines. `isPressing` if its ring is half full. The store that published them, the load
    /// here, and the writer's store and load have one order for both threads: either the writer sees the lines before it sleeps,
    /// or the worker sees that it sleeps.
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

    /// Wakes the writer in any state.
    func wake() { wakeUp.wake() }

    /// Called by the writer before it sleeps. It must check the rings once more after this.
    func prepare(_ next: State) { state.store(next.rawValue, ordering: .sequentiallyConsistent) }

    /// Sleeps until it is woken or the time is up.
    func sleep(milliseconds: Int32) {
        if wakeUp.wait(milliseconds: milliseconds) { wakeUp.clear() }
        prepare(.awake)
    }
}
