// A running server from the point of view of its process: it loads, starts the engine, and waits for signals.

import Association
import Catalogue
import Engine
import Glibc
import HTTP
import Hosting
import Posix
import TLS
import Telemetry

struct Server {
    /// With the addresses of inherited sockets.
    let given: LoadedSettings
    private let sockets: Result<ServerSockets, any Error>
    private let notifier = SystemdNotifier()

    /// How long a signal may wait while everything is read for the first time.
    private static let signalMilliseconds: Int32 = 50

    /// Connections that a server of usual size has room for.
    private static let connectionsUsual = 8_192

    private static let endingSignals = [SIGTERM, SIGINT]

    init(_ loaded: LoadedSettings) {
        var given = loaded
        sockets = Result { try ServerSockets() }
        if let sockets = try? sockets.get() { given.settings = sockets.replacingAddresses(of: loaded.settings) }
        self.given = given
    }

    var settings: ServerSettings { given.settings }

    func run() -> ExitStatus {
        do {
            // Private keys are in memory from now on, and a core dump would be a copy of them on disk.
            try ProcessMemory.forbidDumps()
            // Before any thread is started, so that all of them leave signals to this one.
            let signals = try Signals([SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2])
            switch try start(signals) {
            case .ended(let status): return status
            case .running(let loop, let requests, let engine, let wiring, let running):
                // Beside this thread, which does nothing but listen from here on. It is never joined: what it waits for, a
                // file system that hangs too, must not keep the process from ending.
                try Thread(name: "control") { loop.run() }.detach()
                passSignals(signals, engine, requests)
                wiring.drain(running)
                return stop(engine, signals) { wiring.end(running) }
            }
        } catch {
            return .failure(saying: "\(error)")
        }
    }

    /// What became of a start.
    private enum Start {
        case running(MainLoop, Mailbox<MainLoopRequests>, Engine, AdminWiring, AdminWiring.Running)
        case ended(ExitStatus)
    }

    /// Everything up to the first answer. A function of its own, so that what was made for the first catalogue is freed
    /// before the server runs.
    private func start(_ signals: borrowing Signals) throws -> Start {
        try Folder.requireKernel()
        let descriptors = DescriptorLimit.raise()
        let sockets = try sockets.get()
        for finding in given.findings { Log.finding(finding) }
        let objections = StartObjections(given)
        if let objection = objections.toSettings { return .ended(.failure(saying: "not started: \(objection)")) }
        // Asked before the sandbox, which hides other processes.
        let shared = (sockets.isEmpty ? settings.http + settings.https : []).filter { Listener.isInUse($0) }
        if let objection = shared.first.flatMap(objections.toSharing) { return .ended(.failure(saying: objection)) }
        let wiring = try AdminWiring(given)
        var sandbox = Sandbox(settings, places: SandboxPlaces(given, opensSockets: sockets.isEmpty))
        try sandbox.changeUser()
        // A change of user has allowed it again.
        try ProcessMemory.forbidDumps()
        try sandbox.restrictFiles()
        if let error = EnvironmentCheck.error(settings, configPath: given.configPath) {
            Log.finding(error)
            let name = settings.environment ?? ""
            return .ended(.failure(saying: "not started: no app file has the environment \(name)"))
        }
        let blindFolders = BlindFolder.all(given)
        if !blindFolders.isEmpty { ReloadLog.blind(blindFolders) }
        let development = try developmentAuthority()
        let tenants = tenants(development)
        let background = try Background()
        guard let loaded = try load(tenants, background, signals) else {
            return .ended(.failure(saying: "stopped before it was ready"))
        }
        ReloadLog.began(loaded)
        if let objection = objections.to(loaded) { return .ended(.failure(saying: "not started: \(objection)")) }
        wiring.state.began(loaded, tenants)
        let published = PublishedCatalogue(loaded.catalogue)
        let certificates = certificateStore(published, development)
        if let status = objection(to: certificates, of: published, background, signals) { return .ended(status) }
        var engineSettings = try engineSettings(certificates, wiring.records)
        engineSettings.challenges = challengeSource(published)
        var listening = sockets.taking(from: engineSettings)
        let adminSocket = try wiring.listen()
        let listeners = try Engine.listen(listening)
        try sandbox.restrictCalls()
        // It has a thread of its own.
        listening.journal = try AccessLog.open(settings.accessLog, wiring.records)
        let engine = try Engine(listening, published: published, on: listeners)
        let admin = try wiring.begin(
            AdminWiring.Parts(engine: engine, published: published, certificates: certificates), on: adminSocket)
        sayIfShort(of: descriptors)
        sayIfShortOfMemory()
        sandbox.report()
        announce(loaded, engine, development, shared, admin: admin.address)
        notifier.tell(.ready(status: "serving \(loaded.summary)"))
        let surveyor = try certificates.map { try CertificateSurveyor($0, published) }
        surveyor?.survey()
        let requests = try Mailbox(MainLoopRequests())
        let server = RunningServer(
            engine: engine, published: published, tenants: tenants, certificates: certificates, surveyor: surveyor,
            tickets: engineSettings.secure?.tickets, notifier: notifier, sandbox: sandbox, state: wiring.state,
            admin: admin, journal: ChangeJournal(folder: given.statePath), blindFolders: blindFolders)
        let loop = try MainLoop(server, background, requests, settings: given, after: loaded)
        return .running(loop, requests, engine, wiring, admin)
    }

    /// Reads and renders everything, while this thread listens for signals; nil when one has ended it.
    private func load(
        _ tenants: Tenants, _ background: Background, _ signals: borrowing Signals
    ) throws -> RoundReport? {
        let outcome = Outcome<Result<RoundReport, ConfigurationError>>()
        // With --strict, all errors must be known before the server starts.
        let changes = settings.isStrict ? TreeChanges.allAgain : .start
        background.start { outcome.value = Result { () throws(ConfigurationError) in try tenants.round(changes) } }
        return isFinished(background, signals) ? try outcome.value?.get() : nil
    }

    /// Waits for work that may take long, and says whether that has ended before a signal ended the server.
    func isFinished(_ background: Background, _ signals: borrowing Signals) -> Bool {
        while !background.wait(milliseconds: Server.signalMilliseconds) {
            if let signal = signals.next(timeoutMilliseconds: 0), Server.endingSignals.contains(signal) { return false }
        }
        return true
    }

    /// Passes signals on until one ends the server.
    private func passSignals(_ signals: borrowing Signals, _ engine: Engine, _ requests: Mailbox<MainLoopRequests>) {
        while true {
            let signal = signals.next()
            engine.lookForNeighbours()
            switch signal {
            case SIGHUP: requests.leave { $0.reloads = true }
            case SIGUSR1: engine.journal?.reopen()
            case SIGUSR2:
                Log.warning(
                    "SIGUSR2 has no effect; to replace the program, start the new one beside this one, then SIGTERM")
            default: return requests.leave { $0.ends = true }
            }
        }
    }

    /// Ends the engine and then the rest.
    private func stop(
        _ engine: Engine, _ signals: borrowing Signals, _ end: @escaping @Sendable () -> Void
    ) -> ExitStatus {
        Log.info("stopping")
        notifier.tell(.stopping)
        do {
            // Beside this thread, which waits for a second signal. It is never joined: it ends the process.
            _ = try Thread(name: "drain") {
                engine.stop()
                AccessLog.end(engine.journal)
                end()
                exit(ExitStatus.success.rawValue)
            }
            while !Server.endingSignals.contains(signals.next()) {}
            Log.warning("stopped before everything was finished")
            AccessLog.end(engine.journal, milliseconds: 200)
            exit(ExitStatus.failure.rawValue)
        } catch {
            engine.stop()
            AccessLog.end(engine.journal)
            end()
            return .success
        }
    }

    private func developmentAuthority() throws(TLSError) -> DevelopmentAuthority? {
        guard given.isDevelopment, !settings.https.isEmpty else { return nil }
        return try DevelopmentAuthority(directory: given.statePath)
    }

    private func tenants(_ development: DevelopmentAuthority?) -> Tenants {
        Tenants(
            configPath: given.configPath, publicPath: given.publicPath, environment: settings.environment,
            signer: settings.signer(
                configPath: given.configPath, passphrase: given.passphrase?.passphrase, development: development),
            state: (given.statePath, Product.identity),
            openFilesMax: Tenants.openFilesMax(besideConnections: settings.limits.connectionsMax),
            linkTargets: settings.linkTargets, limits: settings.limits, owners: settings.owners)
    }

    private func challengeSource(_ published: PublishedCatalogue) -> EngineSettings.ChallengeSource {
        let challenges = Challenges(
            configPath: given.configPath, linkTargets: settings.linkTargets, settings: settings.acme,
            configuredName: { host in published.current.reading { $0.configuredName(of: host) } })
        return { host, token in
            challenges.answer(String(decoding: host, as: UTF8.self), String(decoding: token, as: UTF8.self))
        }
    }

    private func engineSettings(
        _ certificates: CertificateStore?, _ records: Records
    ) throws(TLSError) -> EngineSettings {
        // Asked again, the system might count other processors than those that have their records.
        var engine = EngineSettings(plainAddresses: settings.http, workerCount: records.workerCount)
        engine.records = records
        engine.limits = settings.limits
        engine.fronts = settings.proxies
        engine.proxyListeners =
            switch settings.proxyProtocol {
            case .off: .none
            case .everywhere: .all
            case .on(let addresses): .addresses(addresses)
            }
        guard let certificates else { return engine }
        engine.secureAddresses = settings.https
        let tickets = if let file = settings.ticketKeyFile { try TicketKeys(file: file) } else { try TicketKeys() }
        engine.secure = SecureSettings(certificates: certificates, tickets: tickets)
        // A browser that has learnt to use TLS only, or to follow a redirect to a port of today, would remember it beyond
        // what is being tried out.
        if given.isDevelopment { return engine }
        engine.strictTransportSeconds = settings.strictTransportSeconds
        engine.redirectsPages = settings.redirectsPages
        engine.publicSecurePort = settings.publicSecurePort
        return engine
    }

    private func announce(
        _ loaded: RoundReport, _ engine: Engine, _ development: DevelopmentAuthority?, _ shared: [SocketAddress],
        admin: SocketAddress?
    ) {
        Log.info("serving \(loaded.summary)")
        if let development { Log.info("development certificates by \(development.certificatePath)") }
        let listeners = engine.addresses.map { ("http://", $0) } + engine.secureAddresses.map { ("https://", $0) }
        for (scheme, address) in listeners {
            let beside = shared.contains { "\($0)" == "\(address)" } ? ", beside another process" : ""
            Log.info("listening on \(address.isUnix ? "" : scheme)\(address)\(beside)")
        }
        if let admin { Log.info("listening on \(admin.isUnix ? "" : "http://")\(admin) (admin)") }
        Log.info("ready")
    }

    /// Limits that memory makes lower than they are by default.
    private func sayIfShortOfMemory() {
        let (limits, usual) = (settings.limits, Limits())
        let isShort =
            limits.connectionsMax < usual.connectionsMax && limits.connectionsMax == given.limitsByMemory.connectionsMax
            || limits.handshakesMax < usual.handshakesMax && limits.handshakesMax == given.limitsByMemory.handshakesMax
        if !isShort { return }
        Log.warning(
            "there is room for \(limits.connectionsMax) connections and \(limits.handshakesMax) handshakes at once: "
                + "\(limits.heldBytesMax >> 20) MiB of memory are for them; give the process more, or set "
                + "limits.heldBytesMax")
    }

    /// A limit that is not the one that was asked for. The default is for large machines: where it holds, only what a small
    /// server too would run out of is worth a line at each start.
    private func sayIfShort(of descriptors: Int) {
        let room = descriptors - Engine.descriptorsKept
        let wanted = settings.limits.connectionsMax
        let isDefault = wanted == given.limitsByMemory.connectionsMax
        if room >= (isDefault ? min(Server.connectionsUsual, wanted) : wanted) { return }
        Log.warning(
            "there is room for \(max(16, room)) connections instead of \(wanted): this process may "
                + "have \(descriptors) descriptors; raise LimitNOFILE= or ulimit -Hn, or lower limits.connectionsMax")
    }

    func certificateStore(
        _ published: PublishedCatalogue, _ development: DevelopmentAuthority?
    ) -> CertificateStore? {
        if settings.https.isEmpty { return nil }
        return CertificateStore(
            hostsPath: "\(given.configPath)/hosts", links: settings.linkTargets,
            passphrase: given.passphrase?.passphrase, development: development,
            // Names are made certificates for only while they are served.
            wantsDevelopment: { host in published.current.reading { $0.knows(host) } },
            serves: { host in published.current.reading { $0.knows(host) } })
    }

    /// Where no error is accepted, the certificates of all hosts are looked at first.
    func objection(
        to certificates: CertificateStore?, of published: PublishedCatalogue, _ background: Background,
        _ signals: borrowing Signals
    ) -> ExitStatus? {
        guard settings.isStrict, let certificates else { return nil }
        background.start { _ = certificates.survey(published.current.servedHosts) }
        guard isFinished(background, signals) else { return .failure(saying: "stopped before it was ready") }
        let errors = certificates.standingCounts.errors
        if errors == 0 { return nil }
        ReloadLog.certificates(certificates.drainNews())
        return .failure(saying: "not started: \(Count.of(errors, "error")) of certificates above, and --strict is set")
    }
}
