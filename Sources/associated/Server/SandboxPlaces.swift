// Which places a server needs: every path of the settings in force, by what the running server does with it. Rules hold for
// directories as they are now, so a path that leads through a link has the link's folder too, for the link may be turned:
// `current` to another release, `..data` to another version. Never one of the top folders, though: `/etc` has more in it than
// certificates. And what is written to has a folder of its own.

import Hosting
import Posix
import TLS

struct SandboxPlaces {
    let config: String
    let pages: String
    let state: String
    private let uses: [Use]

    /// A path, and what is done with it while the server runs.
    private enum Use {
        /// Read with everything below it, wherever its links may lead one day.
        case folder(String)
        /// Read, and may be replaced by another file of its name.
        case file(String)
        /// Read with everything below it, and no further.
        case readable(String)
        case writable(String, for: String)
        /// Appended to, and opened by its name again.
        case log(String)
        /// A socket is made and removed there.
        case socket(String)
    }

    /// - Parameter opensSockets: whether the addresses of the settings are still to be listened on.
    init(_ loaded: LoadedSettings, opensSockets: Bool) {
        (config, pages, state) = (loaded.configPath, loaded.publicPath, loaded.statePath)
        let settings = loaded.settings
        // The admin token is read before files are restricted.
        let files = [
            settings.ticketKeyFile, settings.passphraseFile, settings.signing?.certificateFile,
            settings.signing?.keyFile,
        ]
        let addresses =
            (opensSockets ? settings.http + settings.https : []) + [settings.admin?.address].compactMap(\.self)
        // Each of those in the configuration may be a link to anywhere.
        let folders =
            [config, pages] + LinkTargets.certbot.adding(settings.linkTargets).paths
            + ["apps", "retired", "hosts"].map { "\(loaded.configPath)/\($0)" }
            + [settings.acme.webroot].compactMap(\.self)
        var uses = folders.map(Use.folder) + files.compactMap(\.self).map(Use.file)
        uses += [.folder(state), .writable(state, for: "the state")]
        uses += addresses.compactMap(\.path).filter { !$0.isEmpty }.map(Use.socket)
        if case .file(let path) = settings.accessLog.place { uses.append(.log(path)) }
        uses += settings.sandbox.readable.map(Use.readable)
        uses += settings.sandbox.writable.map { .writable($0, for: "sandbox.write") }
        self.uses = uses
    }

    func rules() throws(Refusal) -> [Landlock.Rule] {
        var rules: [Landlock.Rule] = []
        for use in uses { rules += try SandboxPlaces.rules(use) }
        return rules
    }

    private static func rules(_ use: Use) throws(Refusal) -> [Landlock.Rule] {
        switch use {
        case .folder(let path):
            let way = PathWay(path)
            return rules(way.turnings.filter { !PathWay.isTop($0) } + [way.place].compactMap(\.self), .read)
        case .file(let path):
            let way = PathWay(path)
            let folders =
                [PathWay.parent(of: Directory.absolute(path)), way.place.map(PathWay.parent)] + way.turnings
            return rules(
                folders.compactMap(\.self).filter { !PathWay.isTop($0) } + [way.place].compactMap(\.self), .read)
        case .readable(let path): return rules([PathWay(path).place].compactMap(\.self), .read)
        case .writable(let path, let purpose): return try change(path, .write, purpose)
        case .log(let path):
            let status = try? File.status(path)
            // A device or a pipe is what it is, and a link's file is in a folder of its own.
            if let status, !status.isRegular { return rules([path], .write) }
            return try change(
                PathWay.parent(of: PathWay(path).place ?? Directory.absolute(path)), .write,
                "the access log \(path)")
        case .socket(let path):
            return try change(PathWay.parent(of: Directory.absolute(path)), .listen, "the socket \(path)")
        }
    }

    private static func rules(_ paths: [String], _ access: Landlock.Access) -> [Landlock.Rule] {
        paths.map { Landlock.Rule($0, access) }
    }

    /// A folder in which files are made and removed, unless others keep theirs in it.
    private static func change(
        _ folder: String, _ access: Landlock.Access, _ purpose: String
    ) throws(Refusal) -> [Landlock.Rule] {
        // A path with one name has nothing in front of it.
        guard let place = PathWay(folder.isEmpty ? "/" : folder).place else { return [] }
        if PathWay.isSystemFolder(place) {
            throw .failure(
                "not started: for \(purpose) the sandbox would have to open all of \(place) for writing; "
                    + "use a folder below it that belongs to the server, or --sandbox off")
        }
        return [Landlock.Rule(place, access)]
    }
}
