// Inputs that are processed on several threads, with results in order.

import Posix
import Synchronization
import Testing

struct ConcurrentlyTests {
    private final class Meeting: Sendable {
        let arrived = Atomic<Int>(0)
        let everybody: Posix.Semaphore

        init() throws { everybody = try Posix.Semaphore() }
    }

    @Test func `the results are in the order of the inputs`() {
        let counts = Atomic<Int>(0)
        let squares = Concurrently.map(Array(0..<100), threadsMax: 4, done: { counts.add($0, ordering: .relaxed) }) {
            $0 * $0
        }
        #expect(squares == (0..<100).map { $0 * $0 })
        #expect(counts.load(ordering: .relaxed) == 5_050)
        #expect(Concurrently.map([Int](), threadsMax: 4) { $0 }.isEmpty)
    }

    @Test func `as many inputs are processed at a time as there are threads`() throws {
        let meeting = try Meeting()
        let seen = Concurrently.map([0, 1, 2], threadsMax: 3) { _ in
            // Each waits for all others, so fewer threads would never finish.
            if meeting.arrived.add(1, ordering: .sequentiallyConsistent).newValue == 3 {
                for _ in 0..<3 { meeting.everybody.signal() }
            }
            meeting.everybody.wait()
            return true
        }
        #expect(seen == [true, true, true])
    }
}
