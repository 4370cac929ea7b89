// The paths that a process needs, by what it does with them. Landlock rules apply to existing directories. If a path leads through
// a symbolic link, the folder of the link is allowed too, because the link may change: `current` to another release, `..data` to
// another version. Top-level system folders such as `/etc` are never allowed for this reason, and what is written needs a folder
// of its own.

public import Posix
import Settings
import TLS

public struct SandboxPlaces: Sendable {
    public let config: String
    let pages: String
    let state: String
    private let uses: [Use]
    /// Whether a missing state directory is created. A check leaves nothing behind.
    public var createsState = true

    /// A path, and how the running process uses it.
    public enum Use: Sendable {
        /// Read with everything below it, wherever links in it lead later.
        case folder(String)
        /// Read; may be replaced by another file of the same name.
        case file(String)
        /// Read with everything below it, not including link targets.
        case readable(String)
        case writable(String, for: String)
        /// Appended to, and reopened by its name.
        case log(String)
    }

    /// Those of a server.
    public init(_ loaded: LoadedSettings) {
        let settings = loaded.settings
        // The admin token is read before files are restricted.
        let files = [settings.ticketKeyFile, settings.signing?.certificateFile, settings.signing?.keyFile]
        // Each of these may be a link to anywhere.
        let folders =
            [loaded.configPath, loaded.publicPath] + LinkTargets.certbot.adding(settings.linkTargets).paths
            + ["apps", "retired", "hosts"].map { "\(loaded.configPath)/\($0)" }
            + [settings.acme.webroot].compactMap(\.self)
        var uses = folders.map(Use.folder) + files.compactMap(\.self).map(Use.file)
        if case .file(let path) = settings.accessLog.place { uses.append(.log(path)) }
        self.init(loaded, uses: uses)
    }

    /// These, the state directory, and what the settings allow.
    public init(_ loaded: LoadedSettings, uses: [Use]) {
        (config, pages, state) = (loaded.configPath, loaded.publicPath, loaded.statePath)
        let sandbox = loaded.settings.sandbox
        var uses = uses
        uses += [.folder(state), .writable(state, for: "the state")]
        uses += sandbox.readable.map(Use.readable)
        uses += sandbox.writable.map { .writable($0, for: "sandbox.write") }
        self.uses = uses
    }

    /// Creates a missing state directory for the server's user; an existing one is left as it is.
    public func createState(for account: Account?) {
        if !createsState || Directory.exists(state) { return }
        // Its parents are readable by every user.
        try? Directory.create(ResolvedPath.parent(of: Directory.absolute(state)), permissions: 0o755)
        // If this fails, the server reports later that it cannot write its state.
        guard (try? Directory.createPrivate(state)) != nil else { return }
        guard let account, Privileges.isRoot else { return }
        for path in [state, "\(state)/.gitignore"] { Directory.changeOwner(of: path, to: account) }
    }

    func rules() throws(Refusal) -> [Landlock.Rule] {
        var rules: [Landlock.Rule] = []
        for use in uses { rules += try SandboxPlaces.rules(use) }
        return rules
    }

    static func rules(_ use: Use) throws(Refusal) -> [Landlock.Rule] {
        switch use {
        case .folder(let path): return reading(ResolvedPath(path))
        case .file(let path):
            let way = ResolvedPath(path)
            return reading(
                way, changing: [ResolvedPath.parent(of: Directory.absolute(path)), way.place.map(ResolvedPath.parent)])
        case .readable(let path): return rules([ResolvedPath(path).place].compactMap(\.self), .read)
        case .writable(let path, let purpose): return try change(path, purpose)
        case .log(let path):
            let status = try? File.status(path)
            // A device or pipe is written directly; a regular file needs its folder, also behind a link.
            if let status, !status.isRegular { return rules([path], .write) }
            return try change(
                ResolvedPath.parent(of: ResolvedPath(path).place ?? Directory.absolute(path)),
                "the access log \(path)")
        }
    }

    /// Reading a path, also after a change in the folders of its links and in others, but not all of a top-level folder.
    private static func reading(_ way: ResolvedPath, changing folders: [String?] = []) -> [Landlock.Rule] {
        let folders = (folders + way.changePoints).compactMap(\.self).filter { !ResolvedPath.isTop($0) }
        return rules(folders + [way.place].compactMap(\.self), .read)
    }

    private static func rules(_ paths: [String], _ access: Landlock.Access) -> [Landlock.Rule] {
        paths.map { Landlock.Rule($0, access) }
    }

    /// A folder in which files are created and removed; never a shared system folder.
    private static func change(_ folder: String, _ purpose: String) throws(Refusal) -> [Landlock.Rule] {
        // The parent of a path directly in `/` is empty.
        guard let place = ResolvedPath(folder.isEmpty ? "/" : folder).place else { return [] }
        if ResolvedPath.isSystemFolder(place) {
            throw .failure(
                "not started: for \(purpose), the sandbox would have to allow writing to all of \(place); "
                    + "use a folder below it that belongs to the server, or --sandbox off")
        }
        return [Landlock.Rule(place, .write)]
    }
}
