// What follows from the settings for the parent: made at its start, and by each upgrade from the settings that are then on disk. It waits
// for file systems.

import Glibc
import Hosting
import Posix
import Settings

struct ParentSetup: Sendable {
    var sockets: ListeningSet
    /// Whether one is to work with this server, and whether it is a process of its own.
    let wantsManager: Bool
    let hasSeparateManager: Bool
    /// The text of `server.json`, which servers and managers get until an upgrade: a mistake in it must not keep the next one from
    /// starting when one has died.
    let settings: MemoryFile
    private let hasSettingsFile: Bool
    /// Not taken if the state directory could not be written at the start.
    let lock: LateLock

    init(_ loaded: LoadedSettings, after former: ParentSetup?) throws {
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
        let account = try loaded.settings.user.map(Account.init)
        // It would replace a manager that works. At a start, the server serves, and the manager says what its problem is.
        if former != nil { try ManagerInputs.check(loaded) }
        // The sockets for the manager and for the operator are usually there.
        SandboxPlaces(loaded).createState(for: account)
        // Before the sockets of the other server are replaced.
        lock = try former?.lock ?? StateLock.take(in: loaded.statePath, for: account)
        sockets = try (former?.sockets ?? ListeningSet()).adapted(
            to: loaded.settings, socketCount: loaded.settings.workers ?? processorCount(),
            link: loaded.settings.manager.isWanted ? loaded.linkPath : nil)
        (wantsManager, hasSeparateManager) = (loaded.settings.manager.isWanted, loaded.settings.manager.isSeparate)
        settings = try MemoryFile(loaded.text ?? [])
        hasSettingsFile = loaded.text != nil
    }

    /// Gives up the rights that the parent does not need.
    static func dropRights(_ settings: ServerSettings) throws {
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
}

/// Keeps other servers out of the state directory, which belongs to one. The parent takes the lock at its start; if the directory
/// cannot be written then, the server does before it writes.
enum StateLock {
    static func take(in state: String, for account: Account?) throws(Refusal) -> LateLock {
        let lock = LateLock(path(in: state))
        do throws(SystemError) {
            try Privileges.acting(as: account) { () throws(SystemError) in try lock.claim() }
        } catch {
            // Of other errors, the server says that it cannot write.
            guard error.number == EWOULDBLOCK else { return lock }
            throw .failure(
                "another server\(ListeningSet.inWords(holder(in: state))) works in \(state); stop it, or use another --state"
            )
        }
        return lock
    }

    static func path(in state: String) -> String { "\(state)/server.lock" }

    /// The process that works in a state directory, if it can be known.
    static func holder(in state: String) -> Int32? {
        FileLock.holder(path(in: state)).flatMap { StartCheck.isServer($0) ? $0 : nil }
    }
}
