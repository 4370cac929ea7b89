// The threads of the workers until they are joined: owners that Swift's arrays cannot hold, because they cannot be copied.

import Posix
import Synchronization

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
