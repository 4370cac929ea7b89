// `associated render`: the documents of a host, byte for byte as `serve` sends them without compression.

import Association
import Catalogue
import Client
import Hosting
import Posix
import SourceJSON
import TLS
import Verifier

extension Command {
    static let render = Command(
        name: "render", summary: "print or write the association files of a host, byte for byte",
        details: """
            Prints the association files that a freshly started server would send for HOST, byte for byte and
            uncompressed: the file for apple (or ios), the file for android, or both. Signatures, and files in config/hosts/ that
            replace generated ones, are included. The last good versions that a running server keeps are not included.

            --output writes the files to DIR/HOST/.well-known/ instead, for a website that serves them as static files.
            --diff compares them with what the live host serves and shows the differences. --all does either for every
            host, --diff without wildcards.
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
        failure: "the host is not served, has no such file, or --diff found a difference"
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
        let given = try GivenConfiguration(answering: arguments)
        let loaded = try given.load()
        let wanted = platform.map { [$0] } ?? platforms
        guard let host = arguments.operands.first else {
            for finding in loaded.findings where finding.severity == .error { Console.error(finding) }
            if let folder = arguments["--output"] { return try export(loaded.hosts, wanted, of: loaded, to: folder) }
            let outcomes = try loaded.hosts.filter { !$0.hasPrefix("*") }.map { host throws(Refusal) in
                try compare(host, documents(of: host, in: loaded) ?? [:], wanted, arguments)
            }
            return outcomes.contains(.failure) ? .failure : .success
        }
        guard let documents = documents(of: host, in: loaded) else {
            let errors = loaded.findings.filter { $0.severity == .error }
            for finding in errors { Console.error(finding) }
            if errors.isEmpty {
                let advice = NearestWord.advice(for: host, among: loaded.hosts).map { "; \($0)" } ?? ""
                return .failure(saying: "\(host) is not served from \(given.path)\(advice)")
            }
            return .failure(
                saying: "\(host) cannot be rendered because of the error\(errors.count == 1 ? "" : "s") above; "
                    + "a running server may still serve its last good version")
        }
        if let folder = arguments["--output"] { return try export([host], wanted, of: loaded, to: folder) }
        if arguments.has("--diff") { return try compare(host, documents, wanted, arguments) }
        for name in wanted {
            if let bytes = documents[name] { Console.output(data: bytes) }
        }
        guard wanted.contains(where: { documents[$0] != nil }) else {
            return .failure(saying: "\(host) has no association file for \(String.alternatives(wanted))")
        }
        return .success
    }

    /// The files by platform.
    private static let paths = ["apple": AssociationPath.apple, "android": AssociationPath.statements]

    /// Writes the documents of hosts to the paths that a static website serves.
    private static func export(
        _ hosts: [String], _ wanted: [String], of loaded: LoadedConfiguration, to folder: String
    ) throws(Refusal) -> ExitStatus {
        var count = 0
        for host in hosts {
            guard let documents = documents(of: host, in: loaded) else { continue }
            for name in wanted {
                guard let bytes = documents[name], let file = paths[name] else { continue }
                let path = "\(folder)/\(HostFolders.name(of: host))\(file)"
                if try !OutputFile.create(path, bytes) { try OutputFile.replace(path, bytes) }
                Console.output(line: path)
                count += 1
            }
        }
        return count > 0 ? .success : .failure(saying: "no host has an association file to write")
    }

    /// Shows how the documents of the live host differ from those of this configuration.
    private static func compare(
        _ host: String, _ documents: [String: [UInt8]], _ wanted: [String], _ arguments: ParsedArguments
    ) throws(Refusal) -> ExitStatus {
        let live = try LiveFiles.fetcher(arguments)
        guard let checked = CheckedHost(typed: host) else { throw .usage("\(host) is not a host name") }
        var status = ExitStatus.success
        for name in wanted {
            guard let expected = documents[name], let path = paths[name] else { continue }
            switch live.fetch(path, of: checked) {
            case .failure(let error):
                status = .failure(saying: "cannot fetch https://\(host)\(path): \(error)")
            case .success(let served) where served == expected: continue
            case .success(let served):
                status = .failure
                let difference = UnifiedDifference(
                    from: readable(served), to: readable(expected), path: "https://\(host)\(path)"
                ).text
                Console.output(
                    difference.isEmpty ? "https://\(host)\(path): same values, different bytes\n" : difference)
            }
        }
        return status
    }

    /// JSON with one value per line, so that a difference is a line; anything else unchanged.
    private static func readable(_ bytes: [UInt8]) -> String {
        let document = SourceReader.read(SignedDocument.content(of: bytes) ?? bytes, as: .json)
        guard document.isAcceptable, let value = document.value else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: SourceWriter.canonical(value), as: UTF8.self)
    }

    /// The bodies by platform; nil if the host is not served.
    private static func documents(of host: String, in loaded: LoadedConfiguration) -> [String: [UInt8]]? {
        let typed = HostPattern.typed(host)
        let name = typed.hasSuffix(".") ? String(typed.dropLast()) : typed
        guard loaded.catalogue.reading({ $0.knows(name) }) else { return nil }
        return paths.compactMapValues { loaded.catalogue.bytes(host: name, path: $0) }
    }
}
