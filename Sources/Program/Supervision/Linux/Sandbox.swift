// What the process gives up, in three steps, because each needs what the next one takes:
//
//   changeUser      switches to another user, if it was started as root: before it reads anything, so that missing
//                   permissions are found at the start and not at the first reload
//   restrictFiles   blocks the network and all files except those the server needs (Landlock): before it reads what tenants
//                   wrote. Its listening sockets are open already.
//   restrictCalls   blocks all system calls that a running server does not need (seccomp): before its threads start, which
//                   inherit all of it
//
// What a kernel does not support is logged, and the rest applies. The manager goes through the same steps with other places, ports
// and calls (`ManagerSandbox`).

import Posix
import Settings
import TLS

public struct Sandbox: Sendable {
    private let given: LoadedSettings
    private var settings: ServerSettings { given.settings }
    /// The folders and files that the process needs.
    public let places: SandboxPlaces
    private let role: Inheritance.Role
    /// Of the services that a manager connects to.
    private let ports: [UInt16]
    /// What is restricted, and what could not be, for the log.
    private(set) var active: [String] = []
    public private(set) var missing: [String] = []
    private var hasRestrictedFiles = false
    /// The folders for which there are rules. A rule keeps the inode of its folder in use.
    private var identities: [String: FileStatus.Identity] = [:]
    /// Whether the process stays root although --user was not given.
    private var staysRoot = false

    /// That of a server, which connects to nothing.
    public init(_ given: LoadedSettings, places: SandboxPlaces) {
        self.init(given, places: places, .server, ports: [])
    }

    /// That of a manager, which connects to some TCP ports.
    public init(_ given: LoadedSettings, places: SandboxPlaces, connecting ports: [UInt16]) {
        self.init(given, places: places, .manager, ports: ports)
    }

    private init(_ given: LoadedSettings, places: SandboxPlaces, _ role: Inheritance.Role, ports: [UInt16]) {
        self.given = given
        self.places = places
        self.role = role
        self.ports = ports
    }

    private var mode: SandboxSettings.Mode { settings.sandbox.mode }

    /// Switches to the user in the settings.
    public mutating func changeUser() throws {
        let account: Account? = if let name = settings.user { try Account(name) } else { nil }
        if let account, !account.isRoot || !Privileges.isRoot {
            places.createState(for: account)
            try Privileges.switchUser(to: account)
        } else {
            staysRoot = account == nil && Privileges.isRoot
            // Without a sandbox, a process that stays root keeps its capabilities.
            if mode != .off || !Privileges.isRoot { try Privileges.dropCapabilities() }
        }
        try Privileges.setNoNewPrivileges()
    }

    /// Blocks all files except those that the server needs.
    public mutating func restrictFiles() throws {
        if mode == .off { return }
        // These open files once and use them as long as the process lives.
        Library.loadConfiguration()
        places.createState(for: nil)
        let version = Landlock.version
        if version == 0 {
            return try noteMissing(
                "file access is not restricted: this kernel has no Landlock, or it is turned off (lsm=landlock,…)")
        }
        for path in [places.config, places.pages, places.state] { identities[path] = Directory.identity(path) }
        try Landlock.restrictFiles(to: places.rules())
        hasRestrictedFiles = true
        active.append("files by Landlock \(version)")
        try restrictNetwork()
    }

    private mutating func restrictNetwork() throws {
        let reason = "this kernel's Landlock cannot restrict the network"
        switch role {
        case .server:
            if try Landlock.restrictNetwork() { return active.append("network") }
            // The system call filter refuses the same.
            missing.append(reason)
        case .manager:
            if try Landlock.restrictNetwork(connecting: ports) {
                return active.append("TCP to ports \(ports.map(String.init).joined(separator: ", "))")
            }
            try noteMissing("outgoing connections are not restricted: \(reason)")
        }
    }

    /// Gives up everything that only a start needs.
    public mutating func restrictCalls() throws {
        if mode == .off { return }
        guard SystemCallFilter.isSupported else {
            return try noteMissing("system calls are not filtered: there is no filter for this processor architecture")
        }
        let filter: SystemCallFilter =
            switch role {
            case .server: .server
            case .manager: .manager
            }
        do throws(SystemError) {
            try filter.install()
            active.append("system calls by seccomp")
        } catch {
            try noteMissing("system calls are not filtered: this kernel refuses seccomp (\(error.reason))")
        }
    }

    private mutating func noteMissing(_ text: String) throws {
        if mode == .required { throw Refusal.failure("\(text); --sandbox required needs it") }
        missing.append(text)
    }

    /// Logs one line for everything that is restricted, and one for each part that is not.
    public func report() {
        let prefix = role == .manager ? "manager: " : ""
        if staysRoot {
            // No part of the sandbox restricts which Unix-domain sockets it connects to.
            let reach =
                role == .manager
                ? ", so an attacker who takes over this process can use root's sockets, such as /run/docker.sock" : ""
            Log.warning(
                "\(prefix)running as root\(reach); set `user` in server.json or pass --user NAME (who must be able to read "
                    + "\(places.config) and write to \(places.state)), or --user root to silence this warning")
        }
        if mode == .off {
            Log.info("\(prefix)sandbox: off")
            return
        }
        Log.info("\(prefix)sandbox: \((active + ["no capabilities"]).joined(separator: ", "))")
        for text in missing { Log.warning("\(prefix)sandbox: \(text)") }
    }

    /// The log line when `config` or `public` can no longer be read; nil while they can.
    public func folderComplaint() -> String? {
        guard hasRestrictedFiles else { return nil }
        let refused = [places.config, places.pages].first { path in
            do throws(SystemError) { _ = try Directory.entries(path) } catch { return error.cause == .permission }
            return false
        }
        guard let refused else { return nil }
        guard isReplaced(refused) else {
            return "cannot read \(refused): permission denied; let the server's user read it"
        }
        return
            "\(refused) was replaced by another folder, which the sandbox blocks; restart the server, or add the folder above "
            + "it to sandbox.read in server.json"
    }

    /// Why the state directory cannot be written, if the sandbox is the reason, and what to do.
    public func stateComplaint() -> String? {
        let state = places.state
        guard hasRestrictedFiles, isReplaced(state) else { return nil }
        return identities[state] == nil
            ? "\(state) did not exist at the start, and user \(Privileges.user) could not create it: make it, let that user write "
                + "there, and restart the server"
            : "\(state) was replaced or removed, and the sandbox blocks any other folder; restart the server"
    }

    /// Whether the folder of a rule was replaced or removed.
    private func isReplaced(_ path: String) -> Bool {
        do throws(FileError) {
            return try File.status(path).identity != identities[path]
        } catch {
            return error.isMissing
        }
    }
}
