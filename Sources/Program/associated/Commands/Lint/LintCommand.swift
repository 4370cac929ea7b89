// `associated lint`: checks configurations and single files. `LintedFiles` collects the findings, `FindingFormat` prints them.

import Association
import AssociationLint
import Hosting
import Posix
import Supervision

extension Command {
    static let lint = Command(
        name: "lint", summary: "check a configuration, or single association and app files",
        details: """
            Checks a configuration or single files, and reports findings with their places and, where there is one, a
            fix. While an app file has errors, some checks of the whole file are skipped; run `lint` again after correcting
            them.

            PATH is a configuration (a directory with apps/, hosts/ or server.json), another directory, a file, or - for a file
            on standard input; the default is the directory of --config. A configuration is loaded as `serve` loads it, with
            its certificates. Of a PATH in its apps/, the findings of this file or directory are reported. In any other
            directory, each file is checked on its own. If there is a state directory of a server with this configuration, the
            removals that this server would refuse are reported too.

            The file type is detected from the content: an apple-app-site-association file, a statement list
            (assetlinks.json), an app file, entitlements in XML, or an AndroidManifest.xml. The hosts in entitlements and
            manifests are compared with those of the app files only if --config or ASSOCIATED_CONFIG is given, or a PATH
            is a configuration.

            --fix repairs what phones reject or ignore, and reports the remaining findings. It changes nothing that phones
            read differently today: a misspelt `exclude` in an association file is left to you. In an app file it is
            corrected, because nothing of the file is published before.

            To turn off a warning or note: `lint: { ignore: ["APP-040"] }` in server.json, or the comment
            `// associated-ignore APP-040` anywhere in an app file, for that file. Errors in app files and in the
            configuration cannot be turned off; those in single association files can.
            """,
        operands: Operands(usage: "[PATH…]", counts: 0...10_000),
        options: [
            .config, .publicFolder,
            .state.with(help: "state directory of the server, which tells what is live (default: state)"),
            Option(
                name: "--format", value: "FORMAT",
                help: "output format: text, json, sarif for code scanning, or github for annotations (default: text)",
                words: FindingFormat.allCases.map(\.rawValue)),
            Option(
                name: "--as", value: "KIND",
                help: "treat files as this type instead of detecting it: apple, android, app, entitlements or manifest",
                words: DocumentKind.named.map(\.rawValue)),
            Option(name: "--notes", value: nil, help: "show notes too (default: only their number)"),
            Option(
                name: "--fail-on", value: "SEVERITY",
                help: "lowest severity that causes exit status 1: error, warning or note (default: error)",
                words: Severity.allCases.map(\.rawValue)),
            Option(name: "--fix", value: nil, help: "apply mechanical fixes and show the differences"),
            Option(name: "--dry-run", value: nil, help: "with --fix: show the differences without changing files"),
            Option(
                name: "--against", value: "BEFORE",
                help: "also show what changes for phones, compared with BEFORE, as `associated diff` does"),
            Option(name: "--explain", value: "RULE", help: "explain a rule, such as AASA-019, and exit"),
            .setting("--https").with(
                help: "check as if the server listened for TLS on this address: report every host without a "
                    + "certificate (repeatable)"),
            .environment,
        ],
        failure: "there are findings of at least the severity of --fail-on, or a file could not be checked"
    ) { arguments throws(Refusal) in
        if let id = arguments["--explain"] { return explain(id) }
        let format: FindingFormat = try arguments.choice("--format") ?? .text
        let kind = try arguments.choice("--as", among: DocumentKind.named)
        if arguments.has("--dry-run"), !arguments.has("--fix") { throw .usage("--dry-run needs --fix") }
        let failsOn: Severity = try arguments.choice("--fail-on") ?? .error
        if arguments.has("--against"), format != .text || arguments.operands.count > 1 {
            throw .usage("--against needs text as the format, and at most one PATH; associated diff writes JSON")
        }
        if arguments["--against"].flatMap(PublishingClient.release) != nil {
            throw .usage("--against takes no release; write `associated diff release:live PATH`")
        }
        let showsNotes = arguments.has("--notes") || failsOn == .note
        if let state = arguments["--state"], arguments.isTyped("--state"), !Tenants.hasState(state) {
            return .failure(
                saying: "no server has saved its state in \(state), so removals cannot be checked; correct --state")
        }
        var files = LintedFiles(arguments, forced: kind, managedPath: "\(arguments["--state"] ?? "state")/certificates")
        let paths = arguments.operands.isEmpty ? [arguments["--config"] ?? "config"] : arguments.operands
        if arguments.operands.isEmpty, !arguments.has("--config"), !Directory.exists(paths[0]) {
            return .failure(saying: "there is no directory \(paths[0]); name files to check, or run `associated init`")
        }
        for path in paths { files.add(path) }
        if arguments.has("--fix") { files.fix(writes: !arguments.has("--dry-run"), showsDifference: format == .text) }
        files.lint()
        files.complainIfEmpty(paths)
        let findings = files.findings.filter { showsNotes || $0.severity != .note }
        let context = FindingContext(
            product: ("associated", Product.version), directory: Directory.absolute(""), isColoured: Console.wantsColour
        ) { try? InputFile.read($0) }
        let text = format.text(of: findings, documents: files.documents, in: context)
        if format == .text {
            Console.output(text)
            for line in files.summary(showsNotes: showsNotes) { Console.error(line: line) }
        } else {
            Console.output(data: Array(text.utf8))
        }
        for problem in files.problems { Console.complain(problem) }
        if let before = arguments["--against"] {
            let difference = try DifferenceSide.difference(from: before, to: paths[0], arguments)
            Console.output((findings.isEmpty ? "" : "\n") + difference.text)
        }
        let hasFailed = findings.contains { $0.severity.isAtLeast(failsOn) }
        return files.problems.isEmpty && !hasFailed ? .success : .failure
    }

    private static func explain(_ id: String) -> ExitStatus {
        let wanted = String(id.map { $0.isLowercase ? Character($0.uppercased()) : $0 })
        guard let rule = RuleID(wanted).map(LintRule.named) else {
            let advice = RuleID.nearest(to: id).map { "did you mean \($0)?" } ?? "docs/rules.md lists them"
            return .usage(saying: "unknown rule \(id); \(advice)")
        }
        Console.output(
            """
            \(rule.id): \(rule.severities.map(\.rawValue).joined(separator: " or ")): \(rule.title)

            \(rule.why)
            Fix: \(rule.fix)
            Sources: \(rule.sources.map(\.title).joined(separator: "; ")).

            """)
        return .success
    }
}
