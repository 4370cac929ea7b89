// `associated snippet`: generates the native files for an app's project. `Snippet` and the templates have the content of the files.

import Association
import AssociationSnippets
import Hosting
import Posix
import Supervision

extension Command {
    static let snippet = Command(
        name: "snippet",
        summary: "generate the native files for an app's project: entitlements, manifests, handlers; page tags",
        details: """
            Generates the native files for APP's project from the app file. APP is the app's name, its app file, the file's
            name, or - for an app file on standard input; it must fit one app file only. A file that names a host of another folder (`owners` in server.json)
            counts as one with errors.

            The files are printed, each after a line with its name, or written to --output, which may be the project itself;
            existing files are not overwritten unless --force is given. A file that is merged into one of the project never
            replaces it: the entitlements that the Xcode project names and an Info.plist in XML get the entries that they
            lack; others, such as AndroidManifest.xml, are written beside it, with the ending .associated. With --output, the
            remaining steps are printed on standard error.
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
        failure: "the app file does not exist or has errors, APP fits several, or a file was not written"
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
        let folder = arguments["--output"]
        let project = folder.map(NativeProject.init(in:))
        let app = try AppSearch.find(arguments.operands[0], arguments)
        var snippet = Snippet(app, mode: arguments["--mode"])
        if kind == .reactNative, let folder, let targets = project?.targets(or: snippet.identifier) {
            guard targets.count == 1 else {
                throw .failure(
                    "\(folder)/ios has several targets: \(targets.joined(separator: ", ")); run the command without --output, and "
                        + "merge what it prints into one of them")
            }
            snippet.target = targets[0]
        }
        let generated = snippet.files(for: kind)
        if generated.isEmpty {
            throw .failure("\(app.file) has no `\(kind.rawValue)` section, so there is nothing to generate")
        }
        let files = generated.map { project?.placed($0) ?? $0 }
        let outcomes = try OutputFile.write(files, to: folder, force: arguments.has("--force"))
        let steps = project.map { snippet.steps(for: kind, in: $0, Array(zip(files, outcomes))) } ?? []
        for step in steps { Console.error(line: "next: \(step)") }
        return outcomes.contains(.kept) ? .failure : .success
    }
}

extension Snippet {
    fileprivate static let modes = ["developer", "managed", "developer+managed"]
}

extension NativeProject {
    /// The project in a folder.
    fileprivate init(in folder: String) {
        self.init(
            entries: { path in
                ((try? Directory.entries("\(folder)/\(path)")) ?? []).map {
                    Entry(name: $0.name, isFolder: $0.kind == .directory)
                }
            },
            text: { path in
                // Xcode's file lists all of a project.
                (try? InputFile.read("\(folder)/\(path)", bytesMax: 64 << 20)).map {
                    String(decoding: $0, as: UTF8.self)
                }
            })
    }
}

/// Finds an app file by its path, its file name or the name of its app.
enum AppSearch {
    static func find(_ name: String, _ arguments: ParsedArguments) throws(Refusal) -> AppFile {
        // The name of an app may contain a slash, so a path that does not exist may be a name.
        let isFile = (try? File.status(name)).map { $0.isRegular || name.contains("/") } ?? false
        if isFile || name == "-" { return try app(at: name, arguments) }
        let given = try GivenConfiguration(answering: arguments)
        guard let files = given.appFiles else {
            throw .failure(
                "there are no app files in \(given.path)/apps; name a configuration with --config or an app file, or create one "
                    + "with `associated init` or `associated import`")
        }
        var names: [String] = []
        var found: [(path: String, reading: (app: AppFile?, errors: [Finding]))] = []
        for path in files.paths {
            // Another file that cannot be read is no obstacle.
            guard let bytes = files.bytes(of: path) else { continue }
            let reading = given.appFile(bytes, file: path)
            let stem = path.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
            names.append(stem)
            guard
                stem == name || path.hasSuffix("/\(name)")
                    || reading.app?.name.lowercased() == name.lowercased()
            else { continue }
            found.append((path, reading))
        }
        if found.count > 1 {
            let listed = found.prefix(candidatesMax).map(\.path).joined(separator: ", ")
            let more = found.count > candidatesMax ? " and \(found.count - candidatesMax) more" : ""
            throw .failure("\"\(name)\" fits \(found.count) app files; name one of them: \(listed)\(more)")
        }
        if let only = found.first { return try app(only.reading, of: only.path) }
        let advice = NearestWord.advice(for: name, among: names)
        throw .failure("no app \"\(name)\" in \(given.path)/apps; \(advice ?? "name an app file")")
    }

    private static let candidatesMax = 20

    /// The app of a file, inside a configuration or not.
    static func app(at file: String, _ arguments: ParsedArguments) throws(Refusal) -> AppFile {
        let enclosing = EnclosingConfiguration(around: file, arguments, base: GivenConfiguration(arguments))
        let given = try GivenConfiguration(answering: arguments, about: file, at: enclosing?.given.path)
        let path = enclosing?.path ?? file
        return try app(given.appFile(try InputFile.read(file), file: path), of: path)
    }

    private static func app(
        _ reading: (app: AppFile?, errors: [Finding]), of path: String
    ) throws(Refusal) -> AppFile {
        if let app = reading.app { return app }
        for finding in reading.errors { Console.error(finding) }
        throw .failure("\(path) has errors, so it is not used; fix them first")
    }
}
