// A running server from the point of view of its process: it loads, starts the engine, and waits for signals.

import Association
import Catalogue
import Engine
import Glibc
import HTTP
import Hosting
import Posix
import TLS

struct Server {
    private let settings: ServerSettings
    private let settingsFindings: [Finding]
    private let configPath: String
    private let statePath: String
    private let publicPath: String
    private let isDevelopment: Bool
    private let passphrase: Passphrase?
    private let sockets: Result<ServerSockets, any Error>
    private let supervisor = Supervisor()

    /// How long a signal may wait while everything is read for the first time.
    private static let signalMilliseconds: Int32 = 50

    init(_ loaded: LoadedSettings, _ arguments: ParsedArguments) {
        sockets = Result { try ServerSockets() }
        settings = (try? sockets.get())?.replacingAddresses(of: loaded.settings) ?? loaded.settings
        settingsFindings = loaded.findings
        configPath = loaded.configPath
        statePath = arguments["--state"] ?? "state"
        publicPath = arguments["--public"] ?? "public"
        isDevelopment = arguments.has("--dev")
        passphrase = .given(arguments, settingsFile: loaded.settings.passphraseFile)
    }

    func run() -> ExitStatus {
        do {
            // Private keys are in memory from now on, and a core dump would be a copy of them on disk.
            try ProcessMemory.forbidDumps()
            // Before any thread is started, so that all of them leave signals to this one.
            let signals = try Signals([SIGTERM, SIGINT, SIGHUP])
            switch try start(signals) {
            case .ended(let status): return status
            case .running(let control, let engine):
                control.run(signals)
                return stop(engine, signals)
            }
        } catch let error as any Error & CustomStringConvertible {
            return .failure(saying: error.description)
        } catch {
            return .failure(saying: "\(error)")
        }
    }

    /// What became of a start.
    private enum Start {
        case running(Control, Engine)
        case ended(ExitStatus)
    }

    /// Everything up to where it answers. A function of its own, because what was made for the first catalogue shall not be
    /// kept for as long as the server runs.
    private func start(_ signals: borrowing Signals) throws -> Start {
        let descriptors = DescriptorLimit.raise()
        let sockets = try sockets.get()
        for finding in settingsFindings { Console.error(finding) }
        let development = try developmentAuthority()
        let tenants = tenants(development)
        let background = try Background()
        guard let loaded = try load(tenants, background, signals) else {
            return .ended(.failure(saying: "stopped before it was ready"))
        }
        let log = ReloadLog()
        log.began(loaded)
        if let status = objection(to: loaded) { return .ended(status) }
        let published = PublishedCatalogue(loaded.catalogue)
        let certificates = certificateStore(published, development)
        // Asked before we listen ourselves.
        let isShared = (settings.http + settings.https).map { sockets.isEmpty && Listener.isInUse($0) }
        let engineSettings = try engineSettings(certificates)
        let engine = try Engine(sockets.taking(from: engineSettings), published: published)
        sayIfShort(of: descriptors)
        announce(loaded, engine, development, isShared)
        supervisor.tell(.ready(status: "serving \(loaded.summary)"))
        let control = try Control(
            Control.Running(
                engine: engine, published: published, tenants: tenants, certificates: certificates,
                tickets: engineSettings.secure?.tickets, supervisor: supervisor, log: log),
            background, signals, watching: (configPath, publicPath))
        return .running(control, engine)
    }

    /// Reads and renders everything, while this thread listens for signals; nil when one has ended it.
    private func load(
        _ tenants: Tenants, _ background: Background, _ signals: borrowing Signals
    ) throws -> RoundReport? {
        let outcome = Outcome()
        background.start { outcome.value = Result { () throws(ConfigurationError) in try tenants.round(.allAgain) } }
        while !background.wait(milliseconds: Server.signalMilliseconds) {
            if let signal = signals.next(timeoutMilliseconds: 0), signal != SIGHUP { return nil }
        }
        return try outcome.value?.get()
    }

    private func stop(_ engine: Engine, _ signals: borrowing Signals) -> ExitStatus {
        Console.error("stopping\n")
        supervisor.tell(.stopping)
        do {
            // Beside this thread, which goes on listening for the second signal; it is never joined, it ends the process.
            _ = try Thread(name: "drain") {
                engine.stop()
                exit(ExitStatus.success.rawValue)
            }
            while signals.next() == SIGHUP {}
            Console.error("stopped before everything was finished\n")
            exit(ExitStatus.failure.rawValue)
        } catch {
            engine.stop()
            return .success
        }
    }

    /// A server that would answer nothing to anybody does not start.
    private func objection(to loaded: RoundReport) -> ExitStatus? {
        let errors = (settingsFindings + loaded.findings).count { $0.severity == .error }
        if settingsFindings.contains(where: { $0.rule == "CFG-001" }) {
            // With none of its settings the server would listen elsewhere than it is asked for.
            return .failure(saying: "not started: \(configPath)/server.json cannot be read; mend it or remove it")
        }
        if settings.isStrict, errors > 0 {
            let count = "\(errors) \(errors == 1 ? "error" : "errors")"
            return .failure(saying: "not started: \(count) above, and --strict is set")
        }
        if loaded.hostCount == 0 {
            return .failure(
                saying: "not started: no app file in \(configPath)/apps gives a host to serve; write one, or mend what "
                    + "is reported above")
        }
        if settings.http.isEmpty, settings.https.isEmpty {
            return .failure(saying: "not started: there is no address to listen on; give one with --http or --https")
        }
        return nil
    }

    private func developmentAuthority() throws(TLSError) -> DevelopmentAuthority? {
        guard isDevelopment, !settings.https.isEmpty else { return nil }
        return try DevelopmentAuthority(directory: statePath)
    }

    private func tenants(_ development: DevelopmentAuthority?) -> Tenants {
        Tenants(
            configPath: configPath, publicPath: publicPath, environment: settings.environment,
            signer: DocumentSigner(
                hostsPath: "\(configPath)/hosts", named: settings.signing, passphrase: passphrase,
                development: development),
            state: (statePath, Product.identity))
    }

    private func certificateStore(
        _ published: PublishedCatalogue, _ development: DevelopmentAuthority?
    ) -> CertificateStore? {
        if settings.https.isEmpty { return nil }
        return CertificateStore(
            hostsPath: "\(configPath)/hosts", passphrase: passphrase, development: development,
            // Names are made certificates for only while they are served.
            wantsDevelopment: { host in published.current.view.knows(host) },
            serves: { host in published.current.view.knows(host) })
    }

    private func engineSettings(_ certificates: CertificateStore?) throws(TLSError) -> EngineSettings {
        var engine = EngineSettings(
            plainAddresses: settings.http, workerCount: settings.workers ?? processorCount())
        engine.limits = settings.limits
        guard let certificates else { return engine }
        engine.secureAddresses = settings.https
        let tickets = if let file = settings.ticketKeyFile { try TicketKeys(file: file) } else { try TicketKeys() }
        engine.secure = SecureSettings(certificates: certificates, tickets: tickets)
        // A browser that has learnt to use TLS only, or to follow a redirect to a port of today, would remember it beyond
        // what is being tried out.
        if isDevelopment { return engine }
        engine.strictTransportSeconds = settings.strictTransportSeconds
        engine.redirectsPages = settings.redirectsPages
        engine.publicSecurePort = settings.publicSecurePort
        return engine
    }

    private func announce(
        _ loaded: RoundReport, _ engine: Engine, _ development: DevelopmentAuthority?, _ isShared: [Bool]
    ) {
        Console.error("serving \(loaded.summary)\n")
        if let development { Console.error("development certificates by \(development.certificatePath)\n") }
        let listeners = engine.addresses.map { ("http://", $0) } + engine.secureAddresses.map { ("https://", $0) }
        for ((scheme, address), isShared) in zip(listeners, isShared) {
            let beside = isShared ? ", beside another process" : ""
            Console.error("listening on \(address.isUnix ? "" : scheme)\(address)\(beside)\n")
        }
        Console.error("ready\n")
    }

    /// A limit that is not the one that was asked for.
    private func sayIfShort(of descriptors: Int) {
        let room = descriptors - Engine.descriptorsKept
        if room >= settings.limits.connectionsMax { return }
        Console.error(
            "there is room for \(max(16, room)) connections instead of \(settings.limits.connectionsMax): this process may "
                + "have \(descriptors) descriptors; raise LimitNOFILE= or ulimit -Hn, or lower limits.connectionsMax\n")
    }
}
