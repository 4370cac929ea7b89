// `associated import`: converts existing association files to app files. `ImportedApps` has the conversion.

import Association
import Client
import Verifier

extension Command {
    static let importFiles = Command(
        name: "import", summary: "convert existing association files to app files",
        details: """
            Converts existing association files to app files with the same meaning. The input is an
            apple-app-site-association file (plain or signed), a statement list (assetlinks.json), or one of each, as files or
            https URLs.

            The app files are printed, each after a line with its name, or written to --output. Import is lenient: content that
            phones would reject is converted too, and invalid values get a comment. Anything that cannot be expressed in an app
            file, or needs your attention, is reported on standard error.
            """,
        operands: Operands(usage: "FILE|URL [FILE|URL]", counts: 1...2),
        options: [
            Option(
                name: "--host", value: "HOST",
                help: "host of the files (repeatable; default: the host of the URL)", isRepeatable: true),
            Option(
                name: "--name", value: "NAME",
                help: "name of the app, if the files name only one (default: the host)"),
            Option(
                name: "--output", value: "DIR",
                help: "directory to write the app files to, such as config/apps (default: print them)"),
            .force, .resolve, .authority,
        ],
        failure: "a file could not be read or written, or the files name no app"
    ) { arguments throws(Refusal) in
        let locations = arguments.operands.filter { $0.hasPrefix("https://") }.compactMap(WebLocation.init(typed:))
        guard let hosts = arguments.all("--host") ?? locations.first.map({ [$0.host.name] }) else {
            return .usage(saying: "import needs --host HOST, because association files do not name their host")
        }
        var apps = ImportedApps(hosts: hosts)
        for path in arguments.operands {
            switch apps.add(try read(path, arguments), file: path) {
            case .otherKind:
                return .failure(
                    saying:
                        "unknown file type: \(path) (neither an apple-app-site-association file nor a statement list)")
            case .unreadable(let finding):
                if let finding { Console.error(finding) }
                return .failure(saying: "cannot import \(path)")
            case .added(let finding?):
                Console.error(finding)
                Console.complain("phones reject \(path) because of this error; imported its content as intended")
            case .added(nil): break
            }
        }
        let files = apps.files(name: arguments["--name"])
        for remark in apps.remarks { Console.complain(remark) }
        guard !files.isEmpty else { return .failure(saying: "the files name no app") }
        return try OutputFile.write(files, to: arguments["--output"], force: arguments.has("--force"))
    }

    private static func read(_ path: String, _ arguments: ParsedArguments) throws(Refusal) -> [UInt8] {
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
