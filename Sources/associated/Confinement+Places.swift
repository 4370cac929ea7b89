// Which places a server needs. Rules hold for directories as they are now, so a path that leads through a link has the
// link's folder too, for the link may be turned: `current` to another release, `..data` to another version. Never one of the
// top folders, though: `/etc` has more in it than certificates.

import Hosting
import Posix
import TLS

extension Confinement {
    struct Places {
        var config: String
        var pages: String
        var state: String

        func rules(_ settings: ServerSettings) -> [Landlock.Rule] {
            var rules = Places.folder(config, .read) + Places.folder(pages, .read) + Places.folder(state, .write)
            for path in LinkTargets.certbot.adding(settings.linkTargets).paths { rules += Places.folder(path, .read) }
            // Each of them may be a link to anywhere.
            for name in ["apps", "retired", "hosts"] { rules += Places.folder("\(config)/\(name)", .read) }
            let files = [
                settings.ticketKeyFile, settings.passphraseFile, settings.signing?.certificateFile,
                settings.signing?.keyFile,
            ]
            for file in files.compactMap(\.self) { rules += Places.file(file) }
            for address in settings.http + settings.https + (settings.admin.map { [$0.address] } ?? []) {
                if let path = address.path, !path.isEmpty {
                    rules += Places.folder(PathWay.parent(of: path), .listen, isGiven: true)
                }
            }
            if case .file(let path) = settings.accessLog.place { rules += Places.log(path) }
            for path in settings.sandbox.readable { rules += Places.folder(path, .read, isGiven: true) }
            for path in settings.sandbox.writable { rules += Places.folder(path, .write, isGiven: true) }
            return rules
        }

        /// A folder, and where it may come to be.
        private static func folder(
            _ path: String, _ access: Landlock.Access, isGiven: Bool = false
        ) -> [Landlock.Rule] {
            let way = PathWay(path)
            let turnings = isGiven ? [] : way.turnings.filter { !PathWay.isTop($0) }
            return (way.place.map { [$0] } ?? []).map { Landlock.Rule($0, access) }
                + turnings.map { Landlock.Rule($0, .read) }
        }

        /// A log is opened by its name again and again, and made where there is none; a device or a pipe is what it is.
        private static func log(_ path: String) -> [Landlock.Rule] {
            if let status = try? File.status(path), !status.isRegular { return [Landlock.Rule(path, .write)] }
            return folder(PathWay.parent(of: Directory.absolute(path)), .write, isGiven: true)
        }

        /// A file that may be replaced by another one of its name, and so the folder it is in.
        private static func file(_ path: String) -> [Landlock.Rule] {
            let way = PathWay(path)
            let folders =
                ([PathWay.parent(of: Directory.absolute(path)), way.place.map(PathWay.parent)] + way.turnings)
                .compactMap(\.self).filter { !PathWay.isTop($0) }
            return (folders + (way.place.map { [$0] } ?? [])).map { Landlock.Rule($0, .read) }
        }
    }
}
