// `associated import`: converts existing association files to app files. `ImportedApps` has the conversion.

import Association
import AssociationImport
import AssociationSnippets
import Client
import Posix
import Supervision
import TLS
import Verifier

extension Command {
    static let importFiles = Command(
        name: "import", summary: "convert existing association files to app files",
        details: """
            Converts existing association files to app files with the same meaning. The input is an
            apple-app-site-association file (plain or signed), a statement list (assetlinks.json), or one of each, as files or
            https URLs. A directory, or a URL without a path such as https://shop.example.com, stands for both files in it or
            in its .well-known/.

            The app files are printed, each after a line with its name, or written to --output. Import is lenient: content that
            phones would reject is converted too, misspelt keys are read as they were meant, and invalid values get a comment.
            The errors and warnings of the files, and what an app file cannot express, are reported on standard error.
            An app file that names further hosts is never replaced, also not with --force; if one is in the way, nothing is
            written.
            """,
        operands: Operands(usage: "FILE|DIR|URL [FILE|URL]", counts: 1...2),
        options: [
            Option(
                name: "--host", value: "HOST",
                help: "host of the files (repeatable; default: the host of the URL)", isRepeatable: true),
            Option(
                name: "--name", value: "NAME",
                help: "name of the app and of its file, if there is only one app (default: a word of its id)"),
            Option(
                name: "--output", value: "DIR",
                help: "directory to write the app files to, such as config/apps (default: print them)"),
            .force, .resolve, .authority,
        ],
        failure:
            "a file could not be read or written, the files name no app, or an app, a statement, a rule or a host is in no app file"
    ) { arguments throws(Refusal) in
        let locations = arguments.operands.filter { $0.hasPrefix("https://") }.compactMap(WebLocation.init(typed:))
        if !arguments.has("--host"), let first = locations.first?.host.name,
            let other = locations.map(\.host.name).first(where: { $0 != first })
        {
            throw .usage("the URLs are of different hosts, \(first) and \(other); import each host on its own")
        }
        var inputs: [(path: String, bytes: [UInt8])] = []
        var missing: [String] = []
        for operand in arguments.operands {
            do throws(Refusal) { inputs += try files(at: operand, arguments, &missing) } catch {
                if error.isUsage { throw error }
                missing.append(error.message)
            }
        }
        guard !inputs.isEmpty else {
            for reason in missing { Console.complain(reason) }
            return .failure
        }
        guard let hosts = arguments.all("--host") ?? locations.first.map({ [$0.host.name] }) else {
            return .usage(saying: "import needs --host HOST, because association files do not name their host")
        }
        for host in hosts {
            guard case .failure(let fault) = HostPattern.parse(host) else { continue }
            throw .usage("\(host) is not a host: \(fault.explained.reason); \(fault.explained.fix)")
        }
        var apps = ImportedApps(hosts: hosts, signedContent: SignedDocument.content)
        for (path, bytes) in inputs {
            switch apps.add(bytes, file: path) {
            case .otherKind:
                missing.append(
                    "unknown file type: \(path) (neither an apple-app-site-association file nor a statement list)")
            case .secondOfKind(let first):
                throw .usage("\(first) and \(path) are two files of the same kind; import each host on its own")
            case .unreadable(let findings):
                report(findings, of: path)
                missing.append("cannot import \(path); correct these errors first")
            case .added(let findings, let fixes):
                report(findings, of: path)
                let isRejected = findings.contains(where: \.isFatal)
                if isRejected || fixes != nil {
                    Console.complain(
                        (isRejected ? "phones reject \(path); " : "")
                            + "imported \(isRejected ? "its content" : path) as it was meant"
                            + (fixes.map { ", with \($0)" } ?? ""))
                }
            }
        }
        let files: [GeneratedFile]
        do throws(ImportTooLarge) {
            files = try apps.files(name: arguments["--name"]).map { GeneratedFile(name: $0.name, text: $0.text) }
        } catch {
            throw .failure(error.message)
        }
        for reason in missing { Console.complain(reason + (files.isEmpty ? "" : "; imported without it")) }
        for remark in apps.remarks { Console.complain(remark) }
        guard !files.isEmpty else { return missing.isEmpty ? .failure(saying: "the files name no app") : .failure }
        let output = arguments["--output"]
        let present = output.map { PresentAppFiles(in: $0, for: files, hosts: hosts, force: arguments.has("--force")) }
        for message in present?.messages ?? [] { Console.complain(message) }
        if present?.isInTheWay == true {
            if files.count > 1 { Console.complain("none of the \(files.count) files was written") }
            return .failure
        }
        let new = files.filter { present?.current.contains($0.name) != true }
        let isWritten = try !OutputFile.write(new, to: output, force: arguments.has("--force")).contains(.kept)
        if let output, isWritten { Console.error(line: "next: \(nextStep(from: output, host: hosts[0]))") }
        return isWritten && missing.isEmpty && !apps.hasLoss ? .success : .failure
    }

    /// More are of no use in a terminal.
    private static let findingsMax = 100

    private static func report(_ findings: [Finding], of path: String) {
        for finding in findings.prefix(findingsMax) { Console.error(finding) }
        if findings.count > findingsMax {
            Console.complain("and \(Count.of(findings.count - findingsMax, "more finding")) in \(path)")
        }
    }

    private static func nextStep(from folder: String, host: String) -> String {
        let path = folder.split(separator: "/", omittingEmptySubsequences: false).filter { $0 != "." && $0 != "" }
        let root = folder.hasPrefix("/") ? "/" : ""
        guard let apps = path.lastIndex(of: "apps"), apps == path.endIndex - 1 else {
            let own = root + path.joined(separator: "/")
            let above = path.lastIndex(of: "apps").map { root + path[..<$0].joined(separator: "/") } ?? "config"
            let config = Directory.exists("\(above)/apps") ? above : own
            return "move the files to \(config)/apps, then run `associated lint \(config)`"
        }
        let parent = path[..<apps].joined(separator: "/")
        let config = root + (parent.isEmpty ? "." : parent)
        return
            "run `associated lint \(config)`, then `associated render \(host) --config \(config) --diff` to compare with what the "
            + "host serves now"
    }

    /// What an operand names. Of a directory or a host, it is both files, or the one that is there.
    /// - Parameter missing: gets why a file could not be read that does not just not exist.
    private static func files(
        at operand: String, _ arguments: ParsedArguments, _ missing: inout [String]
    ) throws(Refusal) -> [(path: String, bytes: [UInt8])] {
        let isFolder = Directory.exists(operand)
        guard isFolder || operand.hasPrefix("https://") && WebLocation(typed: operand)?.path == "/" else {
            return [(operand, try read(operand, arguments))]
        }
        let base = operand.hasSuffix("/") ? String(operand.dropLast()) : operand
        var found: [(String, [UInt8])] = []
        let missingBefore = missing.count
        for place in [AssociationPath.apple, AssociationPath.statements] {
            let places = isFolder ? [place, place.replacing("/.well-known", with: "")] : [place]
            guard let path = places.map({ base + $0 }).first(where: { !isFolder || File.exists($0) }) else { continue }
            do throws(Refusal) {
                if isFolder {
                    found.append((path, try read(path, arguments)))
                } else if let host = WebLocation(typed: path)?.host,
                    let bytes = try LiveFiles.fetch(place, of: host, LiveFiles.fetcher(arguments))
                {
                    found.append((path, bytes))
                } else {
                    Console.complain("\(path) does not exist")
                }
            } catch {
                missing.append(error.message)
            }
        }
        guard !found.isEmpty else {
            throw .failure(
                missing.count == missingBefore
                    ? "\(operand) has no apple-app-site-association and no assetlinks.json, also not in .well-known/"
                    : "no file of \(operand) could be read, so nothing was imported")
        }
        return found
    }

    private static func read(_ path: String, _ arguments: ParsedArguments) throws(Refusal) -> [UInt8] {
        if path.hasPrefix("http://") {
            throw .usage("\(path) is not a https URL; phones fetch these files by https only")
        }
        guard path.hasPrefix("https://") else { return try InputFile.read(path, bytesMax: StatementList.bytesMax) }
        guard let location = WebLocation(typed: path) else {
            throw .usage("\(path) is not a URL of the form https://host/path")
        }
        switch try LiveFiles.fetcher(arguments).fetch(location.path, of: location.host) {
        case .success(let bytes): return bytes
        case .failure(let error): throw .failure("cannot fetch \(path): \(error)")
        }
    }
}
