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

    init(_ arguments: ParsedArguments) throws(Refusal) {
        let isPublished = arguments.has("--apple") || arguments.has("--android")
        if arguments.has("--live") || isPublished {
            live = arguments.has("--live") ? try LiveFiles.fetcher(arguments) : nil
            files = live == nil ? try MatchSource.published(arguments) : nil
            (apps, configPath) = ([:], "")
            return
        }
        let given = GivenConfiguration(arguments)
        guard let paths = ConfigurationLoader.appFiles(configPath: given.path) else {
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

    /// Files that somebody serves.
    private static func published(_ arguments: ParsedArguments) throws(Refusal) -> LinkMatching {
        var matching = LinkMatching(origin: "the files")
        if let path = arguments["--apple"] {
            let reading = AppleAssociation.read(plain(try read(path)), file: path)
            guard let association = reading.association else {
                throw rejected(path, by: "Apple's systems read", reading.findings)
            }
            matching.apple = LinkMatching.apple(of: association, file: path)
        }
        if let path = arguments["--android"] {
            let reading = StatementList.read(try read(path), file: path)
            guard let list = reading.list else { throw rejected(path, by: "Android reads", reading.findings) }
            matching.android = LinkMatching.android(of: list, file: path)
        }
        return matching
    }

    private static func read(_ path: String) throws(Refusal) -> [UInt8] {
        do throws(FileError) {
            return try File.read(path, bytesMax: AppFile.bytesMax).bytes
        } catch {
            throw .failure("cannot read \(path): \(error)")
        }
    }

    private static func rejected(_ path: String, by reader: String, _ findings: [Finding]) -> Refusal {
        if let finding = findings.first(where: { $0.severity == .error }) ?? findings.first { Console.error(finding) }
        return .failure("\(reader) nothing of \(path), so no app opens anything")
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
                Console.complain("cannot fetch https://\(name)\(path): \(error)")
                return nil
            }
        }
        let apple = "https://\(name)\(AssociationPath.apple)"
        let android = "https://\(name)\(AssociationPath.statements)"
        if let bytes = fetch(AssociationPath.apple),
            let association = AppleAssociation.read(plain(bytes), file: apple).association
        {
            matching.apple = LinkMatching.apple(of: association, file: apple)
        }
        if let bytes = fetch(AssociationPath.statements),
            let list = StatementList.read(bytes, file: android).list
        {
            matching.android = LinkMatching.android(of: list, file: android)
        }
        return matching
    }

    /// The document inside a signed file.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        Linter.recognise(bytes) == .signedAppleAssociation ? SignedMessage.content(of: bytes) ?? bytes : bytes
    }
}
