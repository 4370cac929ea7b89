// What operators can ask the server, put together from what the rest of the program knows: the admin listener with its answers, and
// the ledger of verifiers.

import Administration
import Catalogue
import Engine
import Glibc
import Hosting
import Posix
import TLS
import Telemetry

final class AdminWiring: Sendable {
    let state: ServerState
    /// Where the workers leave what they see.
    let records: Records
    private let settings: AdminSettings?
    private let statePath: String
    // Opened before the process may open nothing any more.
    private let usage = ProcessUsage()

    /// What runs beside the engine.
    struct Running: Sendable {
        fileprivate let ledger: VerifierLedger
        fileprivate let keeper: LedgerKeeper
        fileprivate let listener: AdminListener?

        var address: SocketAddress? { listener?.address }

        /// What there is to say about the ledger since the last call.
        func complaints() -> [String] { keeper.takeComplaints() }

        /// Whether a verifier fetched anything of a host since some time, in seconds since 1970.
        func wasFetched(_ host: String, since: Int64) -> Bool {
            ledger.records(of: host).contains { $0.lastSeconds >= since }
        }

        /// Why the state directory cannot be written to; usually nil.
        var problem: String? { keeper.problem }
    }

    /// What the answers come from.
    struct Parts: Sendable {
        let engine: Engine
        let published: PublishedCatalogue
        let certificates: CertificateStore?
        let digest = ServedDigest()
    }

    /// Reads the token, while it may be read.
    init(_ given: LoadedSettings) throws {
        let settings = given.settings
        self.settings = try settings.admin.map { try AdminSettings($0) }
        state = ServerState(configPath: given.configPath, statePath: given.statePath)
        statePath = given.statePath
        if let objection = self.settings?.objection { throw AdminListener.StartError.refused(objection) }
        // Asked in any case, because the control groups cannot be read any more once files are restricted.
        let processors = processorCount()
        records = Records(workerCount: settings.workers ?? processors)
    }

    /// Listens, while that is allowed; nil without an admin listener.
    func listen() throws(AdminListener.StartError) -> AdminSocket? {
        guard let settings else { return nil }
        return try AdminSocket(settings)
    }

    /// To be called when the engine serves.
    func begin(_ parts: Parts, on socket: AdminSocket?) throws -> Running {
        let published = parts.published
        let ledger = VerifierLedger(nowSeconds: Clock.wallSeconds()) { host in
            published.current.configuredName(of: host)
        }
        let keeper = try LedgerKeeper(ledger, records, folder: statePath)
        state.enter(.serving)
        guard let settings, let socket else { return Running(ledger: ledger, keeper: keeper, listener: nil) }
        let answers = AdminAnswers(state: state, records: records, usage: usage, parts: parts, ledger: ledger)
        return Running(
            ledger: ledger, keeper: keeper, listener: try AdminListener(settings, answers, on: socket))
    }

    /// From now on the server is not ready; a process that takes over has the address.
    func drain(_ running: Running) {
        state.enter(.draining)
        running.listener?.yield()
    }

    /// To be called when the workers have ended: what they saw last is written down.
    func end(_ running: Running) {
        running.keeper.stop()
        for text in running.complaints() { Log.warning(text) }
        state.noteState(.ledger, running.problem)
        for (level, text) in state.takeStateNotes() { Log.write(level, text) }
        running.listener?.stop()
    }
}
