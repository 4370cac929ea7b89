// Work that may take seconds, on threads of its own, so that neither the thread that waits for signals nor the main loop ever
// waits for a disk.

import Hosting
import Posix

/// One piece of work at a time. Used by one thread.
final class Background {
    private let isDone: WakeUp
    private var thread: Thread?

    init() throws(SystemError) { isDone = try WakeUp() }

    /// Readable when the work is done.
    var descriptor: Int32 { isDone.descriptor.number }

    var isBusy: Bool { thread != nil }

    /// Starts the work, of which there is none at this time. Where no thread can be had, it is done at once.
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

    /// To be called when the descriptor is readable.
    func finish() {
        isDone.clear()
        if let thread = thread.take() { thread.join() }
    }

    /// Waits a while for the end of the work, and says whether it has come.
    func wait(milliseconds: Int32) -> Bool {
        guard isDone.wait(milliseconds: milliseconds) else { return false }
        finish()
        return true
    }
}

extension Background: @unchecked Sendable {}

/// Where work puts what came of it, for the thread that joins its thread.
final class Outcome<Value>: @unchecked Sendable {
    var value: Value?
}

/// What the main loop has other threads do: one round at a time, and tidying up the state beside the rounds. What was tidied is
/// taken up between two rounds, because it replaces what they work on.
struct JobRunner {
    enum Finished {
        case round(Result<RoundReport, ConfigurationError>)
        case tidying(RoundReport)
    }

    private let server: RunningServer
    let worker: Background
    let tidier: Background
    private var tidying: Tidying?
    /// Of the work under way.
    private var outcome: Outcome<Finished>?

    init(_ server: RunningServer, worker: Background) throws(SystemError) {
        (self.server, self.worker) = (server, worker)
        tidier = try Background()
    }

    /// Whether there is a round, or what was tidied is being taken up.
    var isBusy: Bool { outcome != nil }

    mutating func startRound(_ changes: TreeChanges) {
        start { server in .round(server.round(changes)) }
    }

    /// Begins to tidy up when there is something, beside whatever comes meanwhile.
    mutating func startTidying() {
        guard !isBusy, tidying == nil, !tidier.isBusy, let next = server.tenants.tidying() else { return }
        tidying = next
        tidier.start { next.run() }
    }

    mutating func applyTidied() {
        guard let tidying, !tidier.isBusy, !isBusy else { return }
        start { server in
            let report = server.tenants.finish(tidying)
            server.publish(report)
            server.state.noteState(.lastGood, server.tenants.stateProblem)
            return .tidying(report)
        }
    }

    private mutating func start(_ work: @escaping @Sendable (RunningServer) -> Finished) {
        let (outcome, server) = (Outcome<Finished>(), server)
        self.outcome = outcome
        worker.start { outcome.value = work(server) }
    }

    /// What came of the work that is done.
    mutating func finish() -> Finished? {
        worker.finish()
        defer { outcome = nil }
        if case .tidying = outcome?.value { tidying = nil }
        return outcome?.value
    }

    /// What was made at first, or for a base, took far more than what is left. Nothing waits for the return of it.
    func returnMemory() {
        if tidying == nil, !tidier.isBusy { tidier.start { Memory.returnFreed() } }
    }
}
