// Connects the admin listener and the ledger of verifier fetches with the rest of the server.

import Administration
import Catalogue
import Engine
import Hosting
import Posix
import TLS
import Telemetry

final class AdminWiring: Sendable {
    let state: ServerState
    /// Written by the workers.
    let metrics: WorkerMetrics
    private let settings: AdminSettings?
    private let statePath: String
    /// The process that operators send signals to.
    private let parent: Int32
    private let expectsManager: Bool
    // Opened before the sandbox forbids it.
    private let usage = ProcessUsage()

    /// The parts that run next to the engine.
    struct Running: Sendable {
        fileprivate let ledger: VerifierLedger
        fileprivate let keeper: LedgerKeeper
        fileprivate let listener: AdminListener?

        var address: SocketAddress? { listener?.address }

        /// The ledger's messages since the last call.
        func complaints() -> [String] { keeper.takeWarnings() }

        /// Whether a verifier has fetched anything of a host since a time, in seconds since 1970.
        func wasFetched(_ host: String, since: Int64) -> Bool {
            ledger.records(of: host).contains { $0.lastSeconds >= since }
        }

        /// Why the ledger cannot be written; usually nil.
        var problem: SystemError? { keeper.problem }
    }

    /// The sources of the answers.
    struct Parts: Sendable {
        let engine: Engine
        let published: PublishedCatalogue
        let certificates: CertificateStore?
        let digest = ServedDigest()
    }

    /// Reads the token while that is still allowed.
    /// - Parameter expectsManager: whether the settings ask for a manager, whose silence is then reported.
    init(_ given: LoadedSettings, parent: Int32, expectsManager: Bool = false) throws {
        let settings = given.settings
        self.settings = try settings.admin.map { try AdminSettings($0) }
        self.parent = parent
        self.expectsManager = expectsManager
        state = ServerState(configPath: given.configPath, statePath: given.statePath)
        statePath = given.statePath
        if let objection = self.settings?.objection { throw AdminListener.StartError.refused(objection) }
        // Read in any case, because the sandbox hides the control groups later.
        let processors = processorCount()
        metrics = WorkerMetrics(workerCount: settings.workers ?? processors)
    }

    /// Call it when the engine serves.
    func begin(_ parts: Parts, on socket: ListeningSocket?) throws -> Running {
        let published = parts.published
        let ledger = VerifierLedger(nowSeconds: Clock.wallSeconds()) { host in
            published.current.configuredName(of: host)
        }
        let keeper = try LedgerKeeper(ledger, metrics, folder: statePath)
        state.enter(.serving)
        guard let settings, let socket else { return Running(ledger: ledger, keeper: keeper, listener: nil) }
        let answers = AdminAnswers(
            state: state, workerMetrics: metrics, usage: usage, parent: parent, parts: parts, ledger: ledger,
            expectsManager: expectsManager)
        return Running(ledger: ledger, keeper: keeper, listener: try AdminListener(settings, answers, on: socket))
    }

    /// The server is not ready from now on. A server that has taken over answers at the address.
    func drain(_ running: Running, isTakenOver: Bool) {
        state.enter(.draining)
        if isTakenOver { running.listener?.stopAccepting() }
    }

    /// Call it when the workers have ended; saves what they recorded last.
    func end(_ running: Running) {
        running.keeper.stop()
        for text in running.complaints() { Log.warning(text) }
        state.noteState(.ledger, running.problem)
        for (level, text) in state.takeStateNotes() { Log.write(level, text) }
        running.listener?.stop()
    }
}
