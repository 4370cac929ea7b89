// The slow work of the main loop on other threads: rounds and compactions.

import Hosting
import Posix

/// The jobs of the main loop: one round at a time, and compactions in parallel. A finished compaction is applied between two
/// rounds, because it replaces what they work on.
struct JobRunner {
    enum Finished {
        case round(Result<RoundReport, ConfigurationError>)
        case compaction(RoundReport)
    }

    private let server: RunningServer
    let rounds: Background
    let compactor: Background
    private var compaction: Compaction?
    /// The result of the running job.
    private var result: JobResult<Finished>?

    init(_ server: RunningServer, rounds: Background) throws(SystemError) {
        (self.server, self.rounds) = (server, rounds)
        compactor = try Background()
    }

    /// Whether a round is running or a compaction is being applied.
    var isBusy: Bool { result != nil }

    mutating func startRound(_ changes: TreeChanges) {
        start { server in .round(server.reload(changes)) }
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
            server.state.noteLastGood(server.tenants)
            return .compaction(report)
        }
    }

    private mutating func start(_ work: @escaping @Sendable (RunningServer) -> Finished) {
        let (result, server) = (JobResult<Finished>(), server)
        self.result = result
        rounds.start { result.value = work(server) }
    }

    mutating func finish() -> Finished? {
        rounds.finish()
        defer { result = nil }
        if case .compaction = result?.value { compaction = nil }
        return result?.value
    }

    /// A start or compaction needs much more memory than is used afterwards. Returning it takes a while, so nothing waits for
    /// that.
    func returnMemory() {
        if compaction == nil, !compactor.isBusy { compactor.start { Memory.returnFreed() } }
    }
}
