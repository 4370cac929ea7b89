// Finds the rules for a URL: those of the named files, of the live host, or of the app files that name the URL's host.

import Association
import AssociationLint
import Hosting
import Posix
import Supervision
import Verifier

struct MatchSource {
    private let files: LinkMatching?
    /// The app files of each host pattern, in merge order.
    private let apps: [String: [AppFile]]
    private let configPath: String
    /// App files with errors, which are reported with the first host that they name. Without bytes, any host may be meant.
    private var broken: [(path: String, bytes: [UInt8]?)] = []
    /// Fetches the files of live hosts; nil without `--live`.
    private let live: PublishedFiles?
    /// The manifest of `--manifest`.
    private let manifest: AndroidManifest?
    /// The platform of `--platform`; nil for both.
    private let platform: LinkMatching.Platform?
    /// The rules of hosts that were needed before.
    private var known: [String: LinkMatching] = [:]

    private static let knownMax = 10_000

    /// - Parameter platform: the only one that is answered for; nil for both.
    init(_ arguments: ParsedArguments, platform: LinkMatching.Platform? = nil) throws(Refusal) {
        self.platform = platform
        let isPublished = arguments.has("--apple") || arguments.has("--android")
        if [arguments.has("--live"), isPublished, arguments.has("--app")].count(where: { $0 }) > 1 {
            throw .usage("give one of --live, --app, and files with --apple and --android")
        }
        manifest = try arguments["--manifest"].map(MatchSource.manifest)
        if arguments.has("--live") || isPublished {
            live = arguments.has("--live") ? try LiveFiles.fetcher(arguments) : nil
            files = live == nil ? try MatchSource.published(arguments) : nil
            (apps, configPath) = ([:], "")
            return
        }
        if let path = arguments["--app"] {
            let app = try AppSearch.app(at: path, arguments)
            (files, live, configPath) = (nil, nil, path)
            apps = Dictionary(app.hosts.map { ($0.text, [app]) }) { first, _ in first }
            return
        }
        let given = try GivenConfiguration(answering: arguments)
        guard let appFiles = given.servedAppFiles else {
            throw .failure(
                "there are no app files in \(given.path)/apps; name a configuration with --config, or files with --apple "
                    + "and --android")
        }
        var apps: [String: [AppFile]] = [:]
        for file in appFiles.paths {
            guard let bytes = appFiles.bytes(of: file) else {
                Console.complain("skipped \(file), which cannot be read; associated lint shows why")
                continue
            }
            guard let app = given.appFile(bytes, file: file).app else {
                broken.append((file, String(decoding: bytes, as: UTF8.self).contains("hosts") ? bytes : nil))
                continue
            }
            for host in app.hosts { apps[host.text, default: []].append(app) }
        }
        (files, live) = (nil, nil)
        self.apps = apps.mapValues(Renderer.mergeOrder)
        configPath = given.path
    }

    /// The rules of the files of `--apple` and `--android`.
    private static func published(_ arguments: ParsedArguments) throws(Refusal) -> LinkMatching {
        let names = ["--apple", "--android"].compactMap { arguments[$0] }
        var matching = LinkMatching(origin: names.joined(separator: " and "))
        if names.count == 1 { matching.platforms = arguments.has("--apple") ? [.apple] : [.android] }
        if let path = arguments["--apple"] {
            let bytes = try InputFile.read(path)
            matching.appleProblem = LinkMatching.problem { () throws(Refusal) in
                try matching.readApple(bytes, file: path)
            }
        }
        if let path = arguments["--android"] {
            let bytes = try InputFile.read(path)
            matching.androidProblem = LinkMatching.problem { () throws(Refusal) in
                try matching.readAndroid(bytes, file: path)
            }
        }
        return matching
    }

    private static func manifest(_ path: String) throws(Refusal) -> AndroidManifest {
        var findings: [Finding] = []
        let manifest = AndroidManifest(try InputFile.read(path), file: path, findings: &findings)
        for finding in findings { Console.error(finding) }
        guard let manifest else { throw .failure("cannot read \(path) as an Android manifest") }
        return manifest
    }

    mutating func matching(for url: LinkURL) -> LinkMatching {
        if let files { return files.with(manifest).only(platform) }
        let place = live == nil ? url.host : LiveFiles.place(of: url)
        if let matching = known[place] { return matching }
        let matching = (live.map { LinkMatching(of: url, live: $0, platform: platform) } ?? configured(for: url)).with(
            manifest
        )
        .only(platform)
        if known.count >= MatchSource.knownMax { known.removeAll() }
        known[place] = matching
        return matching
    }

    /// The rules of the app files that name the host, or else of those that name its most specific wildcard.
    private mutating func configured(for url: LinkURL) -> LinkMatching {
        let names = LinkMatching.names(covering: url.host)
        let missing = broken.filter { file in
            file.bytes.map { bytes in names.contains { GivenConfiguration.isNamed($0, in: bytes) } } ?? true
        }
        for file in missing { Console.complain("skipped \(file.path), which has errors; associated lint shows them") }
        broken.removeAll { file in missing.contains { $0.path == file.path } }
        let apps = names.first { self.apps[$0] != nil }.flatMap { self.apps[$0] } ?? []
        return LinkMatching(of: apps, configPath: configPath)
    }
}
