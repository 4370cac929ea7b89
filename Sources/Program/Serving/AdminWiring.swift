// Connects the admin listener, the link to the manager and the ledger of verifier fetches with the rest of the server.

public import Administration
import Catalogue
import Certificates
import Engine
import Hosting
import Posix
import Service
public import Settings
public import Supervision
import TLS
import Telemetry

struct AdminWiring: Sendable {
    let state: ServerState
    /// Written by the workers.
    let metrics: WorkerMetrics
    private let settings: AdminSettings?
    private let given: LoadedSettings
    // Opened before the sandbox forbids it.
    private let usage = ProcessUsage()

    /// The parts that run next to the engine.
    struct Running: Sendable {
        let ledger: VerifierLedger
        let keeper: LedgerKeeper
        fileprivate let state: ServerState
        fileprivate let listeners: [Service]

        /// The server is not ready from now on. A server that has taken over answers at the address.
        func drain(isTakenOver: Bool) {
            state.change { $0.phase = .draining }
            if isTakenOver { for listener in listeners { listener.stopAccepting() } }
        }

        /// Call it when the workers have ended; saves what they recorded last.
        func end() {
            keeper.stop()
            for text in keeper.takeWarnings() { Log.warning(text) }
            state.noteState(.ledger, keeper.problem)
            for listener in listeners { listener.stop() }
        }
    }

    /// Reads the token while that is still allowed.
    init(_ given: LoadedSettings) throws {
        self.given = given
        settings = try given.settings.admin.map { try AdminSettings($0) }
        state = ServerState(configPath: given.configPath, statePath: given.statePath)
        if let objection = settings?.objection { throw Refusal.failure(objection) }
        // Read in any case, because the sandbox hides the control groups later.
        let processors = processorCount()
        metrics = WorkerMetrics(workerCount: given.settings.workers ?? processors)
    }

    /// Call it when the engine serves.
    /// - Parameters:
    ///   - parent: the process that operators send signals to.
    ///   - lock: what writing to the state needs.
    func begin(
        _ engine: Engine, _ published: PublishedCatalogue, _ certificates: CertificateStore?, parent: Int32,
        lock: LateLock?, on socket: ListeningSocket?, link: ListeningSocket?
    ) throws -> Running {
        let ledger = VerifierLedger(nowSeconds: Clock.wallSeconds()) { published.current.configuredName(of: $0) }
        let keeper = try LedgerKeeper(ledger, metrics, folder: given.statePath, lock: lock)
        state.change { $0.phase = .serving }
        // The silence of a manager is reported only if the settings ask for one.
        let answers = ServerAnswers(
            state: state, workerMetrics: metrics, usage: usage, parent: parent,
            expectsManager: given.settings.manager.isWanted, engine: engine, published: published,
            certificates: certificates, ledger: ledger)
        var listeners: [Service] = []
        if let settings, let socket { listeners.append(try Service(admin: settings, answers, on: socket)) }
        if let link {
            listeners.append(try Service(link: answers, reports: answers.routes + answers.consoleRoutes, on: link))
        }
        return Running(ledger: ledger, keeper: keeper, state: state, listeners: listeners)
    }
}

extension AdminSettings {
    /// The settings with their token: from ASSOCIATED_ADMIN_TOKEN, or else from the file. It is no option, because every user of the
    /// machine can read a command line.
    public init(_ place: AdminPlace) throws(Refusal) {
        var token: AdminToken?
        if let text = Environment.value(Environment.adminToken) {
            do throws(AdminToken.Problem) { token = try AdminToken(text.utf8) } catch {
                throw .failure("cannot use the token in ASSOCIATED_ADMIN_TOKEN: \(error)")
            }
        } else if let file = place.tokenFile {
            do throws(AdminToken.Problem) { token = try AdminToken(file: file) } catch {
                throw .failure("cannot use the admin token in \(file): \(error)")
            }
        }
        self.init(address: place.address, token: token, hosts: place.hosts)
    }
}
