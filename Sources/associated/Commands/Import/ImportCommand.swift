// `associated import`: app files from association files written elsewhere. How these are taken apart is in
// `ImportedApps`.

import Association
import Client
import Glibc
import Posix
import TLS
import Verifier

extension Command {
    static let importFiles = Command(
        name: "import", summary: "turn association files written elsewhere into app files",
        details: """
            Reads an apple-app-site-association file, signed ones too, a statement list, or both, from files or https URLs,
            and prints app files that render to the same meaning, each under a line with its name; or writes them into the
            folder of --output. Reading is lenient: what phones would reject is imported too, and what is not valid in it
            gets a comment. Anything that an app file cannot express is reported on standard error.
            """,
        operands: Operands(usage: "FILE|URL [FILE|URL]", counts: 1...2),
        options: [
            Option(
                name: "--host", value: "HOST",
                help: "host that the files are for; may be repeated (default: the host of the URL)",
                isRepeatable: true),
            Option(
                name: "--name", value: "NAME",
                help: "name of the app, if the files name one only (default: the host)"),
            Option(name: "--output", value: "DIR", help: "folder to write the app files into, such as config/apps"),
            .force, .resolve, .authority,
        ]
    ) { arguments throws(Refusal) in
        let locations = arguments.operands.filter { $0.hasPrefix("https://") }.compactMap(WebLocation.init(typed:))
        guard let hosts = arguments.all("--host") ?? locations.first.map({ [$0.host.name] }) else {
            return .usage(saying: "import needs --host HOST: association files do not name their host")
        }
        var apps = ImportedApps(hosts: hosts)
        for path in arguments.operands {
            switch apps.add(try read(path, arguments), file: path) {
            case .otherKind:
                return .failure(
                    saying:
                        "cannot tell what \(path) is: neither an apple-app-site-association file nor a statement list")
            case .unreadable(let finding):
                if let finding { Console.error(finding) }
                return .failure(saying: "cannot import \(path)")
            case .added(let finding?):
                Console.error(finding)
                Console.complain("phones read nothing of \(path) because of that; imported what it was meant to say")
            case .added(nil): break
            }
        }
        let files = apps.files(name: arguments["--name"])
        for remark in apps.remarks { Console.complain(remark) }
        guard !files.isEmpty else { return .failure(saying: "the files name no app") }
        return OutputFile.write(files, to: arguments["--output"], force: arguments.has("--force"))
    }

    private static func read(_ path: String, _ arguments: ParsedArguments) throws(Refusal) -> [UInt8] {
        guard path.hasPrefix("https://") else { return try InputFile.read(path, bytesMax: StatementList.bytesMax) }
        guard let location = WebLocation(typed: path) else {
            throw .usage("\(path) is no address of the form https://host/path")
        }
        switch try LiveFiles.fetcher(arguments).fetch(location.path, of: location.host) {
        case .success(let bytes): return bytes
        case .failure(let error): throw .failure("cannot fetch \(path): \(error)")
        }
    }
}
