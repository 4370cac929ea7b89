// What the engine and one of its workers say to each other: two numbers and a way to wake the worker.

import Posix
import Synchronization

/// Shared by the engine and one worker.
final class WorkerControl: Sendable {
    let wakeUp: WakeUp
    private let draining = Atomic<Bool>(false)

    init() throws(SystemError) { wakeUp = try WakeUp() }

    var isDraining: Bool { draining.load(ordering: .acquiring) }

    /// Asks the worker to stop accepting, to finish what is in flight and to end.
    func drain() {
        draining.store(true, ordering: .releasing)
        wakeUp.wake()
    }
}
