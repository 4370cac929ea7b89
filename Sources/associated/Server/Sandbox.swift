// What the server's process gives up, in three steps, because each needs what the next one takes:
//
//   changeUser      becomes another user, when it was started as root: before anything is read, so that what this user may
//                   not do shows at the start and not at the first reload
//   restrictFiles   closes all files but those it serves, remembers and listens at (Landlock): before it reads what tenants
//                   wrote
//   restrictCalls   gives up the network, the last capabilities and all system calls but those of a running server (seccomp):
//                   when it listens, and before its threads are started, which inherit all of it
//
// A kernel that has not all of it is said so; the rest holds.

import Glibc
import Hosting
import Posix
import TLS

struct Sandbox {
    let settings: ServerSettings
    /// What belongs to the server and may lie anywhere.
    let places: SandboxPlaces
    /// What holds, and what does not, for the log.
    private(set) var holding: [String] = []
    private(set) var missing: [String] = []
    private var hasRestrictedFiles = false
    /// What the folders were when the rules were made, which hold for these alone. A rule keeps its folder's number in use.
    private var identities: [String: FileStatus.Identity] = [:]
    /// Without having been told to.
    private var staysRoot = false

    init(_ settings: ServerSettings, places: SandboxPlaces) {
        self.settings = settings
        self.places = places
    }

    private var mode: SandboxSettings.Mode { settings.sandbox.mode }

    /// Becomes the user that the settings name.
    mutating func changeUser() throws {
        let account: Account? = if let name = settings.user { try Account(name) } else { nil }
        if let account, !account.isRoot || !Privileges.isRoot {
            if Privileges.isRoot { giveStateFolder(to: account) }
            try Privileges.become(account, keeping: .bindLowPorts)
        } else {
            staysRoot = account == nil && Privileges.isRoot
            if mode != .off { try Privileges.drop(keeping: .bindLowPorts) }
        }
        try Privileges.forbidGaining()
    }

    /// A folder for the state that is not there yet is made for the user who will write to it; one that is there is left
    /// as it is.
    private func giveStateFolder(to account: Account) {
        if Directory.exists(places.state) { return }
        // Those above it are for everybody to go through.
        try? Directory.create(PathWay.parent(of: Directory.absolute(places.state)), permissions: 0o755)
        // Where it cannot be made, the server says later what it cannot write to.
        guard (try? Directory.create(places.state, permissions: 0o700)) != nil else { return }
        Directory.give(places.state, to: account)
    }

    /// Shuts all files away but those that the server needs.
    mutating func restrictFiles() throws {
        if mode == .off { return }
        // What is opened once and used for as long as the process lives.
        Library.start()
        ListeningSockets.prepare()
        try? Directory.create(places.state, permissions: 0o700)
        let version = Landlock.version
        if version == 0 {
            return try lack(
                "files are not shut away: this kernel has no Landlock, or it is turned off (lsm=landlock,…)")
        }
        for path in [places.config, places.pages, places.state] { identities[path] = Directory.identity(path) }
        try Landlock.confine(to: places.rules())
        hasRestrictedFiles = true
        holding.append("files by Landlock \(version)")
    }

    /// Gives up everything that only a start needs.
    mutating func restrictCalls() throws {
        // Without a sandbox, a process that stays root keeps all rights of root.
        if mode != .off || !Privileges.isRoot { try Privileges.drop() }
        if mode == .off { return }
        if hasRestrictedFiles {
            if try Landlock.closeOutward() {
                holding.append("network")
            } else {
                missing.append("this kernel's Landlock knows no network")
            }
        }
        guard SystemCallFilter.isSupported else {
            return try lack("system calls are not filtered: there is no filter for this kind of processor")
        }
        do throws(SystemError) {
            try SystemCallFilter.server.install()
            holding.append("system calls by seccomp")
        } catch {
            try lack("system calls are not filtered: this kernel refuses seccomp (\(error.reason))")
        }
    }

    private mutating func lack(_ text: String) throws {
        if mode == .required { throw Refusal.failure("\(text); --sandbox required asks for it") }
        missing.append(text)
    }

    /// One line for what holds, and one for each part that does not.
    func report() {
        if staysRoot {
            Log.warning(
                "running as root, and staying it: name another user with --user, who has to be able to read "
                    + "\(places.config) and to write to \(places.state); --user root says that it is meant")
        }
        if mode == .off {
            Log.info("sandbox: off, as asked")
            return
        }
        Log.info("sandbox: \((holding + ["no capabilities"]).joined(separator: ", "))")
        for text in missing { Log.warning("sandbox: \(text)") }
    }

    /// What to say when `config` or `public` cannot be read any more; nil while they can.
    func folderComplaint() -> String? {
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
            "\(refused) is another folder than at the start, and the sandbox keeps this process out of it: start the server "
            + "again, or name the folder above it under sandbox.read in server.json"
    }

    /// Why nothing can be written to the state directory, where the sandbox is the reason.
    func stateComplaint() -> String? {
        guard hasRestrictedFiles, isReplaced(places.state) else { return nil }
        return
            "\(places.state) is another folder than at the start (or gone), and the sandbox keeps this process out of it: "
            + "start the server again"
    }

    /// Whether another folder, or none, is where there was one for which there is a rule.
    private func isReplaced(_ path: String) -> Bool {
        do throws(FileError) {
            return try File.status(path).identity != identities[path]
        } catch {
            return error.isMissing
        }
    }
}
