// By which rules a URL is decided: those of the files that were named, or those of the app files that have the URL's host.

import Association
import Hosting
import Posix
import SourceJSON
import TLS
import Verifier

struct MatchSource {
    private let files: LinkMatching?
    /// The app files of each host pattern, in merge order.
    private let apps: [String: [AppFile]]
    private let configPath: String
    /// Asks the hosts themselves.
    private let live: PublishedFiles?
    private var known: [String: LinkMatching] = [:]

    /// More hosts than this are not remembered at once.
    private static let knownMax = 10_000
    private static let depthMax = 16

    enum Outcome {
        case success(MatchSource)
        case failure(ExitStatus)
    }

    static func load(_ arguments: ParsedArguments) -> Outcome {
        if arguments.has("--live") {
            switch LiveFiles.fetcher(arguments) {
            case .failure(let error): return .failure(.usage(saying: error.description))
            case .success(let live): return .success(MatchSource(files: nil, apps: [:], configPath: "", live: live))
            }
        }
        if arguments.has("--apple") || arguments.has("--android") { return published(arguments) }
        let path = arguments["--config"] ?? "config"
        let settings = SettingsReader(file: "\(path)/server.json").settings
        var paths: [String] = []
        guard list("\(path)/apps", depth: 0, into: &paths) else {
            return .failure(
                .failure(
                    saying:
                        "there are no app files in \(path)/apps; name a folder with --config, or files with --apple and --android"
                ))
        }
        var apps: [String: [AppFile]] = [:]
        for file in paths {
            guard let bytes = try? File.read(file, bytesMax: AppFile.bytesMax).bytes else { continue }
            let reading = AppFile.read(
                bytes, file: file, environment: arguments["--environment"] ?? settings.environment)
            guard let app = reading.appFile else {
                Console.error("associated: \(file) has errors and is left out; associated lint shows them\n")
                continue
            }
            for host in app.hosts { apps[host.text, default: []].append(app) }
        }
        return .success(MatchSource(files: nil, apps: apps.mapValues(Renderer.mergeOrder), configPath: path))
    }

    /// The app files below a folder.
    static func list(_ path: String, into paths: inout [String]) { _ = list(path, depth: 0, into: &paths) }

    private static func list(_ path: String, depth: Int, into paths: inout [String]) -> Bool {
        guard depth <= depthMax, let entries = try? Directory.entries(path) else { return depth > 0 }
        for entry in entries where !entry.name.hasPrefix(".") {
            let below = "\(path)/\(entry.name)"
            switch entry.kind {
            case .directory: _ = list(below, depth: depth + 1, into: &paths)
            case .file where entry.name.hasSuffix(".json") || entry.name.hasSuffix(".json5"): paths.append(below)
            default: continue
            }
        }
        return true
    }

    /// Files that somebody serves.
    private static func published(_ arguments: ParsedArguments) -> Outcome {
        var matching = LinkMatching(origin: "the files")
        do throws(FileError) {
            if let path = arguments["--apple"] {
                let bytes = try File.read(path, bytesMax: AppFile.bytesMax).bytes
                let reading = AppleAssociation.read(plain(bytes), file: path)
                guard let association = reading.association else {
                    return .failure(rejected(path, by: "Apple's systems read", reading.findings))
                }
                matching.apple = LinkMatching.apple(of: association, file: path)
            }
            if let path = arguments["--android"] {
                let bytes = try File.read(path, bytesMax: AppFile.bytesMax).bytes
                let reading = StatementList.read(bytes, file: path)
                guard let list = reading.list else {
                    return .failure(rejected(path, by: "Android reads", reading.findings))
                }
                matching.android = LinkMatching.android(of: list, file: path)
            }
        } catch {
            let path = arguments["--apple"] ?? ""
            return .failure(
                .failure(saying: "cannot read \(path.isEmpty ? arguments["--android"] ?? "" : path): \(error)"))
        }
        return .success(MatchSource(files: matching, apps: [:], configPath: ""))
    }

    private static func rejected(_ path: String, by reader: String, _ findings: [Finding]) -> ExitStatus {
        if let finding = findings.first(where: { $0.severity == .error }) ?? findings.first { Console.error(finding) }
        return .failure(saying: "\(reader) nothing of \(path), so no app opens anything")
    }

    private init(files: LinkMatching?, apps: [String: [AppFile]], configPath: String, live: PublishedFiles? = nil) {
        self.live = live
        self.files = files
        self.apps = apps
        self.configPath = configPath
    }

    /// What decides about the URLs of a host: its own app files, else those of the most specific wildcard over it.
    mutating func matching(for url: LinkURL) -> LinkMatching {
        if let files { return files }
        if let matching = known[url.host] { return matching }
        if let live {
            let matching = MatchSource.matching(of: url.host, live)
            known[url.host] = matching
            return matching
        }
        var names = [url.host]
        var rest = url.host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            names.append("*.\(rest)")
        }
        let apps = names.first { self.apps[$0] != nil }.flatMap { self.apps[$0] } ?? []
        let matching = LinkMatching(of: apps, configPath: configPath)
        if known.count >= MatchSource.knownMax { known.removeAll() }
        known[url.host] = matching
        return matching
    }

    /// What a host serves; a file that it does not serve, or that no system reads, names no app.
    private static func matching(of name: String, _ live: PublishedFiles) -> LinkMatching {
        var matching = LinkMatching(origin: "https://\(name)")
        guard let host = CheckedHost(name) else { return matching }
        func fetch(_ path: String) -> [UInt8]? {
            switch live.fetch(path, of: host) {
            case .success(let bytes): return bytes
            case .failure(let error):
                Console.error("associated: cannot fetch https://\(name)\(path): \(error)\n")
                return nil
            }
        }
        if let bytes = fetch(LiveFiles.applePath),
            let association = AppleAssociation.read(plain(bytes), file: "https://\(name)\(LiveFiles.applePath)")
                .association
        {
            matching.apple = LinkMatching.apple(of: association, file: "https://\(name)\(LiveFiles.applePath)")
        }
        if let bytes = fetch(LiveFiles.statementsPath),
            let list = StatementList.read(bytes, file: "https://\(name)\(LiveFiles.statementsPath)").list
        {
            matching.android = LinkMatching.android(of: list, file: "https://\(name)\(LiveFiles.statementsPath)")
        }
        return matching
    }

    /// The document inside a signed file.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        Linter.recognise(bytes) == .signedAppleAssociation ? SignedMessage.content(of: bytes) ?? bytes : bytes
    }
}
