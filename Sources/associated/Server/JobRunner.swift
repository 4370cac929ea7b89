// Runs slow work on other threads, so that neither the signal thread nor the main loop ever waits for a disk.

import Hosting
import Posix

/// Runs one job at a time. Used by one thread.
final class Background {
    private let isDone: WakeUp
    private var thread: Thread?

    init() throws(SystemError) { isDone = try WakeUp() }

    /// Readable when the job is done.
    var descriptor: Int32 { isDone.descriptor.number }

    var isBusy: Bool { thread != nil }

    /// Starts a job; none may be running. If no thread can be started, the job runs at once.
    func start(_ work: @escaping @Sendable () -> Void) {
        precondition(!isBusy, "one piece of work at a time")
        do {
            thread = try Thread(name: "control work") { [self] in
                work()
                isDone.wake()
            }
        } catch {
            work()
            isDone.wake()
        }
    }

    /// Call it when the descriptor is readable.
    func finish() {
        isDone.clear()
        if let thread = thread.take() { thread.join() }
    }

    /// Waits for the job at most this long, and returns whether it is done.
    func wait(milliseconds: Int32) -> Bool {
        guard isDone.wait(milliseconds: milliseconds) else { return false }
        finish()
        return true
    }
}

extension Background: @unchecked Sendable {}

/// Holds the result of a job for the thread that joins it.
final class Outcome<Value>: @unchecked Sendable {
    var value: Value?
}

/// The jobs of the main loop: one round at a time, and compactions in parallel. A finished compaction is applied between two
/// rounds, because it replaces what they work on.
struct JobRunner {
    enum Finished {
        case round(Result<RoundReport, ConfigurationError>)
        case compaction(RoundReport)
    }

    private let server: RunningServer
    let worker: Background
    let compactor: Background
    private var compaction: Compaction?
    /// The result of the running job.
    private var outcome: Outcome<Finished>?

    init(_ server: RunningServer, worker: Background) throws(SystemError) {
        (self.server, self.worker) = (server, worker)
        compactor = try Background()
    }

    /// Whether a round is running or a compaction is being applied.
    var isBusy: Bool { outcome != nil }

    mutating func startRound(_ changes: TreeChanges) {
        start { server in .round(server.round(changes)) }
    }

    /// Starts a compaction if one is needed; rounds continue.
    mutating func startCompaction() {
        guard !isBusy, compaction == nil, !compactor.isBusy, let next = server.tenants.beginCompaction() else { return }
        compaction = next
        compactor.start { next.run() }
    }

    mutating func applyCompaction() {
        guard let compaction, !compactor.isBusy, !isBusy else { return }
        start { server in
            let report = server.tenants.finishCompaction(compaction)
            server.publish(report)
            server.state.noteState(.lastGood, server.tenants.stateProblem)
            return .compaction(report)
        }
    }

    private mutating func start(_ work: @escaping @Sendable (RunningServer) -> Finished) {
        let (outcome, server) = (Outcome<Finished>(), server)
        self.outcome = outcome
        worker.start { outcome.value = work(server) }
    }

    /// The result of the finished job.
    mutating func finish() -> Finished? {
        worker.finish()
        defer { outcome = nil }
        if case .compaction = outcome?.value { compaction = nil }
        return outcome?.value
    }

    /// A start or compaction needs much more memory than is used afterwards. Returning it takes a while, so nothing waits for
    /// that.
    func returnMemory() {
        if compaction == nil, !compactor.isBusy { compactor.start { Memory.returnFreed() } }
    }
}
