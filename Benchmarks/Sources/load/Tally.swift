// What came of a run, counted by many threads and printed as one line of JSON.

import Glibc
import Synchronization

/// Nanoseconds that only go forward.
func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

final class Tally: Sendable {
    private struct State {
        var requests = 0
        var resumed = 0
        var errors: [String: Int] = [:]
        var microseconds: [UInt32] = []
    }

    private let state = Mutex(State())

    func note(_ microseconds: [UInt32], resumed: Int = 0) {
        state.withLock {
            $0.requests += microseconds.count
            $0.resumed += resumed
            $0.microseconds += microseconds
        }
    }

    func note(_ error: any Error) { state.withLock { $0.errors["\(error)", default: 0] += 1 } }

    /// One line: counts, and percentiles of what each request took, in milliseconds.
    func json(seconds: Double) -> String {
        state.withLock { state in
            state.microseconds.sort()
            func percentile(_ share: Double) -> Double {
                if state.microseconds.isEmpty { return 0 }
                let index = min(state.microseconds.count - 1, Int(Double(state.microseconds.count) * share))
                return Double(state.microseconds[index]) / 1_000
            }
            let errors = state.errors.map { "\"\($0.key.filter { $0 != "\"" })\": \($0.value)" }.joined(separator: ", ")
            return "{\"requests\": \(state.requests), \"resumed\": \(state.resumed), \"seconds\": \(seconds), "
                + "\"p50\": \(percentile(0.5)), \"p99\": \(percentile(0.99)), \"errors\": {\(errors)}}"
        }
    }
}

/// Runs the body on that many threads at once and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Job {
        let number: Int
        let body: @Sendable (Int) -> Void
        init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) { (self.number, self.body) = (number, body) }
    }
    var threads: [pthread_t] = []
    for number in 0..<count {
        var thread = pthread_t()
        let job = Unmanaged.passRetained(Job(number, body)).toOpaque()
        pthread_create(
            &thread, nil,
            { argument in
                let job = Unmanaged<Job>.fromOpaque(argument!).takeRetainedValue()
                job.body(job.number)
                return nil
            }, job)
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}
