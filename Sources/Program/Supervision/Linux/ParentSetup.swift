// What follows from the settings for the parent: made at its start, and by each upgrade from the settings that are then on disk. It waits
// for file systems.

import Libc
public import Posix
import Settings

public struct ParentSetup: Sendable {
    public var sockets: ListeningSet
    /// Whether one is to work with this server, and whether it is a process of its own.
    let wantsManager: Bool
    let hasSeparateManager: Bool
    /// The text of `server.json`, which servers and managers get until an upgrade: a mistake in it must not keep the next one from
    /// starting when one has died.
    let settings: MemoryFile
    public let hasSettingsFile: Bool
    /// Not taken if the state directory could not be written at the start.
    public let lock: LateLock

    public init(
        sockets: ListeningSet, wantsManager: Bool, hasSeparateManager: Bool, text: [UInt8]?, lock: LateLock
    ) throws(SystemError) {
        (self.sockets, self.lock) = (sockets, lock)
        (self.wantsManager, self.hasSeparateManager) = (wantsManager, hasSeparateManager)
        settings = try MemoryFile(text ?? [])
        hasSettingsFile = text != nil
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
public enum StateLock {
    public static func take(in state: String, for account: Account?) throws(Refusal) -> LateLock {
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

    public static func path(in state: String) -> String { "\(state)/server.lock" }

    /// The process that works in a state directory, if it can be known.
    public static func holder(in state: String) -> Int32? {
        FileLock.holder(path(in: state)).flatMap { Inheritance.Role.has($0) ? $0 : nil }
    }
}
