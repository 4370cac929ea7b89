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
            .resolve, .authority,
        ]
    ) { arguments in
        guard let hosts = arguments.all("--host") else {
            return .usage(saying: "import needs --host HOST: association files do not say whose they are")
        }
        var apps = ImportedApps(hosts: hosts)
        for path in arguments.operands {
            let bytes: [UInt8]
            switch read(path, arguments) {
            case .failure(let reason): return .failure(saying: reason.description)
            case .success(let content): bytes = content
            }
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
        for remark in apps.remarks { Console.error("associated: \(remark)\n") }
        guard !files.isEmpty else { return .failure(saying: "the files name no app") }
        return Snippet.write(files, to: arguments["--output"])
    }

    private static func read(_ path: String, _ arguments: ParsedArguments) -> Result<[UInt8], UsageError> {
        guard path.hasPrefix("https://") else {
            do throws(FileError) {
                return .success(try Posix.File.read(path, bytesMax: StatementList.bytesMax).bytes)
            } catch {
                return .failure(UsageError(description: "cannot read \(path): \(error)"))
            }
        }
        guard let location = WebLocation(path) else {
            return .failure(UsageError(description: "\(path) is no address of the form https://host/path"))
        }
        return LiveFiles.fetcher(arguments).flatMap { live in
            live.fetch(location.path, of: location.host).mapError { error in
                UsageError(description: "cannot fetch \(path): \(error)")
            }
        }
    }
}
