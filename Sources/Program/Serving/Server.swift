// The process of a running server: it loads everything, starts the engine and waits for signals.

import Administration
import Association
import Catalogue
import Certificates
import Engine
import Glibc
import HTTP
import Hosting
import Posix
import Settings
public import Supervision
import TLS
import Telemetry
import Tenancy

public struct Server {
    /// The settings, with the addresses of the sockets.
    let given: LoadedSettings
    /// Nil from the start of the workers on, which then are the only owners: a socket must not listen longer than they accept.
    private var sockets: ServerSockets?
    private let inheritance: Inheritance
    private let notifier: SystemdNotifier
    /// Of the state directory; nil if the parent has it.
    private let lock: LateLock?

    /// How long a signal may wait during the first round.
    private static let signalMilliseconds: Int32 = 50

    /// The number of connections that an ordinary server has room for.
    private static let connectionsUsual = 8_192

    /// Hosts that are named at the start in development.
    private static let namedMax = 10

    private static let endingSignals = [SIGTERM, ServerSignal.exitNow]
    private static let lookMilliseconds: Int32 = 1_000

    public init(_ loaded: LoadedSettings, _ inheritance: Inheritance) throws {
        guard let reports = inheritance.reports else { preconditionFailure("a server reports to its parent") }
        let sockets = try ServerSockets(inheritance)
        self.sockets = sockets
        var given = loaded
        given.settings = sockets.replacingAddresses(of: loaded.settings)
        self.given = given
        self.inheritance = inheritance
        lock = inheritance.needsLock ? LateLock(StateLock.path(in: loaded.statePath)) : nil
        notifier = SystemdNotifier(takingOwnershipOf: reports, watchdogMilliseconds: inheritance.watchdogMilliseconds)
    }

    var settings: ServerSettings { given.settings }

    public mutating func run() -> ExitStatus {
        do {
            // From now on private keys are in memory, and a core dump would copy them to disk.
            try ProcessMemory.forbidDumps()
            // Before any thread starts, so that all of them leave signals to this one.
            let signals = try Signals(ServerSignal.all)
            // The log goes to the terminal of the parent, which may stop other process groups that write (`stty tostop`).
            signal(SIGTTOU, SIG_IGN)
            let (server, loop) = try start(signals)
            // This thread only waits for signals from here on. The main loop is never joined, so a hanging file system cannot
            // keep the process from exiting.
            try Thread(name: "control") { loop.run() }.detach()
            let isTakenOver = passSignals(signals, to: server)
            server.admin.drain(isTakenOver: isTakenOver)
            return stop(server, signals, isTakenOver: isTakenOver)
        } catch {
            return .failure(saying: "\(error)")
        }
    }

    /// Everything up to the first answer. A separate function, so that temporary values are freed before the server runs.
    private mutating func start(_ signals: borrowing Signals) throws -> (RunningServer, MainLoop) {
        guard let sockets = sockets.take() else { preconditionFailure("a server starts once") }
        try Folder.requireKernel()
        let descriptors = DescriptorLimit.raise()
        for finding in given.findings { Log.finding(finding) }
        let problems = StartProblems(given)
        if let objection = problems.inSettings { throw Refusal.failure("not started: \(objection)") }
        let wiring = try AdminWiring(given)
        var sandbox = Sandbox(given, places: SandboxPlaces(given))
        try sandbox.changeUser()
        // The change of user has undone both.
        try ProcessMemory.forbidDumps()
        try inheritance.endWithParent()
        try sandbox.restrictFiles()
        // A folder that exists is watched from the start.
        if !settings.https.isEmpty { try? Directory.create(given.certificatesPath, permissions: 0o700) }
        if let error = EnvironmentCheck.error(
            settings, configPath: given.configPath, publishedPath: given.publishedPath)
        {
            Log.finding(error)
            throw Refusal.failure("not started: no app file has the environment \(settings.environment ?? "")")
        }
        let foldersWithoutEvents = FolderWithoutEvents.all(given)
        if !foldersWithoutEvents.isEmpty { ReloadLog.withoutEvents(foldersWithoutEvents) }
        let development = try developmentAuthority()
        let tenants = tenants(development)
        let background = try Background()
        let loaded = try load(tenants, background, signals)
        ReloadLog.began(loaded, tenant: tenants.tenant(ofFile:))
        if let objection = problems.inRound(loaded.findings, hostCount: loaded.figures.hosts) {
            throw Refusal.failure("not started: \(objection)")
        }
        wiring.state.reloaded(loaded, tenants)
        wiring.state.note(settings: given.findings)
        let published = PublishedCatalogue(loaded.catalogue)
        let certificates = certificateStore(published, development, wiring.state)
        if settings.isStrict, let certificates { try check(certificates, of: published, background, signals) }
        var engineSettings = try engineSettings(sockets, certificates, wiring.metrics)
        engineSettings.challenges = challengeSource(published)
        try sandbox.restrictCalls()
        // Both start a thread.
        try Log.writeAside()
        engineSettings.accessLog = try AccessLog.open(settings.accessLog, wiring.metrics)
        let engine = try Engine(engineSettings, published: published)
        let admin = try wiring.begin(
            engine, published, certificates, parent: inheritance.parent, lock: lock, on: sockets.admin,
            link: sockets.link)
        warnIfShort(of: descriptors)
        warnIfShortOfMemory()
        sandbox.report()
        // In this order: when an operator reads that the server is ready, the parent knows it.
        notifier.notify(.ready(status: "serving \(loaded.summary)"))
        try Server.giveSignsOfLife(engine, notifier)
        announce(loaded, engine, development, admin: settings.admin?.address)
        let surveyor = try certificates.map { try CertificateSurveyor($0, published) }
        surveyor?.survey()
        let server = RunningServer(
            requests: try Mailbox(MainLoopRequests()), engine: engine, published: published, tenants: tenants,
            certificates: certificates, surveyor: surveyor,
            tickets: engineSettings.secure?.tickets, notifier: notifier, sandbox: sandbox, state: wiring.state,
            admin: admin, journal: given.isDevelopment ? nil : ChangeJournal(folder: given.statePath, lock: lock),
            foldersWithoutEvents: foldersWithoutEvents)
        return (server, try MainLoop(server, background, settings: given, after: loaded))
    }

    /// Starts the thread that tells the parent that all workers run. It does nothing else, so that nothing can hold it up.
    private static func giveSignsOfLife(_ engine: Engine, _ notifier: SystemdNotifier) throws(SystemError) {
        try Thread(name: "watchdog", owning: WakeUp()) { never in
            var watchdog = Watchdog(milliseconds: notifier.watchdogMilliseconds)
            while true {
                _ = never.wait(milliseconds: Server.lookMilliseconds)
                // By then, a worker that needs a heartbeat request has had one.
                let isAlive = engine.silentMilliseconds().allSatisfy { $0 <= WorkerState.silentMillisecondsMax }
                if watchdog.isDue(now: Clock.monotonicMilliseconds(), isAlive: isAlive) { notifier.notify(.alive) }
            }
        }.detach()
    }

    /// Runs the first round.
    private func load(
        _ tenants: Tenants, _ background: Background, _ signals: borrowing Signals
    ) throws -> RoundReport {
        let outcome = JobResult<Result<RoundReport, ConfigurationError>>()
        background.start { outcome.value = Result { () throws(ConfigurationError) in try tenants.round(.allAgain) } }
        try wait(for: background, signals)
        guard let outcome = outcome.value else { preconditionFailure("the job has left its result") }
        return try outcome.get()
    }

    /// Waits for a job, and for signals: one may end the server before.
    private func wait(for background: Background, _ signals: borrowing Signals) throws(Refusal) {
        while !background.wait(milliseconds: Server.signalMilliseconds) {
            if let signal = signals.next(timeoutMilliseconds: 0), Server.endingSignals.contains(signal) {
                throw .failure("stopped before it was ready")
            }
        }
    }

    /// Passes signals on until one ends the server. True when another server has taken over.
    private func passSignals(_ signals: borrowing Signals, to server: RunningServer) -> Bool {
        while true {
            let signal = signals.next()
            switch signal {
            case SIGHUP: server.requests.leave { $0.reloads = true }
            case SIGUSR1: server.engine.accessLog?.reopen()
            case SIGUSR2: continue
            default:
                server.requests.leave { $0.ends = true }
                return signal == ServerSignal.takenOver
            }
        }
    }

    /// Ends the engine, then the rest.
    private func stop(
        _ server: RunningServer, _ signals: borrowing Signals, isTakenOver: Bool
    ) -> ExitStatus {
        Log.info(isTakenOver ? "stopping, because another server has taken over" : "stopping")
        let (engine, notifier) = (server.engine, server.notifier)
        @Sendable func drain() {
            engine.stop(isTakenOver: isTakenOver)
            AccessLog.end(engine.accessLog)
            server.admin.end()
            notifier.notify(.stopping)
        }
        do {
            // A separate thread, because this one waits for a second signal. It is never joined: it exits the process.
            _ = try Thread(name: "drain") {
                drain()
                exit(ExitStatus.success.rawValue)
            }
            var signal = signals.next()
            while signal != ServerSignal.exitNow {
                if signal == SIGUSR1 { engine.accessLog?.reopen() }
                signal = signals.next()
            }
            Log.warning("stopped before all requests were finished")
            AccessLog.end(engine.accessLog, milliseconds: 200)
            exit(ExitStatus.failure.rawValue)
        } catch {
            drain()
            return .success
        }
    }

    private func developmentAuthority() throws(TLSError) -> DevelopmentAuthority? {
        guard given.isDevelopment, !settings.https.isEmpty else { return nil }
        return try DevelopmentAuthority(directory: given.statePath)
    }

    private func tenants(_ development: DevelopmentAuthority?) -> Tenants {
        Tenants(
            configPath: given.configPath, publicPath: given.publicPath, publishedPath: given.publishedPath,
            environment: settings.environment,
            signer: settings.signer(
                configPath: given.configPath, managedPath: given.certificatesPath, development: development),
            // No phone has seen what a developer tries, so no later server guards it.
            state: given.isDevelopment ? nil : (given.statePath, Product.identity), lock: lock,
            openFilesMax: HostFolders.openFilesMax(
                descriptors: DescriptorLimit.count, connectionsMax: settings.limits.connectionsMax),
            linkTargets: settings.linkTargets, limits: settings.limits,
            // A server that died may have had later ones than the parent.
            owners: SettingsWatch(given).ownersOnDisk ?? settings.owners,
            lint: settings.lint.ofServer,
            holdsRemovals: !given.isDevelopment)
    }

    private func challengeSource(_ published: PublishedCatalogue) -> EngineSettings.ChallengeSource {
        let challenges = Challenges(
            configPath: given.configPath, linkTargets: settings.linkTargets, settings: settings.acme,
            thumbprintPath: given.thumbprintPath,
            configuredName: { host in published.current.reading { $0.configuredName(of: host) } })
        return { host, token in
            challenges.answer(String(decoding: host, as: UTF8.self), String(decoding: token, as: UTF8.self))
        }
    }

    private func engineSettings(
        _ sockets: ServerSockets, _ certificates: CertificateStore?, _ metrics: WorkerMetrics
    ) throws(TLSError) -> EngineSettings {
        // Not asked again, because the system might now count other processors.
        var engine = EngineSettings(listeners: sockets.groups, workerCount: metrics.workerCount)
        engine.metrics = metrics
        engine.limits = settings.limits
        // No client of a developer is about to connect.
        if given.isDevelopment { engine.limits.drainIdleMilliseconds = 0 }
        engine.trustedProxies = settings.proxies
        guard let certificates else { return engine }
        let tickets = if let file = settings.ticketKeyFile { try TicketKeys(file: file) } else { try TicketKeys() }
        engine.secure = SecureSettings(certificates: certificates, tickets: tickets)
        // Browsers would remember HSTS, or a redirect to this port, beyond the development.
        if given.isDevelopment { return engine }
        engine.strictTransportSeconds = settings.strictTransportSeconds
        engine.redirectsPages = settings.redirectsPages
        engine.publicSecurePort = settings.publicSecurePort
        return engine
    }

    private func announce(
        _ loaded: RoundReport, _ engine: Engine, _ development: DevelopmentAuthority?, admin: SocketAddress?
    ) {
        if given.isDevelopment, let console = settings.manager.api, !console.isUnix {
            Log.info("console: http://\(console)/")
        }
        Log.info("serving \(loaded.summary)")
        if let development { Log.info("development certificates are signed by \(development.certificatePath)") }
        let listeners = engine.addresses.map { ("http://", $0) } + engine.secureAddresses.map { ("https://", $0) }
        for (scheme, address) in listeners {
            Log.info("listening on \(address.isUnix ? "" : scheme)\(address)")
        }
        if let admin { Log.info("listening on \(admin.isUnix ? "" : "http://")\(admin) (admin)") }
        let hosts = given.isDevelopment ? loaded.catalogue.servedHosts.sorted() : []
        if !hosts.isEmpty {
            let rest = hosts.count > Server.namedMax ? " and \(hosts.count - Server.namedMax) more" : ""
            Log.info(
                "hosts: \(hosts.prefix(Server.namedMax).joined(separator: ", "))\(rest); a request for any other gets a 404 "
                    + "or, with TLS, an alert")
        }
        if let host = hosts.first(where: { !$0.hasPrefix("*") }),
            let (scheme, address) = listeners.last, !address.isUnix
        {
            let trust = development.map { "--cacert \($0.certificatePath) " } ?? ""
            Log.info(
                "try: curl \(trust)--connect-to ::\(address) \(scheme)\(host):\(address.port)\(AssociationPath.apple)")
        }
        Log.info("ready")
    }

    /// Warns if little memory makes limits lower than their defaults.
    private func warnIfShortOfMemory() {
        let (limits, usual) = (settings.limits, Limits())
        let isShort =
            limits.connectionsMax < usual.connectionsMax && limits.connectionsMax == given.limitsByMemory.connectionsMax
            || limits.handshakesMax < usual.handshakesMax && limits.handshakesMax == given.limitsByMemory.handshakesMax
        if !isShort { return }
        Log.warning(
            "limited to \(limits.connectionsMax) connections and \(limits.handshakesMax) concurrent handshakes, which may use "
                + "\(limits.heldBytesMax >> 20) MiB; give the process more memory, or set limits.heldBytesMax")
    }

    /// Warns about a connection limit lower than configured. The default is meant for large machines, so it causes a warning only
    /// if even an ordinary server would run out.
    private func warnIfShort(of descriptors: Int) {
        let room = descriptors - Engine.descriptorsKept
        let wanted = settings.limits.connectionsMax
        let isDefault = wanted == given.limitsByMemory.connectionsMax
        if room >= (isDefault ? min(Server.connectionsUsual, wanted) : wanted) { return }
        Log.warning(
            "limited to \(max(16, room)) connections (\(wanted) configured): the file descriptor limit is \(descriptors); "
                + "raise LimitNOFILE=, --ulimit nofile= or ulimit -Hn, or lower limits.connectionsMax")
    }

    func certificateStore(
        _ published: PublishedCatalogue, _ development: DevelopmentAuthority?, _ state: ServerState
    ) -> CertificateStore? {
        if settings.https.isEmpty { return nil }
        let manager = settings.manager
        return CertificateStore(
            hostsPath: "\(given.configPath)/hosts", managedPath: given.certificatesPath, links: settings.linkTargets,
            keptPath: "\(given.statePath)/last-good-certificates", lock: lock,
            limits: CertificateLimits(
                memoryBytes: given.memoryBytes, connectionBytes: settings.limits.heldBytesMax),
            development: development,
            serves: { host in published.current.reading { $0.knows(host) } }, isOrdered: { manager.orders($0) },
            tenant: { state.tenant(of: $0, in: published) })
    }

    /// With --strict, the certificates of all hosts are checked first.
    private func check(
        _ certificates: CertificateStore, of published: PublishedCatalogue, _ background: Background,
        _ signals: borrowing Signals
    ) throws(Refusal) {
        background.start { _ = certificates.survey(published.current.servedHosts) }
        try wait(for: background, signals)
        let errors = certificates.register.openProblemCounts.errors
        if errors == 0 { return }
        var log = ReloadLog()
        log.certificates(certificates.register.drain(), now: Clock.monotonicMilliseconds()) { _ in .operator }
        throw .failure("not started: \(Count.of(errors, "certificate error")) above, and --strict is set")
    }
}

/// The listening sockets that the parent has passed to this server. They decide where it listens, even if `server.json` has changed
/// since.
struct ServerSockets {
    let groups: [ListenerGroup]
    let admin: ListeningSocket?
    /// Where the manager asks; the parent may open it later.
    let link: ListeningSocket?

    /// Call it once, before any thread starts.
    init(_ inheritance: Inheritance) throws {
        var groups: [ListenerGroup] = []
        var others: [Inheritance.Purpose: ListeningSocket] = [:]
        for group in inheritance.groups {
            let sockets = try group.numbers.map {
                try ListeningSocket(inheriting: $0, named: group.purpose.rawValue, mayBeLate: group.purpose == .link)
            }
            switch group.purpose {
            case .admin, .link: others[group.purpose] = sockets[0]
            case .managerAdmin, .api: break
            case .http, .https:
                groups.append(
                    ListenerGroup(
                        sockets, isSecure: group.purpose == .https, expectsProxyHeader: group.expectsProxyHeader))
            }
        }
        self.groups = groups
        (admin, link) = (others[.admin], others[.link])
    }

    /// The settings with the addresses of these sockets.
    func replacingAddresses(of settings: ServerSettings) -> ServerSettings {
        var settings = settings
        settings.http = groups.filter { !$0.isSecure }.map { $0.sockets[0].address }
        settings.https = groups.filter(\.isSecure).map { $0.sockets[0].address }
        guard let admin else {
            settings.admin = nil
            return settings
        }
        // A Unix-domain socket was bound under another name, and then put in its place.
        if !admin.address.isUnix { settings.admin?.address = admin.address }
        return settings
    }
}

/// Opens, reports on and ends the access log.
extension AccessLog {
    /// Opens the log, which gets its lines from these workers; nil if it is turned off.
    static func open(_ wanted: AccessLogSettings, _ metrics: WorkerMetrics) throws(Refusal) -> AccessLog? {
        let target: LogTarget
        switch wanted.place {
        case .off: return nil
        case .standardOutput: target = .standardOutput
        case .file(let path): target = .file(path)
        }
        var selection = wanted.selection
        if wanted.format != .json { selection.hasHandshakes = false }
        do throws(SystemError) {
            let log = try AccessLog(target, wanted.format, selection, metrics: metrics)
            Log.info("logging requests to \(target)")
            return log
        } catch {
            throw .failure(
                "not started: cannot write the access log \(target): \(error.reason); choose a file in a folder that the "
                    + "server's user may write to, or `off`")
        }
    }

    /// Logs the messages of the access log itself.
    static func report(_ log: AccessLog?) {
        let problems = Set(log?.problems.map(\.text) ?? [])
        for note in log?.takeNotes() ?? [] { Log.write(problems.contains(note) ? .error : .warning, note) }
    }

    /// Writes the remaining lines, with a time limit.
    static func end(_ log: AccessLog?, milliseconds: Int32 = 2_000) {
        log?.end(milliseconds: milliseconds)
        report(log)
    }
}
