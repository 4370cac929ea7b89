// By which rules a URL is decided: those of the files that were named, or those of the app files that have the URL's host.

import Association
import AssociationLint
import Client
import Hosting
import Posix
import Verifier

struct MatchSource {
    private let files: LinkMatching?
    /// The app files of each host pattern, in merge order.
    private let apps: [String: [AppFile]]
    private let configPath: String
    /// Asks the hosts themselves.
    private let live: PublishedFiles?
    /// The manifest that was named.
    private let manifest: AndroidManifest?
    private var known: [String: LinkMatching] = [:]

    /// More hosts than this are not remembered at once.
    private static let knownMax = 10_000

    init(_ arguments: ParsedArguments) throws(Refusal) {
        let isPublished = arguments.has("--apple") || arguments.has("--android")
        if arguments.has("--live"), isPublished {
            throw .usage("--live asks the URL's host, and --apple and --android name files; give one or the other")
        }
        manifest = try arguments["--manifest"].map(MatchSource.manifest)
        if arguments.has("--live") || isPublished {
            live = arguments.has("--live") ? try LiveFiles.fetcher(arguments) : nil
            files = live == nil ? try MatchSource.published(arguments) : nil
            (apps, configPath) = ([:], "")
            return
        }
        let given = try GivenConfiguration(answering: arguments)
        guard let paths = given.appFiles else {
            throw .failure(
                "there are no app files in \(given.path)/apps; name a folder with --config, or files with --apple and "
                    + "--android")
        }
        var apps: [String: [AppFile]] = [:]
        for file in paths {
            let bytes: [UInt8]
            do throws(FileError) { bytes = try File.read(file, bytesMax: AppFile.bytesMax).bytes } catch {
                Console.complain("cannot read \(file), which is left out: \(error)")
                continue
            }
            guard let app = AppFile.read(bytes, file: file, environment: given.environment).appFile else {
                Console.complain("\(file) has errors and is left out; associated lint shows them")
                continue
            }
            for host in app.hosts { apps[host.text, default: []].append(app) }
        }
        (files, live) = (nil, nil)
        self.apps = apps.mapValues(Renderer.mergeOrder)
        configPath = given.path
    }

    /// Published files.
    private static func published(_ arguments: ParsedArguments) throws(Refusal) -> LinkMatching {
        let names = ["--apple", "--android"].compactMap { arguments[$0] }
        var matching = LinkMatching(origin: names.joined(separator: " together with "))
        if let path = arguments["--apple"] { try matching.readApple(try InputFile.read(path), file: path) }
        if let path = arguments["--android"] { try matching.readAndroid(try InputFile.read(path), file: path) }
        return matching
    }

    private static func manifest(_ path: String) throws(Refusal) -> AndroidManifest {
        var findings: [Finding] = []
        let manifest = AndroidManifest(try InputFile.read(path), file: path, findings: &findings)
        for finding in findings { Console.error(finding) }
        guard let manifest else { throw .failure("\(path) is no Android manifest that can be read") }
        return manifest
    }

    /// What decides about the URLs of a host: its own app files, else those of the most specific wildcard over it.
    mutating func matching(for url: LinkURL) -> LinkMatching {
        if let files { return files.with(manifest) }
        let place = live == nil ? url.host : LiveFiles.place(of: url)
        if let matching = known[place] { return matching }
        let matching = (live.map { LinkMatching(of: url, live: $0) } ?? configured(for: url)).with(manifest)
        if known.count >= MatchSource.knownMax { known.removeAll() }
        known[place] = matching
        return matching
    }

    private func configured(for url: LinkURL) -> LinkMatching {
        var names = [url.host]
        var rest = url.host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            names.append("*.\(rest)")
        }
        let apps = names.first { self.apps[$0] != nil }.flatMap { self.apps[$0] } ?? []
        return LinkMatching(of: apps, configPath: configPath)
    }
}
