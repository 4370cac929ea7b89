// The process of a manager: everything that makes outgoing connections. `associated serve` starts it next to the server, and
// `associated manage` runs it alone. It enters its sandbox, then does what is due until a signal ends it.

import Administration
import Glibc
import Posix
import Settings
import Store
public import Supervision

public enum ManagerProcess {
    /// - Parameter inheritance: nil when it was not started by a parent.
    public static func run(_ loaded: LoadedSettings, _ inheritance: Inheritance?) -> ExitStatus {
        do {
            // Secrets will be in memory, and a core dump would copy them to disk.
            try ProcessMemory.forbidDumps()
            Thread.nameCurrent(Inheritance.Role.manager.processName)
            NameLookup.sendSingleQueries()
            // Before any thread starts, so that all of them leave signals to this one.
            let signals = try Signals(Inheritance.Role.manager.signals)
            // The log goes to the terminal of the parent, which may stop other process groups that write (`stty tostop`).
            signal(SIGTTOU, SIG_IGN)
            let manager = try start(loaded, inheritance)
            Log.info("manager: ready")
            let reason = run(manager, until: signals)
            if reason == nil { Log.info("manager: stopping") }
            let isWhole = stop(manager, signals)
            let status = reason.map { end($0, inheritance) } ?? .success
            // Threads that still work must not meet a process that takes its libraries down. What they do may end at any moment.
            if !isWhole {
                Log.end()
                _exit(status.rawValue)
            }
            return status
        } catch {
            return end("\(error)", inheritance)
        }
    }

    /// A parent logs the reason, because it knows which ones it has logged already.
    private static func end(_ reason: String, _ inheritance: Inheritance?) -> ExitStatus {
        guard let number = inheritance?.reports else { return .failure(saying: "manager: \(reason)") }
        SystemdNotifier(takingOwnershipOf: number, watchdogMilliseconds: nil).notify(.serving(status: reason))
        return .failure
    }

    /// Everything up to the first look at what is due.
    private static func start(_ loaded: LoadedSettings, _ inheritance: Inheritance?) throws -> RunningManager {
        // Otherwise the server reports them.
        if inheritance == nil { for finding in loaded.findings { Log.finding(finding) } }
        if let objection = StartProblems(loaded).inSettings { throw Refusal.failure("not started: \(objection)") }
        // With something to do, it does that, and reports the rest as its problem.
        if let objection = loaded.settings.manager.objection, !loaded.settings.manager.isUsable {
            throw ManagerInputs.refusal(objection)
        }
        var inputs = try ManagerInputs(loaded)
        for problem in inputs.readSecrets() { Log.error("manager: \(problem)") }
        let admin = try adminSocket(loaded, inheritance)
        let api = try apiSocket(loaded)
        var sandbox = Sandbox(
            loaded, places: ManagerSandbox.places(loaded), connecting: ManagerSandbox.ports(loaded.settings))
        try sandbox.changeUser()
        // The change of user has undone both.
        try ProcessMemory.forbidDumps()
        try inheritance?.endWithParent()
        try sandbox.restrictFiles()
        // Before system calls are restricted, because loading a library maps its code.
        let manager = try RunningManager(inputs)
        try sandbox.restrictCalls()
        try Log.writeAside()
        try manager.begin(admin: admin, api: api)
        sandbox.report()
        return manager
    }

    /// A development server has its console on another port if the usual one is taken, such as by another one.
    private static func apiSocket(_ loaded: LoadedSettings) throws -> ListeningSocket? {
        do { return try ListeningSet.openForManager(.api, loaded.settings) } catch {
            guard loaded.isDevelopment, let address = loaded.settings.manager.api, !address.isUnix else { throw error }
            var settings = loaded.settings
            settings.manager.api = SocketAddress(ip: address.host, port: 0)
            return try ListeningSet.openForManager(.api, settings)
        }
    }

    /// A socket of its own, or that of a parent of an earlier version.
    private static func adminSocket(_ loaded: LoadedSettings, _ inheritance: Inheritance?) throws -> ListeningSocket? {
        if let group = inheritance?.groups.first {
            return try ListeningSocket(inheriting: group.numbers[0], named: group.purpose.rawValue)
        }
        // The socket is usually there.
        if inheritance == nil {
            SandboxPlaces(loaded).createState(for: try loaded.settings.user.map(Account.init))
        }
        return try ListeningSet.openForManager(.managerAdmin, loaded.settings)
    }

    /// Works until a signal ends it.
    /// - Returns: why it cannot continue; nil if it was told to end.
    private static func run(_ manager: RunningManager, until signals: borrowing Signals) -> String? {
        while true {
            manager.tick()
            if let reason = manager.control.failure { return reason }
            let signal = signals.next(timeoutMilliseconds: RunningManager.tickMilliseconds)
            if endingSignals.contains(signal) { return nil }
        }
    }

    private static let endingSignals: [Int32?] = [SIGTERM, SIGINT]
    /// An authority may take half a minute to answer, which is longer than a supervisor may wait.
    private static let stopMilliseconds: Int64 = 3_000
    private static let signalMilliseconds: Int32 = 50

    /// Lets the threads finish their present step. A second signal exits at once.
    /// - Returns: false if they have not done so in time.
    private static func stop(_ manager: RunningManager, _ signals: borrowing Signals) -> Bool {
        manager.control.stop()
        let threads = manager.threads
        guard let waiting = try? Background() else { return false }
        waiting.start { for thread in threads { thread.join() } }
        let end = Clock.monotonicMilliseconds() + stopMilliseconds
        while !waiting.wait(milliseconds: signalMilliseconds) {
            if endingSignals.contains(signals.next(timeoutMilliseconds: 0)) { _exit(ExitStatus.failure.rawValue) }
            if Clock.monotonicMilliseconds() >= end { return false }
        }
        manager.close()
        return true
    }
}
