// The clocks.

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

    @Test(
        arguments: [
            (0, "1970-01-01"), (-1, "1969-12-31"), (951_782_400, "2000-02-29"), (1_811_635_199, "2027-05-29"),
            (1_811_635_200, "2027-05-30"), (.max, "an invalid date"),
        ] as [(Int64, String)])
    func `a moment has a day`(seconds: Int64, day: String) { #expect(Clock.day(seconds) == day) }
}
