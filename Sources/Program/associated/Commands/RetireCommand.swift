// `associated retire`: confirms to the removal guard that an app file goes out of service on purpose.

import Association
import Hosting
import Libc
import Posix
import Supervision

extension Command {
    static let retire = Command(
        name: "retire", summary: "take an app file out of service",
        details: """
            Takes an app file out of service. Deleting an app file is not enough: a running server continues to serve its
            hosts, because it cannot know that the deletion was on purpose (the removal guard). The guard covers what was live
            when the server started, and what is new after ten minutes and a first fetch. This command confirms a deletion.
            The server then removes this app from its hosts at once; a host that no other app file names is no longer served.

            APP is an app file in config/apps/, the name of the file without its extension, or a folder, of which all app
            files are retired. The command moves them to config/retired/. For a file that was deleted while a server served
            it, the command writes a file of that name to config/retired/, with only a comment. The state directory tells
            what a server serves.

            To remove only an app id, a fingerprint or a host, add it to `retired` in the app file instead; the server's
            message contains the line to add.
            """,
        operands: Operands(usage: "APP", counts: 1...1),
        options: [
            .config,
            .state.with(help: "state directory of the server, which tells what is live (default: state)"),
            .force.with(
                help: "confirm the deletion of the app file APP if there is no state directory that could know it"),
        ],
        failure: "there is no such app file and no server serves it, or a file could not be moved or written"
    ) { arguments in
        let configuration = GivenConfiguration(arguments)
        let folder = RetiredFolder(config: configuration.path)
        let (given, apps) = (arguments.operands[0], folder.apps)
        let typed = given.hasPrefix(apps) ? String(given.dropFirst(apps.count)) : given
        let isFolder = typed.hasSuffix("/")
        let stem = isFolder ? String(typed.dropLast()) : typed
        let parts = stem.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            return .usage(
                saying: "\(given) is not an app file of \(configuration.path); name one such as \(apps)shop.json")
        }
        guard let files = configuration.appFiles else {
            return .failure(
                saying: "there is no directory \(configuration.path)/apps; name the configuration with --config")
        }
        // The server does not follow a link to a folder, and a tenant can place one that leads to the files of another.
        let folders = parts.indices.map { apps + parts[...$0].joined(separator: "/") }.filter(Directory.exists)
        if let link = folders.first(where: { File.linkTarget($0) != nil }) {
            return .failure(saying: "\(link) is a link; name the app file by the folder that it is in")
        }
        let names = Tenants.isAppFile(stem) ? [stem] : ["\(stem).json", "\(stem).json5"]
        if !isFolder, let name = names.first(where: { File.exists(apps + $0) }) {
            return try folder.retire(name)
        }
        let state = arguments["--state"] ?? "state"
        let served = try configuration.servedFiles(by: state)
        let known = served.union(files.paths).filter { $0.hasPrefix(apps) }.map { String($0.dropFirst(apps.count)) }
            .sorted()
        let wanted = Set(known.filter { $0.hasPrefix("\(stem)/") || (names.contains($0) && !isFolder) })
        if !wanted.isEmpty {
            let outcomes = try wanted.sorted().map { name throws(Refusal) in try folder.retire(name) }
            return outcomes.contains(.failure) ? .failure : .success
        }
        if let retired = ([stem] + names).first(where: { File.exists(folder.retired + $0) }) {
            Console.output(line: "\(apps)\(retired) is retired already: there is \(folder.retired)\(retired)")
            return .success
        }
        // A state that is there knows better.
        if arguments.has("--force"), !Tenants.hasState(state) { return try folder.retire(names[0]) }
        return .failure(saying: unknown(stem, names[0], in: apps, among: known, state))
    }

    private static let namesMax = 5

    /// The message about an app file that does not exist.
    /// - Parameter known: those that exist or are live, below `apps`.
    private static func unknown(
        _ given: String, _ name: String, in apps: String, among known: [String], _ state: String
    ) -> String {
        func stem(_ name: String) -> String { String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]) }
        let folders = Set(known.map { ResolvedPath.parent(of: $0) }.filter { !$0.isEmpty }).sorted()
        let all = known + folders
        let nearest = NearestKey.find(stem(given), among: all.map(stem))
        let meant = all.first { stem($0) == nearest ?? stem(given) }
        let list = known.isEmpty || known.count > namesMax ? "" : " The app files are \(known.joined(separator: ", "))."
        let advice = meant.map { " Did you mean \(apps)\($0)?" } ?? list
        let elsewhere =
            Tenants.hasState(state)
            ? "another server serves it, name that server's state directory with --state"
            : "\(name) was deleted on purpose and the server's state is elsewhere, confirm that with --force"
        return
            "there is no app file \(apps)\(name), and the state directory \(state) has no live version of it.\(advice) If "
            + elsewhere
    }
}

/// `config/retired`, where a file confirms that the app file of its name goes out of service.
private struct RetiredFolder {
    let apps: String
    let retired: String

    init(config: String) { (apps, retired) = ("\(config)/apps/", "\(config)/retired/") }

    /// Moves an app file, or confirms that it was deleted.
    func retire(_ name: String) throws(Refusal) -> ExitStatus {
        let (live, retired) = (apps + name, retired + name)
        // The file of this name is created first, because renaming would replace another one.
        guard try OutputFile.create(retired, Array("// taken out of service on purpose\n".utf8)) else {
            return .failure(
                saying:
                    "there is \(retired) already, from an earlier retirement; remove it and run this again, or delete \(live)"
            )
        }
        if File.linkTarget(live) != nil {
            // A file there permits the removal of everything in it, and a link may lead to the file of another tenant.
            File.remove(live)
            Console.output(line: "removed the link \(live), and wrote \(retired)")
        } else if !File.exists(live) {
            Console.output(line: "wrote \(retired), which confirms the deletion of \(live)")
        } else if unsafe rename(live, retired) == 0 {
            Console.output(line: "moved \(live) to \(retired)")
        } else {
            return .failure(saying: "cannot write \(retired): \(SystemError(call: "rename", number: errno).reason)")
        }
        return .success
    }
}

extension GivenConfiguration {
    /// The app files that a server with this state still serves as they were: deleted ones, and those from which entries were removed.
    fileprivate func servedFiles(by state: String) throws(ConfigurationError) -> Set<String> {
        guard Tenants.hasState(state) else { return [] }
        return Set(try load(state: state).findings.filter { $0.rule == .app042 }.map(\.file))
    }
}
