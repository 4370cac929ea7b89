// `associated snippet`: generates the native files for an app's project. `Snippet` and the templates have the content of the files.

import Association
import Hosting
import Posix

extension Command {
    static let snippet = Command(
        name: "snippet",
        summary: "generate the native files for an app's project: entitlements, manifests, handlers; page tags",
        details: """
            Generates the native files for APP's project from the app file. APP is the app's name, its app file, or the
            file's name.

            The files are printed, each after a line with its name, or written to --output, which may be the project itself;
            existing files are not overwritten unless --force is given. A file that is merged into one of the project never
            replaces it: entitlements, whatever their name, and an Info.plist in XML get the entries that they lack; others,
            such as AndroidManifest.xml, are written beside it, with the ending .associated. With --output, the remaining
            steps are printed on standard error.
            """,
        operands: Operands(usage: "APP \(Snippet.Kind.allCases.map(\.rawValue).joined(separator: "|"))", counts: 2...2),
        options: [
            .config, .environment,
            Option(
                name: "--mode", value: "MODE",
                help:
                    "mode of the entitlements, for test builds: developer, managed or developer+managed (default: none)",
                words: Snippet.modes),
            Option(name: "--output", value: "DIR", help: "directory to write the files to (default: print them)"),
            .force,
        ],
        failure: "the app file does not exist or has errors, or a file was not written"
    ) { arguments throws(Refusal) in
        let word = arguments.operands[1]
        guard let kind = Snippet.Kind(rawValue: word == "apple" ? "ios" : word) else {
            let known = Snippet.Kind.allCases.map(\.rawValue)
            let advice = NearestWord.advice(for: word, among: known)
            return .usage(
                saying: "unknown project type \"\(word)\"; "
                    + (advice ?? "name \(String.alternatives(known))"))
        }
        if let mode = arguments["--mode"], !Snippet.modes.contains(mode) {
            throw .usage("--mode must be \(String.alternatives(Snippet.modes)), not \(mode)")
        }
        let project = arguments["--output"].map(NativeProject.init)
        var snippet = Snippet(app: try AppSearch.find(arguments.operands[0], arguments), mode: arguments["--mode"])
        if kind == .reactNative, let target = try project?.target(or: snippet.identifier) { snippet.target = target }
        let files = try snippet.files(for: kind).map { project?.placed($0) ?? $0 }
        let outcomes = try OutputFile.write(files, to: project?.folder, force: arguments.has("--force"))
        for step in snippet.steps(for: kind, Array(zip(files, outcomes))) where project != nil {
            Console.error(line: "next: \(step)")
        }
        return outcomes.contains(.kept) ? .failure : .success
    }
}

extension Snippet {
    fileprivate static let modes = ["developer", "managed", "developer+managed"]
}

/// Finds an app file by its path, its file name or the name of its app.
enum AppSearch {
    static func find(_ name: String, _ arguments: ParsedArguments) throws(Refusal) -> AppFile {
        // The name of an app may contain a slash, so a path that does not exist may be a name.
        let isFile = (try? File.status(name)).map { $0.isRegular || name.contains("/") } ?? false
        let given = try GivenConfiguration(answering: arguments, about: isFile ? name : nil)
        let files = isFile ? nil : given.appFiles
        var names: [String] = []
        for path in isFile ? [name] : files?.paths ?? [] {
            // Another file that cannot be read is no obstacle.
            guard let bytes = isFile ? try InputFile.read(path) : files?.bytes(of: path) else { continue }
            let reading = AppFile.read(bytes, file: path, environment: given.environment)
            let stem = path.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
            let isNamed =
                isFile || stem == name || path.hasSuffix("/\(name)")
                || reading.appFile?.name.lowercased() == name.lowercased()
            names.append(stem)
            guard isNamed else { continue }
            guard let app = reading.appFile else {
                for finding in reading.findings where finding.severity == .error { Console.error(finding) }
                throw .failure("\(path) has errors, so there is nothing to generate from; fix them first")
            }
            return app
        }
        let advice = NearestWord.advice(for: name, among: names)
        throw .failure("no app \"\(name)\" in \(given.path)/apps; \(advice ?? "name an app file")")
    }
}
