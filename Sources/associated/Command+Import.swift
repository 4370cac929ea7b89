// `associated import`: app files from association files that somebody else wrote. How they are taken apart is in
// `ImportedApps`.

import Association
import Glibc
import Posix
import TLS
import Verifier

extension Command {
    static let importFiles = Command(
        name: "import", summary: "turn association files written elsewhere into app files",
        details: """
            Reads an apple-app-site-association file, signed ones too, a statement list, or both, from files or https URLs, and prints app files that
            render to the same meaning, each under a line with its name; or writes them into the folder of --output. What an
            app file cannot say, and what to look at, goes to standard error.
            """,
        operands: Operands(usage: "FILE|URL [FILE|URL]", counts: 1...2),
        options: [
            Option(
                name: "--host", value: "HOST", help: "a host that the files are for; may be repeated",
                isRepeatable: true),
            Option(name: "--output", value: "DIR", help: "the folder to write the app files into, such as config/apps"),
            .force, .resolve, .authority,
        ]
    ) { arguments in
        guard let hosts = arguments.all("--host") else {
            return .usage(saying: "import needs --host HOST: association files do not say whose they are")
        }
        var apps = ImportedApps(hosts: hosts)
        for path in arguments.operands {
            let bytes: [UInt8]
            do throws(Refusal) { bytes = try read(path, arguments) } catch { return error.status }
            guard let findings = apps.add(bytes, file: path) else {
                return .failure(
                    saying:
                        "cannot tell what \(path) is: neither an apple-app-site-association file nor a statement list")
            }
            if let error = findings.first(where: { $0.severity == .error && $0.range != nil }) ?? findings.first {
                if apps.isRejected { Console.error(error) }
            }
            if apps.isRejected { return .failure(saying: "\(path) cannot be read; associated lint --fix may mend it") }
        }
        let files = apps.files()
        for remark in apps.remarks { Console.complain(remark) }
        guard !files.isEmpty else { return .failure(saying: "the files name no app") }
        return OutputFile.write(files, to: arguments["--output"], force: arguments.has("--force"))
    }

    private static func read(_ path: String, _ arguments: ParsedArguments) throws(Refusal) -> [UInt8] {
        guard path.hasPrefix("https://") else {
            do throws(FileError) {
                return try Posix.File.read(path, bytesMax: StatementList.bytesMax).bytes
            } catch {
                throw .failure("cannot read \(path): \(error)")
            }
        }
        guard let location = WebLocation(typed: path) else {
            throw .usage("\(path) is no address of the form https://host/path")
        }
        switch try LiveFiles.fetcher(arguments).fetch(location.path, of: location.host) {
        case .success(let bytes): return bytes
        case .failure(let error): throw .failure("cannot fetch \(path): \(error)")
        }
    }
}
