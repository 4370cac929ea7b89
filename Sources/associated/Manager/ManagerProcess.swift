// The process of a manager: everything that makes outgoing connections. `associated serve` starts it beside the server, and
// `associated manage` runs it alone. It enters its sandbox, then does what is due until a signal ends it.

import Glibc
import Hosting
import Posix

enum ManagerProcess {
    /// Of the process, as `ps -e` shows it.
    static let name = "manager"

    /// All that a manager takes. SIGUSR1 and SIGUSR2 are for others, and ignored.
    static let signals = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2]

    /// - Parameter inheritance: nil when it was not started by a parent.
    static func run(_ loaded: LoadedSettings, _ inheritance: Inheritance?) -> ExitStatus {
        do {
            // Secrets will be in memory, and a core dump would copy them to disk.
            try ProcessMemory.forbidDumps()
            Thread.nameCurrent(name)
            // Before any thread starts, so that all of them leave signals to this one.
            let signals = try Signals(ManagerProcess.signals)
            // The log goes to the terminal of the parent, which may stop other process groups that write (`stty tostop`).
            signal(SIGTTOU, SIG_IGN)
            var manager = try start(loaded, inheritance)
            Log.info("manager: ready")
            run(&manager, until: signals)
            Log.info("manager: stopping")
            return .success
        } catch {
            return .failure(saying: "manager: \(error)")
        }
    }

    /// Everything up to the first look at what is due.
    private static func start(_ loaded: LoadedSettings, _ inheritance: Inheritance?) throws -> RunningManager {
        // Otherwise the server reports them.
        if inheritance == nil { for finding in loaded.findings { Log.finding(finding) } }
        if let objection = StartProblems(loaded).inSettings { throw Refusal.failure("not started: \(objection)") }
        let admin = try adminSocket(loaded, inheritance)
        var sandbox = Sandbox(loaded.settings, places: ManagerSandbox.places(loaded), role: .manager)
        try sandbox.changeUser()
        // The change of user has undone both.
        try ProcessMemory.forbidDumps()
        try inheritance?.endWithParent()
        try sandbox.restrictFiles()
        // Before system calls are restricted, because loading a library maps its code.
        let manager = try RunningManager(loaded, admin: admin)
        try sandbox.restrictCalls()
        sandbox.report(warnsOfRoot: inheritance == nil)
        return manager
    }

    /// The socket of the parent, or one of its own.
    private static func adminSocket(_ loaded: LoadedSettings, _ inheritance: Inheritance?) throws -> ListeningSocket? {
        if let inheritance {
            guard let group = inheritance.groups.first else { return nil }
            return try ListeningSocket(inheriting: group.numbers[0], named: group.purpose.rawValue)
        }
        // The socket is usually there.
        SandboxPlaces(loaded).createState(for: try loaded.settings.user.map(Account.init))
        var settings = loaded.settings
        settings.http = []
        settings.https = []
        settings.admin = nil
        let sockets = try ListeningSet().adapted(to: settings, socketCount: 1)
        return sockets.entries.first { $0.purpose == .managerAdmin }?.sockets[0]
    }

    private static func run(_ manager: inout RunningManager, until signals: borrowing Signals) {
        while true {
            let milliseconds = manager.tick()
            guard let signal = signals.next(timeoutMilliseconds: milliseconds) else { continue }
            switch signal {
            case SIGTERM, SIGINT: return manager.stop()
            case SIGHUP: manager.reload()
            default: continue
            }
        }
    }
}

/// A manager that has started.
struct RunningManager {
    private var given: LoadedSettings
    /// Where it answers operators.
    private let admin: ListeningSocket?

    /// The longest time without a look at what is due.
    private static let pauseMilliseconds: Int32 = 60_000

    /// Opens libraries and the store; called in the sandbox, but before system calls are restricted.
    init(_ given: LoadedSettings, admin: ListeningSocket?) throws {
        (self.given, self.admin) = (given, admin)
    }

    /// Does what is due, and returns how long nothing else will be.
    mutating func tick() -> Int32 { RunningManager.pauseMilliseconds }

    /// SIGHUP: reads the settings that may change without a restart.
    mutating func reload() {}

    /// Leaves nothing half done that another manager could not take up.
    mutating func stop() {}
}
