// Counted signals, and threads that wait for them.

import Posix
import Synchronization
import Testing

struct SemaphoreTests {
    private final class Counted: Sendable {
        let semaphore: Posix.Semaphore
        let count = Atomic<Int>(0)

        init() throws { semaphore = try Posix.Semaphore() }

        func take() {
            for _ in 0..<50 {
                semaphore.wait()
                count.add(1, ordering: .relaxed)
            }
        }
    }

    @Test func `each signal releases one waiter, also if it comes first`() throws {
        let counted = try Counted()
        for _ in 0..<30 { counted.semaphore.signal() }
        let first = try Posix.Thread(name: "first") { counted.take() }
        let second = try Posix.Thread(name: "second") { counted.take() }
        for _ in 0..<70 { counted.semaphore.signal() }
        first.join()
        second.join()
        #expect(counted.count.load(ordering: .relaxed) == 100)
    }
}
