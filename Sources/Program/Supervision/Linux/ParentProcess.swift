// The parent of the server and of the manager, which is what `associated serve` starts first: it opens the listening sockets and
// keeps them open while servers come and go. It reads the settings, no other file, and nothing that a client sends. When to start
// and stop the others is decided by `ServerLifecycle` and `ManagerLifecycle`. Nothing here waits for a file system or for the reader of
// the log, except before the first server is started: what may wait is `SlowWork`, and `Log` has a thread of its own.

import Libc
import Posix
public import Settings

public final class ParentProcess {
    public typealias Preparation = @Sendable (ParentSetup?) throws -> ParentSetup

    /// Reads the settings and opens their sockets: at the start, and for an upgrade of this setup.
    private let prepare: Preparation
    private let program: String
    private let signals: Signals
    private let poller: Poller
    private let notifier = SystemdNotifier()
    private let slowWork: SlowWork<Prepared>
    private var watchdog: Watchdog
    private var setup: ParentSetup
    /// That of an upgrade under way.
    private var upgrade: ParentSetup?
    /// The server whose setup is being made.
    private var preparing: Int?
    private var lifecycle = ServerLifecycle()
    /// By their numbers.
    private var servers: [Int: Server] = [:]
    /// Why the last server that was to be started was not.
    private var startProblem = ""
    private var managerLifecycle = ManagerLifecycle()
    /// The last manager that was started; 0 while the socket is opened where it is to ask.
    private var managerProcess: Int32 = 0
    /// How many times one was to be started, or no longer.
    private var managerStarts = 0
    /// Where that one says why it ends.
    private var managerReports: ChildReports?
    /// How the last manager ended, for the servers, which report it; empty while there is one.
    private var managerEnd = ""
    /// Why the last upgrade was refused; nil after one that was not.
    private var refusal: ParentNews?
    private var hasSaidUnheard = false
    /// The status to exit with as soon as the manager has ended too; nil while there are servers, or will be.
    /// With the time until which processes that end are waited for: the kernel may take half a minute, for inotify on a busy machine.
    private var exit: (status: Int32, latest: Int64)?
    private var upgradeCount = 0
    /// How many processes of the control group the kernel had ended because memory ran out when the last child ended.
    private var outOfMemoryKills = ControlGroups().outOfMemoryKills ?? 0

    /// What `slowWork` has done.
    private enum Prepared: Sendable {
        case setup(Int, Result<ParentSetup, any Error>)
        case link(Int, Result<Void, Refusal>)
    }

    private final class Server {
        let process: Int32
        let reports: ChildReports
        /// How many messages have come in this second, and when the next second begins.
        var messageCount = 0
        var countsUntil: Int64 = 0
        /// When to read on after too many; nil while the poller watches the socket.
        var readsAgainAt: Int64?
        /// Why its program could not be started.
        var startProblem: String?
        var isOutOfMemory = false

        init(_ process: Int32, _ reports: ChildReports) { (self.process, self.reports) = (process, reports) }
    }

    private static let handledSignals = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD]
    private static let signalToken: UInt64 = .max
    private static let preparedToken: UInt64 = .max - 1
    /// For files of sockets that are to be removed, and for processes that end.
    private static let endMilliseconds: Int32 = 500
    /// How often a server gives a sign of life.
    private static let aliveMilliseconds = ServerLifecycle.lookMilliseconds / 2
    /// A server has something to say about once a second. One that says more is read no faster.
    private static let messagesPerSecondMax = 20

    /// Opens the sockets and gives up the rights that are not needed.
    private init(_ settings: ServerSettings, _ prepare: @escaping Preparation) throws {
        self.prepare = prepare
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
        watchdog = Watchdog(milliseconds: notifier.watchdogMilliseconds)
        setup = try prepare(nil)
        try ParentSetup.dropRights(settings)
        // The threads get the rights that are left.
        try Log.writeAside()
        slowWork = try SlowWork(name: "slow work")
        guard poller.add(slowWork.descriptor, .readable, token: ParentProcess.preparedToken) else {
            throw SystemError.exhausted("epoll_ctl")
        }
    }

    /// Throws if nothing was started.
    public static func run(_ settings: ServerSettings, _ prepare: @escaping Preparation) throws -> Never {
        try ParentProcess(settings, prepare).run()
    }

    private func run() -> Never {
        handle(.begin)
        while true {
            if let exit, !managerLifecycle.isAlive, servers.isEmpty || Clock.monotonicMilliseconds() >= exit.latest {
                slowWork.finish(milliseconds: ParentProcess.endMilliseconds)
                Libc.exit(exit.status)
            }
            _ = poller.wait(milliseconds: waitMilliseconds)
            // A server that says that it is ready is so before it is told to do anything. So reports are read after the signals were
            // taken, and before these are obeyed: what an operator sends upon the word `ready` finds a server that is.
            var taken: [Int32] = []
            while let signal = signals.next(timeoutMilliseconds: 0) { taken.append(signal) }
            for number in servers.keys.sorted() { readReports(of: number) }
            for signal in taken { handle(signal) }
            takePrepared()
            if let due = lifecycle.dueMilliseconds, Clock.monotonicMilliseconds() >= due { handle(.due) }
            if let due = managerLifecycle.dueMilliseconds, Clock.monotonicMilliseconds() >= due { handleManager(.due) }
            // Servers are looked after here, so the supervisor need only know that this thread does.
            if watchdog.isDue(now: Clock.monotonicMilliseconds(), isAlive: lifecycle.isInControl) {
                notify(.alive)
            }
        }
    }

    /// Tells the supervisor.
    private func notify(_ state: SystemdNotifier.State) {
        if notifier.notify(state) || hasSaidUnheard { return }
        hasSaidUnheard = true
        Log.warning(
            "nobody reads \(notifier.place ?? "NOTIFY_SOCKET"), which NOTIFY_SOCKET names, so no supervisor knows that the server is "
                + "ready; unset the variable if there is none")
    }

    private var waitMilliseconds: Int32 {
        let watchdogDue = lifecycle.isInControl ? watchdog.dueMilliseconds : nil
        let exitDue = managerLifecycle.isAlive ? nil : exit?.latest
        let due = [lifecycle.dueMilliseconds, managerLifecycle.dueMilliseconds, watchdogDue, exitDue].compactMap(\.self)
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
            handle(.pass(signal))
            handleManager(.pass(signal))
        default:
            // Once: repeated signals must not wait for a supervisor that does not read.
            if !lifecycle.isStopping { notify(.stopping) }
            handle(.stop)
            handleManager(.stop)
        }
    }

    private func handle(_ event: ServerLifecycle.Event) {
        for action in lifecycle.handle(event, now: Clock.monotonicMilliseconds()) { perform(action) }
    }

    private func handleManager(_ event: ManagerLifecycle.Event) {
        for action in managerLifecycle.handle(event, now: Clock.monotonicMilliseconds()) { perform(action) }
        guard case .ended(let end, let reason) = event, managerLifecycle.isRestarting else { return }
        let words = [end?.text ?? "could not be started", reason].compactMap(\.self)
        managerEnd = words.joined(separator: ": ")
        tellServers(newsOfManager)
    }

    private func perform(_ action: ServerLifecycle.Action) {
        switch action {
        case .start(let number, let isUpgrade): start(number, isUpgrade: isUpgrade)
        case .send(let signal, let number):
            if let server = servers[number] {
                ChildProcess.send(signal, to: server.process)
            } else if preparing == number, signal == SIGKILL {
                preparing = nil
                startProblem = "reading server.json, or opening the sockets, takes too long"
                handle(.ended(number, nil))
            }
        case .keepSockets:
            let old = setup.sockets
            setup = upgrade ?? setup
            upgrade = nil
            upgradeCount += 1
            slowWork.add { [sockets = setup.sockets] in
                sockets.setPermissions()
                return nil
            }
            slowWork.drop(consume old)
            refusal = nil
            handleManager(setup.wantsManager ? .restart : .dismiss)
        case .dropSockets:
            if let failed = upgrade.take() { slowWork.drop(consume failed) }
        case .closeSockets:
            let old = setup.sockets
            setup.sockets.closeForClients()
            slowWork.drop(consume old)
        case .say(let note): say(note)
        case .exit(let status):
            // Removes the files of sockets.
            let old = [setup.sockets, upgrade?.sockets]
            upgrade = nil
            setup.sockets.closeAll()
            slowWork.drop(consume old)
            exit = exit ?? (status, Clock.monotonicMilliseconds() + Int64(ParentProcess.endMilliseconds))
            handleManager(.serversEnded)
        }
    }

    private func perform(_ action: ManagerLifecycle.Action) {
        switch action {
        case .start: startManager()
        case .send(let signal) where managerProcess > 0: ChildProcess.send(signal, to: managerProcess)
        case .send(let signal) where [SIGTERM, SIGKILL].contains(signal):
            managerStarts += 1
            handleManager(.ended(nil))
        case .send: break
        case .say(let note): say(note)
        }
    }

    private func start(_ number: Int, isUpgrade: Bool) {
        if !isUpgrade { return start(number, setup) }
        Log.info("upgrading: starting \(program)")
        preparing = number
        slowWork.add { [prepare, setup] in
            .setup(number, Result { try prepare(setup) })
        }
    }

    /// Starts the server of an upgrade whose settings are read and whose sockets are open, or the manager, whose link is open.
    private func takePrepared() {
        for prepared in slowWork.takeOutcomes() {
            switch prepared {
            case .setup(let number, .success(let new)) where preparing == number:
                (preparing, upgrade) = (nil, new)
                start(number, new)
            case .setup(let number, .failure(let error)) where preparing == number:
                (preparing, startProblem) = (nil, "\(error)")
                handle(.ended(number, nil))
            case .link(managerStarts, .success): launchManager()
            case .link(managerStarts, .failure(let error)): handleManager(.ended(nil, reason: "\(error)"))
            // It has come too late.
            case .setup(_, let result): slowWork.drop(result)
            case .link: break
            }
        }
    }

    private func start(_ number: Int, _ setup: ParentSetup) {
        do {
            let reports = try ChildReports()
            let inheritance = Inheritance(
                role: .server, parent: getpid(), reports: reports.childDescriptor,
                watchdogMilliseconds: ParentProcess.aliveMilliseconds,
                upgradeCount: upgradeCount + (upgrade == nil ? 0 : 1),
                needsLock: !setup.lock.isTaken, settings: setup.settings.number,
                groups: setup.sockets.groups)
            let server = Server(try launch(inheritance, reports), reports)
            servers[number] = server
            watch(server, number)
            Memory.returnFreed()
            Memory.returnCode()
        } catch {
            startProblem = "\(error)"
            handle(.ended(number, nil))
        }
    }

    /// A manager that cannot ask the server can do nothing, so what prevents that is a problem of its start.
    private func startManager() {
        managerStarts += 1
        managerProcess = 0
        if setup.sockets.isLinkOpen { return launchManager() }
        slowWork.add { [number = managerStarts, sockets = setup.sockets] in
            .link(number, Result { () throws(Refusal) in try sockets.openLink() })
        }
    }

    private func launchManager() {
        if setup.hasSeparateManager {
            if !managerEnd.isEmpty { tellServers(.managerEnded("", restartMilliseconds: nil)) }
            managerEnd = ""
            return handleManager(.settled)
        }
        do {
            let reports = try ChildReports()
            managerProcess = try launch(
                Inheritance(
                    role: .manager, parent: getpid(), reports: reports.childDescriptor, settings: setup.settings.number),
                reports)
            managerReports = reports
            managerEnd = ""
        } catch {
            handleManager(.ended(nil, reason: "\(error)"))
        }
    }

    private func tellServers(_ news: ParentNews?) {
        if let news { for server in servers.values { server.reports.tell(news.text) } }
    }

    private var newsOfManager: ParentNews? {
        let milliseconds = managerLifecycle.restartAt.map { max(0, $0 - Clock.monotonicMilliseconds()) }
        return managerEnd.isEmpty ? nil : .managerEnded(managerEnd, restartMilliseconds: milliseconds)
    }

    /// Why the manager that has ended did so, in its own words.
    private func managerReason() -> String? {
        var reason: String?
        while let report = managerReports?.next() {
            switch report {
            case .state(.serving(let status)): reason = status
            case .notStarted(let error): reason = cannotStart(error)
            case .state, .invalid: break
            }
        }
        return reason
    }

    private func cannotStart(_ error: SystemError) -> String { "cannot start \(program): \(error.reason)" }

    private func launch(_ inheritance: Inheritance, _ reports: ChildReports) throws(Refusal) -> Int32 {
        do throws(SystemError) {
            return try ChildProcess.start(
                program, CommandLine.arguments,
                descriptors: [inheritance.reports, inheritance.settings].compactMap(\.self)
                    + inheritance.groups.flatMap(\.numbers),
                variable: (Inheritance.variable, inheritance.text), blocked: inheritance.role.signals, reports: reports)
        } catch {
            throw .failure(cannotStart(error))
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
            switch report {
            case .state(let state): pass(state, from: number)
            case .notStarted(let error): server.startProblem = cannotStart(error)
            case .invalid: break
            }
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
            let death = lifecycle.newsOfDeath(now: Clock.monotonicMilliseconds(), wallSeconds: Clock.wallSeconds())
            for news in [newsOfManager, refusal, death] { tellServers(news) }
        }
        if case .alive = state { return handle(.alive(number)) }
        // It has ended, and only its process has not.
        if case .stopping = state { return handle(.ended(number, .status(0))) }
        if lifecycle.isCurrent(number) { notify(state) }
    }

    private func reap() {
        while let (process, end) = ChildProcess.reap() {
            let isOutOfMemory = end == .signal(SIGKILL) && isOutOfMemory()
            if process == managerProcess {
                let reason = managerReason() ?? (isOutOfMemory ? ParentProcess.outOfMemory : nil)
                handleManager(.ended(end, reason: reason))
            }
            guard let (number, server) = servers.first(where: { $0.value.process == process }) else { continue }
            // It may have said that it was ready, or why it was not started.
            server.countsUntil = 0
            readReports(of: number)
            server.isOutOfMemory = isOutOfMemory
            startProblem = server.startProblem ?? startProblem
            handle(.ended(number, server.startProblem == nil ? end : nil))
            servers[number] = nil
        }
    }

    private static let outOfMemory =
        "its control group is out of memory; raise MemoryMax= or the container's memory limit, or lower limits.heldBytesMax"

    /// Whether the kernel has ended another process of the control group since the last call.
    private func isOutOfMemory() -> Bool {
        let before = outOfMemoryKills
        outOfMemoryKills = ControlGroups().outOfMemoryKills ?? 0
        return outOfMemoryKills > before
    }

    private func say(_ note: ServerLifecycle.Note) {
        func name(_ number: Int) -> String { servers[number].map { "process \($0.process)" } ?? "no process" }
        switch note {
        case .upgraded(let new, let old):
            let rest = old.map { "; \(name($0)) finishes its requests and exits" } ?? ""
            Log.info("upgraded: \(name(new)) serves\(rest)")
        case .notUpgraded(_, let end):
            let reason = end.map { "the new server \($0.text) before it was ready" } ?? startProblem
            Log.error("not upgraded: \(reason); the running server continues to serve")
            refusal = .notUpgraded(reason, atSeconds: Clock.wallSeconds())
            tellServers(refusal)
        case .slow(let number, let isUpgrade):
            let what = preparing == number ? "reading server.json and opening its sockets" : "the start of \(program)"
            let rest = isUpgrade ? "; the running server continues to serve" : ""
            Log.warning(
                "\(isUpgrade ? "the new" : "the") server (\(name(number))) is not ready after "
                    + "\(ServerLifecycle.slowMilliseconds / 1_000) seconds: \(what) takes long; does a file system hang?\(rest)"
            )
        case .overdue(let number):
            let minutes = ServerLifecycle.startMilliseconds / 60_000
            Log.error("the server (\(name(number))) is not ready after \(minutes) minutes, so it is killed")
        case .silent(let number):
            // The last sign may have come just before the first look.
            let seconds = (ServerLifecycle.missedLooksMax - 1) * Int(ServerLifecycle.lookMilliseconds / 1_000)
            Log.error(
                "the server (\(name(number))) has given no sign of life for over \(seconds) seconds, because it is stopped or a worker "
                    + "hangs; it is killed\(lifecycle.replaces(number) ? ", and replaced" : "")")
        case .stoppedEarly: Log.error("stopped before the server was ready")
        case .upgradeUnderWay: Log.warning("an upgrade is under way; this SIGUSR2 has no effect")
        case .upgradeTooEarly:
            Log.warning("the server is not ready yet; this SIGUSR2 has no effect, send it again later")
        case .died(let number, let end, let milliseconds):
            let next = milliseconds.map { "; the next one starts in \($0 / 1_000) s" } ?? ""
            let cause = servers[number]?.isOutOfMemory == true ? ": \(ParentProcess.outOfMemory)" : ""
            Log.error((end.map { "the server (\(name(number))) \($0.text)\(cause)" } ?? startProblem) + next)
        case .diedDraining(let number, let end):
            let reason = end?.text ?? ""
            Log.warning("the former server (\(name(number))) \(reason) while it finished its requests")
        case .gaveUp:
            Log.error(
                "\(ServerLifecycle.failedStartsMax) servers in a row ended before they were ready, so this process exits"
            )
        }
    }

    private func say(_ note: ManagerLifecycle.Note) {
        let name = "the manager (process \(managerProcess))"
        switch note {
        case .died(let end, let reason, let count, let milliseconds):
            let parts = [reason.map { "manager: \($0)" }, end.map { "\(name) \($0.text)" }].compactMap(\.self)
            let times = count > 1 ? ", \(count) times in a row" : ""
            let next = "the next one starts in \(milliseconds / 1_000) s"
            Log.error("\(parts.joined(separator: "; "))\(times); \(next)")
        case .killed:
            Log.warning("\(name) did not exit within \(ManagerLifecycle.endMilliseconds / 1_000) s and was killed")
        }
    }
}
