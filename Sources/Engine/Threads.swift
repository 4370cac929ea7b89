// Owners that Swift's arrays and closures cannot hold because they cannot be copied: workers on their way to their
// threads, and the threads until they are joined.

import Posix
import Synchronization

/// A worker on its way to the thread that runs it.
final class WorkerBox: @unchecked Sendable {
    private let worker: UnsafeMutablePointer<Worker>

    init(_ worker: consuming Worker) {
        self.worker = .allocate(capacity: 1)
        self.worker.initialize(to: worker)
    }

    /// Runs the worker. Called once, by one thread, which from then on is the only one to touch it.
    func run() { worker.pointee.run() }

    deinit {
        worker.deinitialize(count: 1)
        worker.deallocate()
    }
}

/// Running threads, joined together.
final class Threads: @unchecked Sendable {
    private let memory: UnsafeMutablePointer<Thread>
    private let count = Mutex(0)

    init(capacity: Int) { memory = .allocate(capacity: capacity) }

    func append(_ thread: consuming Thread) {
        let index = count.withLock { count in
            count += 1
            return count - 1
        }
        (memory + index).initialize(to: thread)
    }

    /// Waits until all have ended. Called again, it finds none.
    func join() {
        for index in 0..<takeCount() { (memory + index).move().join() }
    }

    /// Leaves them to themselves.
    func detach() {
        for index in 0..<takeCount() { (memory + index).move().detach() }
    }

    private func takeCount() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    deinit { memory.deallocate() }
}
