// What may wait for a file system or for a reader: one job after the other runs on a thread of its own, so that the thread that
// supervises never waits for one.

import Synchronization

public final class SlowWork<Outcome: Sendable>: Sendable {
    private let jobs: Mailbox<[@Sendable () -> Outcome?]>
    private let outcomes: Mailbox<[Outcome]>

    public init(name: String) throws(SystemError) {
        jobs = try Mailbox([])
        outcomes = try Mailbox([])
        try Thread(name: name) { [jobs, outcomes] in
            while true {
                jobs.wait(milliseconds: -1)
                for job in jobs.take() {
                    if let outcome = job() { outcomes.leave { $0.append(outcome) } }
                }
            }
        }.detach()
    }

    /// Readable when a job has an outcome.
    public var descriptor: Int32 { outcomes.descriptor }

    public func add(_ job: @escaping @Sendable () -> Outcome?) { jobs.leave { $0.append(job) } }

    public func takeOutcomes() -> [Outcome] { outcomes.take() }

    /// Lets go of a value, of which the caller has no other copy.
    public func drop<Value: Sendable>(_ value: consuming Value) {
        let last = Mutex<Value?>(value)
        add {
            last.withLock { $0 = nil }
            return nil
        }
    }

    /// Waits until all jobs are done, at most this long.
    public func finish(milliseconds: Int32) {
        guard let end = try? Mailbox(false) else { return }
        add {
            end.leave { $0 = true }
            return nil
        }
        end.wait(milliseconds: milliseconds)
    }
}
