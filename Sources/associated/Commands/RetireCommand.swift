// `associated retire`: confirms to the removal guard that an app file goes out of service on purpose.

import Association
import Glibc
import Hosting
import Posix

extension Command {
    static let retire = Command(
        name: "retire", summary: "take an app file out of service",
        details: """
            Takes an app file out of service. Deleting an app file is not enough: a running server continues to serve its
            hosts, because it cannot know that the deletion was on purpose (the removal guard). The guard covers what was live
            when the server started, and what is new after ten minutes and a first fetch. This command confirms a deletion.
            The server then removes this app from its hosts at once; a host that no other app file names is no longer served.

            APP is an app file in config/apps/, or the name of the file without its extension. The command moves the file to
            config/retired/. If the file was deleted while a server served it, the command writes a file of that name
            to config/retired/, with only a comment. The state directory tells what a server serves.

            To remove only an app id, a fingerprint or a host, add it to `retired` in the app file instead; the server's
            message contains the line to add.
            """,
        operands: Operands(usage: "APP", counts: 1...1),
        options: [
            .config,
            .state.with(help: "state directory of the server, which tells what is live (default: state)"),
            .force.with(help: "confirm the deletion of APP even if the state directory does not know it"),
        ],
        failure: "there is no such app file and no server serves it, or a file could not be moved or written"
    ) { arguments in
        let configuration = GivenConfiguration(arguments)
        let config = configuration.path
        let (given, apps) = (arguments.operands[0], "\(config)/apps/")
        let stem = given.hasPrefix(apps) ? String(given.dropFirst(apps.count)) : given
        let parts = stem.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            return .usage(saying: "\(given) is not an app file of \(config); name one such as \(apps)shop.json")
        }
        guard let files = configuration.appFiles else {
            return .failure(saying: "there is no directory \(config)/apps; name the configuration with --config")
        }
        let names = Tenants.isAppFile(stem) ? [stem] : ["\(stem).json", "\(stem).json5"]
        let name = names.first { files.paths.contains(apps + $0) } ?? names[0]
        let (live, retired) = ("\(apps)\(name)", "\(config)/retired/\(name)")
        // The server does not follow a link to a folder, and a tenant can place one that leads to the files of another.
        let folders = parts.indices.dropFirst().map { apps + parts[..<$0].joined(separator: "/") }
        if let link = folders.first(where: { File.linkTarget($0) != nil }) {
            return .failure(saying: "\(link) is a link; name the app file by the folder that it is in")
        }
        let isLive = File.exists(live)
        if !isLive, File.exists(retired) {
            Console.output(line: "\(live) is retired already: there is \(retired)")
            return .success
        }
        if !isLive, !arguments.has("--force") {
            let state = arguments["--state"] ?? "state"
            let deleted = try configuration.servedFiles(by: state)
            guard deleted.contains(live) else {
                let others = (files.paths + deleted).filter { $0.hasPrefix(apps) }.map {
                    String($0.dropFirst(apps.count))
                }
                return .failure(saying: unknown(name, in: apps, among: others, state))
            }
        }
        // The file of this name is created first, because renaming would replace another one.
        guard try OutputFile.create(retired, Array("// taken out of service on purpose\n".utf8)) else {
            return .failure(
                saying:
                    "there is \(retired) already, from an earlier retirement; remove it and run this again, or delete \(live)"
            )
        }
        guard isLive else {
            Console.output(line: "wrote \(retired), which confirms the deletion of \(live)")
            return .success
        }
        if File.linkTarget(live) != nil {
            // A file there permits the removal of everything in it, and a link may lead to the file of another tenant.
            File.remove(live)
            Console.output(line: "removed the link \(live), and wrote \(retired)")
            return .success
        }
        guard unsafe rename(live, retired) == 0 else {
            return .failure(saying: "cannot write \(retired): \(SystemError(call: "rename", number: errno).reason)")
        }
        Console.output(line: "moved \(live) to \(retired)")
        return .success
    }

    private static let namesMax = 5

    /// The message about an app file that does not exist.
    /// - Parameter names: those that exist or are live, below `apps`.
    private static func unknown(_ name: String, in apps: String, among names: [String], _ state: String) -> String {
        func stem(_ name: String) -> String { String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]) }
        let nearest = NearestKey.find(stem(name), among: names.map(stem))
        let meant = nearest.flatMap { word in names.first { stem($0) == word } }
        let list = names.isEmpty || names.count > namesMax ? "" : " The app files are \(names.joined(separator: ", "))."
        let advice = meant.map { " Did you mean \(apps)\($0)?" } ?? list
        return
            "there is no app file \(apps)\(name), and the state directory \(state) has no live version of it.\(advice) If "
            + "\(name) was deleted on purpose and the server's state is elsewhere, confirm that with --force"
    }
}

extension GivenConfiguration {
    /// The app files that a server with this state still serves as they were: deleted ones, and those from which entries were removed.
    fileprivate func servedFiles(by state: String) throws(ConfigurationError) -> Set<String> {
        guard Tenants.hasState(state) else { return [] }
        return Set(try load(state: state).findings.filter { $0.rule == .app042 }.map(\.file))
    }
}
