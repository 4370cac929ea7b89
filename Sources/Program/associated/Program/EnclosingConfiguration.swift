// The configuration around a path in its `apps`. One folder has many spellings: `apps/shop` in the configuration, `shop` in `apps`,
// a link. What the path leads to decides, so that each spelling has the same answer.

import Hosting
import Posix

struct EnclosingConfiguration {
    let given: GivenConfiguration
    /// The path of the file or folder below that of the configuration.
    let path: String

    /// Nil for a path that is in the `apps` of no configuration.
    /// - Parameters:
    ///   - base: the configuration of `--config`.
    ///   - known: others that are loaded already, whose spelling is used.
    init?(
        around path: String, _ arguments: ParsedArguments, base: GivenConfiguration, known: [GivenConfiguration] = []
    ) {
        // The path as it is named comes first, because a name may be a link to a version of the file elsewhere.
        let places = [Directory.absolute(path), ResolvedPath(path).place].compactMap(\.self)
        var found: [EnclosingConfiguration] = []
        for place in places {
            guard let (root, rest) = EnclosingConfiguration.split(place, base: base) else { continue }
            let given = EnclosingConfiguration.configuration(
                at: root, known + [base], writtenAs: path.removingSuffix("/apps\(rest)"), arguments)
            let path = "\(given.path)/apps\(rest)"
            if found.first?.path != path { found.append(EnclosingConfiguration(given: given, path: path)) }
        }
        guard let first = found.first else { return nil }
        self = found.count > 1 ? found.first(where: \.isRead) ?? first : first
    }

    private init(given: GivenConfiguration, path: String) { (self.given, self.path) = (given, path) }

    /// Whether a link leads out of `apps`. A server follows none that its settings do not allow.
    var leadsOut: Bool {
        guard let apps = try? Folder("\(given.path)/apps") else { return false }
        return apps.leadsOut("./\(path.dropFirst("\(given.path)/apps/".count))")
    }

    /// Whether the configuration reads the file, or one in the folder. It follows no link to a folder.
    private var isRead: Bool {
        given.appFiles?.paths.contains { $0 == path || $0.hasPrefix("\(path)/") } ?? false
    }

    /// The outermost configuration above an absolute path, and the path below its `apps`: a tenant may make a folder of that name.
    private static func split(_ place: String, base: GivenConfiguration) -> (root: String, rest: String)? {
        let names = place.split(separator: "/").filter { $0 != "." }
        let basePlace = ResolvedPath(base.path).place
        for index in names.indices where names[index] == "apps" {
            let root = "/" + names[..<index].joined(separator: "/")
            let below = names[(index + 1)...]
            if below.contains("..") { continue }
            if File.exists("\(root)/server.json") || ResolvedPath(root).place == basePlace {
                return (root, below.map { "/\($0)" }.joined())
            }
        }
        return nil
    }

    /// The configuration in a folder, by a path that a user would write.
    private static func configuration(
        at root: String, _ known: [GivenConfiguration], writtenAs written: String?, _ arguments: ParsedArguments
    ) -> GivenConfiguration {
        let place = ResolvedPath(root).place
        if let same = known.first(where: { ResolvedPath($0.path).place == place }) { return same }
        let here = Directory.absolute("")
        let relative = "\(root)/" == here ? "." : root.removingPrefix(here)
        let isWritten = written.map { !$0.isEmpty && ResolvedPath($0).place == place } ?? false
        return GivenConfiguration(arguments, at: isWritten ? written : relative)
    }
}

extension String {
    fileprivate func removingSuffix(_ suffix: String) -> String? {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
    }

    fileprivate func removingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
