// The two clocks. Deadlines use the monotonic clock, which cannot be set; the `date` field uses the wall clock.

import CPosix
import Libc

public enum Clock {
    /// Milliseconds since some moment in the past; never decreases. Coarse (about 4 ms) and therefore cheap.
    /// The corresponding clock is `CLOCK_MONOTONIC_COARSE`.
    public static func monotonicMilliseconds() -> Int64 {
        let now = read(associated_clock_monotonic_coarse)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Microseconds of the same clock, exact. The corresponding clock is `CLOCK_MONOTONIC`.
    public static func monotonicMicroseconds() -> Int64 {
        let now = read(associated_clock_monotonic)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    }

    /// Microseconds of processor time of the calling thread. The corresponding clock is
    /// `CLOCK_THREAD_CPUTIME_ID`.
    public static func threadMicroseconds() -> Int64 {
        let now = read(associated_clock_thread)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    }

    /// Seconds since 1970 by the wall clock.
    public static func wallSeconds() -> Int64 { Int64(read(associated_clock_wall_coarse).tv_sec) }

    /// Nanoseconds since 1970 by the wall clock, which file systems use for their times.
    public static func wallNanoseconds() -> Int64 {
        let now = read(associated_clock_wall)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// The day in UTC of a moment in seconds since 1970, such as `2027-05-30`. The corresponding C function is `gmtime_r`.
    public static func day(_ seconds: Int64) -> String {
        var (time, parts) = unsafe (time_t(seconds), tm())
        guard unsafe gmtime_r(&time, &parts) != nil else { return "an invalid date" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return unsafe "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }

    private static func read(_ clock: associated_clock) -> timespec {
        var time = timespec()
        let result = unsafe associated_read_clock(clock, &time)
        precondition(result == 0, "Linux has had this clock since 2.6.32, and macOS since 10.12")
        return time
    }
}
