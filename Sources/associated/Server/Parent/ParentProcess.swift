// The parent of the server and of the manager, which is what `associated serve` starts first: it opens the listening sockets and
// keeps them open while servers come and go. It reads the settings, no other file, and nothing that a client sends. When to start
// and stop the others is decided by `ServerLifecycle` and `ManagerLifecycle`.

import Glibc
import Hosting
import Posix

final class ParentProcess {
    private let arguments: ParsedArguments
    private let program: String
    private let signals: Signals
    private let poller: Poller
    private let notifier = SystemdNotifier()
    private var setup: Setup
    /// That of an upgrade under way.
    private var upgrade: Setup?
    private var lifecycle = ServerLifecycle()
    /// By their numbers.
    private var servers: [Int: Server] = [:]
    /// Why the last server that was to be started was not.
    private var startProblem = ""
    private var managerLifecycle = ManagerLifecycle()
    /// The last manager that was started.
    private var managerProcess: Int32 = 0
    /// Where that one says why it ends.
    private var managerReports: ChildReports?
    /// How the last manager ended, for the servers, which answer for it until the next one starts; empty while there is one.
    private var managerEnd = ""
    /// The status to exit with as soon as the manager has ended too; nil while there are servers, or will be.
    private var exitStatus: Int32?

    /// What follows from the settings for the parent.
    private struct Setup {
        var sockets: ListeningSet
        let wantsManager: Bool
        /// The text of `server.json`, which servers and managers get until an upgrade: a mistake in it must not keep the next
        /// one from starting when one has died.
        let settings: MemoryFile
        let hasSettingsFile: Bool
    }

    private final class Server {
        let process: Int32
        let reports: ChildReports
        /// How many messages have come in this second, and when the next second begins.
        var messageCount = 0
        var countsUntil: Int64 = 0
        /// When to read on after too many; nil while the poller watches the socket.
        var readsAgainAt: Int64?

        init(_ process: Int32, _ reports: ChildReports) { (self.process, self.reports) = (process, reports) }
    }

    private static let handledSignals = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD]
    private static let signalToken: UInt64 = .max
    /// A server has something to say about once a second. One that says more is read no faster.
    private static let messagesPerSecondMax = 20

    /// Opens the sockets and gives up the rights that are not needed.
    private init(_ loaded: LoadedSettings, _ arguments: ParsedArguments) throws {
        self.arguments = arguments
        // The admin token may be in the environment.
        try ProcessMemory.forbidDumps()
        guard let program = ChildProcess.ownPath(startedAs: CommandLine.arguments[0]) else {
            throw Refusal.failure("cannot read /proc/self/exe; mount /proc")
        }
        self.program = program
        ChildProcess.keepEnds()
        signals = try Signals(ParentProcess.handledSignals)
        poller = try Poller(eventsMax: 8)
        guard poller.add(signals.descriptor.number, .readable, token: ParentProcess.signalToken) else {
            throw SystemError.exhausted("epoll_ctl")
        }
        setup = try ParentProcess.setup(for: loaded, after: nil)
        try dropRights(loaded.settings)
    }

    private func dropRights(_ settings: ServerSettings) throws {
        try Privileges.setNoNewPrivileges()
        if let name = settings.user, Privileges.isRoot, try !Account(name).isRoot,
            !Privileges.capabilities.contains(.signalOthers)
        {
            throw Refusal.failure(
                "cannot signal a server of user \(name): this process lacks CAP_KILL; grant it, or start it as that user"
            )
        }
        // Without a sandbox, root keeps all rights of root.
        if settings.sandbox.mode == .off, Privileges.isRoot { return }
        let kept = Privileges.isRoot ? Privileges.Capabilities.ofParent : .bindLowPorts
        try Privileges.dropCapabilities(keeping: kept, bounding: kept)
    }

    /// Returns only if nothing was started.
    static func run(_ loaded: LoadedSettings, _ arguments: ParsedArguments) -> ExitStatus {
        do {
            try ParentProcess(loaded, arguments).run()
        } catch {
            return .failure(saying: "\(error)")
        }
    }

    private static func setup(for loaded: LoadedSettings, after former: Setup?) throws -> Setup {
        let problems = StartProblems(loaded)
        if let objection = problems.inSettings ?? problems.inDescriptors {
            // A server reports them; here only what keeps it from being started.
            for finding in loaded.findings { Log.finding(finding) }
            throw Refusal.failure(former == nil ? "not started: \(objection)" : objection)
        }
        // With the defaults, the new server could listen elsewhere, and as another user.
        if former?.hasSettingsFile == true, loaded.text == nil {
            throw Refusal.failure(
                "\(loaded.configPath)/server.json is gone; put it back, or restart to use the defaults")
        }
        // The sockets for the manager and for the operator are usually there.
        SandboxPlaces(loaded).createState(for: try loaded.settings.user.map(Account.init))
        return Setup(
            sockets: try (former?.sockets ?? ListeningSet()).adapted(
                to: loaded.settings, socketCount: loaded.settings.workers ?? processorCount(),
                link: loaded.settings.manager.isWanted ? loaded.linkPath : nil),
            wantsManager: loaded.settings.manager.isWanted && !loaded.settings.manager.isSeparate,
            settings: try MemoryFile(loaded.text ?? []), hasSettingsFile: loaded.text != nil)
    }

    private func run() -> Never {
        handle(.begin)
        while true {
            if let exitStatus, !managerLifecycle.isAlive { exit(exitStatus) }
            _ = poller.wait(milliseconds: waitMilliseconds)
            // Reports first: a server that says that it is ready is so before it is told to do anything.
            for number in servers.keys.sorted() { readReports(of: number) }
            while let signal = signals.next(timeoutMilliseconds: 0) { handle(signal) }
            if let due = lifecycle.dueMilliseconds, Clock.monotonicMilliseconds() >= due { handle(.due) }
            if let due = managerLifecycle.dueMilliseconds, Clock.monotonicMilliseconds() >= due { handleManager(.due) }
        }
    }

    private var waitMilliseconds: Int32 {
        let due = [lifecycle.dueMilliseconds, managerLifecycle.dueMilliseconds].compactMap(\.self)
        let times = servers.values.compactMap(\.readsAgainAt) + due
        guard let next = times.min() else { return 60_000 }
        // The coarse clock lags by up to 4 ms.
        return Int32(clamping: max(0, next - Clock.monotonicMilliseconds()) + 4)
    }

    private func handle(_ signal: Int32) {
        switch signal {
        case SIGCHLD: reap()
        case SIGUSR2: handle(.upgrade)
        case SIGHUP, SIGUSR1:
            if signal == SIGHUP { reportUser() }
            handle(.pass(signal))
            handleManager(.pass(signal))
        default:
            notifier.notify(.stopping)
            handle(.stop)
            handleManager(.stop)
        }
    }

    /// Looks the user of the next start up. The server cannot, because its sandbox hides the system's users.
    private func reportUser() {
        guard let user = try? LoadedSettings(arguments).settings.user else { return }
        do { _ = try Account(user) } catch { Log.error("the next start would fail: \(error)") }
    }

    private func handle(_ event: ServerLifecycle.Event) {
        for action in lifecycle.handle(event, now: Clock.monotonicMilliseconds()) { perform(action) }
    }

    private func handleManager(_ event: ManagerLifecycle.Event) {
        for action in managerLifecycle.handle(event, now: Clock.monotonicMilliseconds()) { perform(action) }
        guard case .ended(let end, let reason) = event, managerLifecycle.isRestarting else { return }
        let words = [end.map(text) ?? "could not be started", reason].compactMap(\.self)
        managerEnd = words.joined(separator: ": ")
        tellServers()
    }

    private func perform(_ action: ServerLifecycle.Action) {
        switch action {
        case .start(let number, let isUpgrade): start(number, isUpgrade: isUpgrade)
        case .send(let signal, let number):
            if let server = servers[number] { ChildProcess.send(signal, to: server.process) }
        case .keepSockets:
            setup = upgrade ?? setup
            upgrade = nil
            setup.sockets.setPermissions()
            handleManager(setup.wantsManager ? .restart : .dismiss)
        case .dropSockets: upgrade = nil
        case .closeSockets: setup.sockets.closeForClients()
        case .say(let note): say(note)
        case .exit(let status):
            // Removes the files of sockets.
            upgrade = nil
            setup.sockets.closeAll()
            exitStatus = exitStatus ?? status
            handleManager(.serversEnded)
        }
    }

    private func perform(_ action: ManagerLifecycle.Action) {
        switch action {
        case .start: startManager()
        case .send(let signal): ChildProcess.send(signal, to: managerProcess)
        case .say(let note): say(note)
        }
    }

    private func start(_ number: Int, isUpgrade: Bool) {
        do {
            if isUpgrade {
                Log.info("upgrading: starting \(program)")
                upgrade = try ParentProcess.setup(for: try LoadedSettings(arguments), after: setup)
            }
            let reports = try ChildReports()
            let inheritance = Inheritance(
                role: .server, parent: getpid(), reports: reports.childDescriptor,
                watchdogMilliseconds: notifier.watchdogMilliseconds, settings: (upgrade ?? setup).settings.number,
                groups: (upgrade ?? setup).sockets.groups(for: .server))
            let server = Server(try launch(inheritance), reports)
            reports.closeChildDescriptor()
            servers[number] = server
            watch(server, number)
            Memory.returnFreed()
            Memory.returnCode()
            // A restart may take as long as the supervisor allows between two signs of life.
            if number > 0, !isUpgrade, notifier.watchdogMilliseconds != nil { notifier.notify(.alive) }
        } catch {
            startProblem = "\(error)"
            handle(.ended(number, nil))
        }
    }

    private func startManager() {
        do {
            let reports = try ChildReports()
            managerProcess = try launch(
                Inheritance(
                    role: .manager, parent: getpid(), reports: reports.childDescriptor, settings: setup.settings.number,
                    groups: setup.sockets.groups(for: .manager)))
            reports.closeChildDescriptor()
            managerReports = reports
            managerEnd = ""
            tellServers()
        } catch {
            handleManager(.ended(nil, reason: "\(error)"))
        }
    }

    private func tellServers() { for server in servers.values { server.reports.tell(managerEnd) } }

    /// Why the manager that has ended did so, in its own words.
    private func managerReason() -> String? {
        var reason: String?
        while let report = managerReports?.next() {
            if case .state(.serving(let status)) = report { reason = status }
        }
        return reason
    }

    private func launch(_ inheritance: Inheritance) throws(Refusal) -> Int32 {
        let signals =
            switch inheritance.role {
            case .server: ServerSignal.all
            case .manager: ManagerProcess.signals
            }
        do throws(SystemError) {
            return try ChildProcess.start(
                program, CommandLine.arguments,
                descriptors: [inheritance.reports, inheritance.settings].compactMap(\.self)
                    + inheritance.groups.flatMap(\.numbers),
                variable: (Inheritance.variable, inheritance.text), blocked: signals)
        } catch {
            throw .failure("cannot start \(program): \(error.reason)")
        }
    }

    private func watch(_ server: Server, _ number: Int) {
        let isWatched = poller.add(server.reports.descriptor, .readable, token: UInt64(number))
        server.readsAgainAt = isWatched ? nil : Clock.monotonicMilliseconds() + 1_000
    }

    /// Reads what a server reports, up to its share of this second; the rest waits in its socket.
    private func readReports(of number: Int) {
        let now = Clock.monotonicMilliseconds()
        guard let server = servers[number], now >= server.readsAgainAt ?? now else { return }
        if server.readsAgainAt != nil { watch(server, number) }
        if now >= server.countsUntil { (server.messageCount, server.countsUntil) = (0, now + 1_000) }
        while let report = server.reports.next() {
            if case .state(let state) = report { pass(state, from: number) }
            server.messageCount += 1
            if server.messageCount < ParentProcess.messagesPerSecondMax { continue }
            if server.readsAgainAt == nil { poller.remove(server.reports.descriptor) }
            server.readsAgainAt = server.countsUntil
            return
        }
    }

    private func pass(_ state: SystemdNotifier.State, from number: Int) {
        if case .ready = state {
            handle(.ready(number))
            if setup.wantsManager { handleManager(.begin) }
            if !managerEnd.isEmpty { tellServers() }
        }
        // Whether everything stops is known here.
        if case .stopping = state { return }
        if lifecycle.isCurrent(number) { notifier.notify(state) }
    }

    private func reap() {
        while let (process, end) = ChildProcess.reap() {
            if process == managerProcess { handleManager(.ended(end, reason: managerReason())) }
            guard let number = servers.first(where: { $0.value.process == process })?.key else { continue }
            // It may have said that it was ready.
            readReports(of: number)
            handle(.ended(number, end))
            servers[number] = nil
        }
    }

    private func say(_ note: ServerLifecycle.Note) {
        func name(_ number: Int) -> String { servers[number].map { "process \($0.process)" } ?? "no process" }
        switch note {
        case .upgraded(let new, let old):
            let rest = old.map { "; \(name($0)) finishes its requests and exits" } ?? ""
            Log.info("upgraded: \(name(new)) serves\(rest)")
        case .notUpgraded(_, let end):
            let reason = end.map { "the new server \(text($0)) before it was ready" } ?? startProblem
            Log.error("not upgraded: \(reason); the running server continues to serve")
        case .upgradeOverdue(let number):
            let minutes = ServerLifecycle.upgradeMilliseconds / 60_000
            Log.error("the new server (\(name(number))) is not ready after \(minutes) minutes, so it is killed")
        case .upgradeUnderWay: Log.warning("an upgrade is under way; this SIGUSR2 has no effect")
        case .upgradeTooEarly:
            Log.warning("the server is not ready yet; this SIGUSR2 has no effect, send it again later")
        case .died(let number, let end, let milliseconds):
            let next = milliseconds.map { "; the next one starts in \($0 / 1_000) s" } ?? ""
            Log.error((end.map { "the server (\(name(number))) \(text($0))" } ?? startProblem) + next)
        case .diedDraining(let number, let end):
            let reason = end.map(text) ?? ""
            Log.warning("the former server (\(name(number))) \(reason) while it finished its requests")
        case .gaveUp:
            Log.error(
                "the server failed to start \(ServerLifecycle.failedStartsMax) times in a row, so this process exits")
        }
    }

    private func say(_ note: ManagerLifecycle.Note) {
        let name = "the manager (process \(managerProcess))"
        switch note {
        case .died(let end, let reason, let count, let milliseconds):
            let parts = [reason.map { "manager: \($0)" }, end.map { "\(name) \(text($0))" }].compactMap(\.self)
            let times = count > 1 ? ", \(count) times in a row" : ""
            let next = "the next one starts in \(milliseconds / 1_000) s"
            Log.error("\(parts.joined(separator: "; "))\(times); \(next)")
        case .killed:
            Log.warning("\(name) did not exit within \(ManagerLifecycle.endMilliseconds / 1_000) s and was killed")
        }
    }

    private func text(_ end: ChildProcess.End) -> String {
        switch end {
        case .status(let status): "exited with status \(status)"
        case .signal(let signal): "was ended by \(ChildProcess.name(ofSignal: signal))"
        }
    }
}
