// The clocks go forwards.

import Foundation
import Posix
import Testing

struct ClockTests {
    @Test func `the wall clock is the system's`() {
        #expect(abs(Clock.wallSeconds() - Int64(Date().timeIntervalSince1970)) <= 1)
    }

    @Test func `the monotonic clock never goes back`() {
        var last = Clock.monotonicMilliseconds()
        for _ in 0..<1_000 {
            let now = Clock.monotonicMilliseconds()
            #expect(now >= last)
            last = now
        }
    }
}
