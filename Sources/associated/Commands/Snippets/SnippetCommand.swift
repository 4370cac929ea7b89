// `associated snippet`: the native half of an app file, in files that can be taken over as they are. What they say is in
// `Snippet`, one file for each kind of project.

import Association
import Glibc
import Hosting
import Posix

extension Command {
    static let snippet = Command(
        name: "snippet", summary: "write the native half of an app file: entitlements, manifests, handlers, tags",
        details: """
            Generates the native files for the project of APP (its name, its file, or the file's name without the ending)
            from the app file. They are printed, each under a line with its name, or written into the folder of --output,
            which may be the project itself: files that exist are kept unless --force. What is left to do by hand is
            printed to standard error.
            """,
        operands: Operands(usage: "APP \(Snippet.Kind.allCases.map(\.rawValue).joined(separator: "|"))", counts: 2...2),
        options: [
            .config, .environment,
            Option(
                name: "--mode", value: "MODE",
                help: "entitlements for a test build: developer, managed or developer+managed", words: Snippet.modes),
            Option(name: "--output", value: "DIR", help: "folder to write the files into (default: print them)"),
            .force,
        ]
    ) { arguments throws(Refusal) in
        guard let kind = Snippet.Kind(rawValue: arguments.operands[1]) else {
            let known = Snippet.Kind.allCases.map(\.rawValue)
            let advice = NearestWord.advice(for: arguments.operands[1], among: known)
            return .usage(
                saying: "there is no snippet for \"\(arguments.operands[1])\"; "
                    + (advice ?? "name one of \(known.joined(separator: ", "))"))
        }
        if let mode = arguments["--mode"], !Snippet.modes.contains(mode) {
            throw .usage("--mode \(mode) is none of \(Snippet.modes.joined(separator: ", "))")
        }
        let snippet = Snippet(app: try AppSearch.find(arguments.operands[0], arguments), mode: arguments["--mode"])
        let files = try snippet.files(for: kind)
        let status = OutputFile.write(files, to: arguments["--output"], force: arguments.has("--force"))
        if arguments.has("--output") {
            for step in snippet.steps(for: kind, files) { Console.error(line: "next: \(step)") }
        }
        return status
    }
}

extension Snippet {
    fileprivate static let modes = ["developer", "managed", "developer+managed"]
}

/// Finds an app file by what a person calls it.
enum AppSearch {
    static func find(_ name: String, _ arguments: ParsedArguments) throws(Refusal) -> AppFile {
        // Names of apps may have a slash in them, so what is not there is still looked for among them.
        let isFile = (try? File.status(name)).map { $0.isRegular || name.contains("/") } ?? false
        let given = try GivenConfiguration(answering: arguments, about: isFile ? name : nil)
        let paths = isFile ? [name] : given.appFiles ?? []
        var names: [String] = []
        for path in paths {
            let bytes: [UInt8]
            do throws(Refusal) { bytes = try InputFile.read(path) } catch {
                if isFile { throw error }
                Console.complain(error.message)
                continue
            }
            let reading = AppFile.read(bytes, file: path, environment: given.environment)
            let stem = path.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
            let isNamed = isFile || stem == name || reading.appFile?.name.lowercased() == name.lowercased()
            names.append(stem)
            guard isNamed else { continue }
            guard let app = reading.appFile else {
                for finding in reading.findings where finding.severity == .error { Console.error(finding) }
                throw .failure("\(path) has errors")
            }
            return app
        }
        let advice = NearestWord.advice(for: name, among: names)
        throw .failure("there is no app \"\(name)\" in \(given.path)/apps; \(advice ?? "name an app file")")
    }
}
