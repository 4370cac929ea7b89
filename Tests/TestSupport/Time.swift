// Waiting for other threads and processes, and measuring one thread's own work.

import Glibc
import Posix

/// Waits until the condition holds, for at most a minute; false if it never did.
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = Clock.monotonicMilliseconds() + 60_000
    while Clock.monotonicMilliseconds() < end {
        if try condition() { return true }
        poll(nil, 0, 1)
    }
    return false
}

/// The processor time that this thread spends on it, whatever else the machine is doing.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
}
