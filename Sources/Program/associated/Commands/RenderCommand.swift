// `associated render`: the documents of a host, byte for byte as `serve` sends them without compression.

import Association
import AssociationLint
import Catalogue
import Client
import Hosting
import Posix
import SourceJSON
import Supervision
import TLS
import Verifier

extension Command {
    static let render = Command(
        name: "render", summary: "print or write the association files of a host, byte for byte",
        details: """
            Prints the association files that a freshly started server would send for HOST, byte for byte and
            uncompressed: the file for apple (or ios), the file for android, or both. Signatures, and files in config/hosts/ that
            replace generated ones, are included. The last good versions that a running server keeps are not included.

            --output writes the files to DIR/HOST/.well-known/ instead, for a website that serves them as static files,
            with those of passkeys (passkey-endpoints, webauthn).
            --diff compares them with what the live host serves and shows the differences. --all does either for every
            host, --diff without wildcards. A host that an app file with errors names is not written.
            """,
        operands: Operands(usage: "[HOST [apple|ios|android]]", counts: 0...2),
        options: [
            .config, .publicFolder, .environment,
            Option(name: "--all", value: nil, help: "instead of HOST, with --output or --diff: every host"),
            Option(
                name: "--output", value: "DIR",
                help: "directory to write the files to, replacing existing ones (default: print them)"),
            Option(name: "--diff", value: nil, help: "compare with the live host and show the differences"), .resolve,
            .authority,
        ],
        failure: "a host was left out or is not served, has no such file, or --diff found a difference"
    ) { arguments in
        guard arguments.has("--all") == arguments.operands.isEmpty else {
            return .usage(
                saying: arguments.has("--all") ? "give HOST or --all, not both" : "render needs one of HOST, --all")
        }
        let ways = [arguments.has("--output"), arguments.has("--diff")].count { $0 }
        if ways > 1 { return .usage(saying: "give --diff or --output, not both") }
        if ways == 0, arguments.has("--all") { return .usage(saying: "--all needs one of --output DIR, --diff") }
        let platforms = ["apple", "android"]
        let platform = arguments.operands.dropFirst().first?.asPlatform
        if let platform, !platforms.contains(platform) {
            return .usage(saying: "unknown platform \"\(platform)\"; name \(String.alternatives(platforms.withIOS))")
        }
        let wanted = platform.map { [$0] } ?? platforms + (ways > 0 ? passkeyFiles : [])
        let chosen = try RenderedHosts(arguments)
        let status =
            if let folder = arguments["--output"] {
                try export(
                    chosen.names.filter { !chosen.incomplete.contains($0) }, wanted, of: chosen.loaded, to: folder)
            } else if arguments.has("--diff") {
                try compare(chosen.names, wanted, of: chosen.loaded, arguments)
            } else {
                show(chosen.names[0], wanted, of: chosen.loaded)
            }
        return chosen.isWhole ? status : .failure
    }

    /// The files by platform.
    private static let paths = [
        "apple": AssociationPath.apple, "android": AssociationPath.statements,
        "passkey-endpoints": AssociationPath.passkeyEndpoints, "webauthn": AssociationPath.relatedOrigins,
    ]
    /// Beside those of both platforms, where an app has passkeys.
    private static let passkeyFiles = ["passkey-endpoints", "webauthn"]

    /// Prints the documents of a host.
    private static func show(_ host: String, _ wanted: [String], of loaded: LoadedConfiguration) -> ExitStatus {
        let found = wanted.compactMap { documents(of: host, in: loaded)?[$0] }
        for bytes in found { Console.output(data: bytes) }
        if !found.isEmpty { return .success }
        return .failure(saying: "\(host) has no association file for \(String.alternatives(wanted))")
    }

    /// Writes the documents of hosts to the paths that a static website serves.
    private static func export(
        _ hosts: [String], _ wanted: [String], of loaded: LoadedConfiguration, to folder: String
    ) throws(Refusal) -> ExitStatus {
        var count = 0
        for host in hosts {
            guard let documents = documents(of: host, in: loaded) else { continue }
            for name in wanted {
                guard let bytes = documents[name], let file = paths[name] else { continue }
                let place = "\(HostFolders.name(of: host))\(file)"
                let path = "\(folder)/\(place)"
                try OutputFile.checkPlace(place, in: folder)
                if try !OutputFile.create(path, bytes) { try OutputFile.replace(path, bytes) }
                Console.output(line: path)
                count += 1
            }
        }
        return count > 0 ? .success : .failure(saying: "no host has an association file to write")
    }

    /// Shows how the documents of live hosts differ from those of this configuration. Nothing can be fetched from a wildcard.
    private static func compare(
        _ hosts: [String], _ wanted: [String], of loaded: LoadedConfiguration, _ arguments: ParsedArguments
    ) throws(Refusal) -> ExitStatus {
        let live = try LiveFiles.fetcher(arguments)
        var status = ExitStatus.success
        for host in hosts where arguments.has("--all") ? !host.hasPrefix("*") : true {
            guard let checked = CheckedHost(typed: arguments.operands.first ?? host) else {
                throw .usage("\(host) is not a host name")
            }
            let documents = documents(of: host, in: loaded) ?? [:]
            for name in wanted {
                // A host may have such files of its own.
                guard let path = paths[name], documents[name] != nil || !passkeyFiles.contains(name) else { continue }
                let place = "https://\(checked)\(path)"
                do throws(Refusal) {
                    var served = try LiveFiles.fetch(path, of: checked, live, isExpected: documents[name] != nil)
                    // A website may answer any path with a page.
                    if documents[name] == nil, Linter.recognise(served ?? []) == .unknown { served = nil }
                    if served == documents[name] { continue }
                    status = .failure
                    let difference = UnifiedDifference(
                        from: readable(served), to: readable(documents[name]), path: place,
                        exists: (served != nil, documents[name] != nil)
                    ).text
                    Console.output(difference.isEmpty ? "\(place): same values, different bytes\n" : difference)
                } catch {
                    status = .failure(saying: error.message)
                }
            }
        }
        return status
    }

    /// JSON with one value per line, so that a difference is a line; anything else unchanged.
    private static func readable(_ bytes: [UInt8]?) -> String {
        guard let bytes else { return "" }
        let document = SourceReader.read(SignedDocument.content(of: bytes) ?? bytes, as: .json)
        guard document.isAcceptable, let value = document.value else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: SourceWriter.canonical(value), as: UTF8.self)
    }

    /// The bodies by platform; nil if the host is not served.
    private static func documents(of name: String, in loaded: LoadedConfiguration) -> [String: [UInt8]]? {
        guard loaded.catalogue.reading({ $0.knows(name) }) else { return nil }
        return paths.compactMapValues { loaded.catalogue.bytes(host: name, path: $0) }
    }
}

/// The hosts to render. Those that app files with errors name are incomplete: they are shown, but not written.
private struct RenderedHosts {
    let loaded: LoadedConfiguration
    let names: [String]
    let incomplete: Set<String>
    /// Whether there is no error.
    let isWhole: Bool

    /// Those of the arguments; reports the errors that concern them.
    init(_ arguments: ParsedArguments) throws(Refusal) {
        let given = try GivenConfiguration(answering: arguments)
        do throws(ConfigurationError) { loaded = try given.load() } catch { throw .failure("\(error)") }
        let host = arguments.operands.first.map(RenderedHosts.name)
        let refused = RenderedHosts.refused(loaded, given, naming: host)
        let errors = loaded.findings.filter { finding in
            guard finding.severity == .error, let host else { return finding.severity == .error }
            return refused[finding.file] != nil || finding.file.contains("/hosts/\(HostFolders.name(of: host))/")
        }
        for finding in errors { Console.error(finding) }
        (isWhole, incomplete) = (errors.isEmpty, Set(refused.values.joined()))
        names = host.map { [$0] } ?? loaded.hosts
        guard let host, !loaded.catalogue.reading({ $0.knows(host) }) else {
            for (file, hosts) in refused.sorted(by: { $0.key < $1.key }) {
                let hosts = hosts.isEmpty ? "" : " of \(hosts.sorted().joined(separator: ", "))"
                Console.complain("\(file) has errors, so its part\(hosts) is left out")
            }
            return
        }
        guard errors.isEmpty else {
            throw .failure(
                "\(host) cannot be rendered because of the error\(errors.count == 1 ? "" : "s") above; "
                    + "a running server may still serve its last good version")
        }
        let advice = NearestWord.advice(for: host, among: loaded.hosts).map { "; \($0)" } ?? ""
        throw .failure("\(host) is not served from \(given.path)\(advice)")
    }

    /// A host as a user types it.
    private static func name(of host: String) -> String {
        let typed = HostPattern.typed(host)
        return typed.hasSuffix(".") ? String(typed.dropLast()) : typed
    }

    /// The app files that are not in service, each with the hosts that lack it. One that may not name a served host has no part in it.
    /// - Parameter host: only those that name this host, or the wildcard that would serve it; nil for all.
    private static func refused(
        _ loaded: LoadedConfiguration, _ given: GivenConfiguration, naming host: String?
    ) -> [String: Set<String>] {
        let files = given.appFiles
        let wider = host.map { loaded.hosts.contains($0) ? [] : HostName.wildcards(over: $0) } ?? []
        var refused: [String: Set<String>] = [:]
        for (file, hosts) in loaded.refused {
            // A text that is no JSON is searched for them.
            let bytes = hosts.isEmpty ? files?.bytes(of: file) ?? [] : []
            func isNamed(_ name: String) -> Bool {
                (hosts.contains(name) || !bytes.isEmpty && GivenConfiguration.isNamed(name, in: bytes))
                    && (!loaded.hosts.contains(name) || given.mayName(name, in: file))
            }
            if let host {
                if ([host] + wider).contains(where: isNamed) { refused[file] = [host] }
            } else {
                refused[file] = hosts.union(bytes.isEmpty ? [] : loaded.hosts).filter(isNamed)
            }
        }
        return refused
    }
}
