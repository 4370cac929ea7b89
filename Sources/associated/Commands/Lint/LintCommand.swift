// `associated lint`: what is wrong with a configuration, or with association files written elsewhere, and how to fix it. Where the findings come from is in `LintedFiles`, how they are printed in `FindingFormat`.

import Association
import AssociationLint
import Glibc
import Posix

extension Command {
    static let lint = Command(
        name: "lint", summary: "check a configuration, or single association and app files",
        details: """
            Checks each PATH: a configuration folder (with apps/, hosts/ or server.json in it) as `serve` would load it, with
            its certificates; any other folder with the files in it; or a file. What a file is shows in its content: an
            apple-app-site-association file, a statement list, an app file, or of a native project the entitlements (XML)
            and the AndroidManifest.xml; with --config, their hosts have to be among those of its app files. Without a PATH
            it is the folder of --config.

            --fix writes the mechanical fixes into the files and shows the difference; what is left is reported.
            Rules that a project does not want are under `lint` of server.json, or in a comment of an app file:
            `// associated-ignore APP-040`. Exits with status 1 if there are errors, or what --fail-on asks for.
            """,
        operands: Operands(usage: "[PATH…]", counts: 0...10_000),
        options: [
            .config, .publicFolder,
            Option(
                name: "--format", value: "FORMAT",
                help: "text, json, sarif (for code scanning) or github (workflow annotations) (text)",
                words: FindingFormat.allCases.map(\.rawValue)),
            Option(
                name: "--as", value: "KIND",
                help: "take files for apple, android, app, entitlements or manifest, whatever they look like",
                words: LintedKind.allCases.map(\.rawValue)),
            Option(name: "--notes", value: nil, help: "show notes too"),
            Option(
                name: "--fail-on", value: "SEVERITY",
                help: "exit with status 1 from this severity on: error, warning or note (default: error)",
                words: Severity.allCases.map(\.rawValue)),
            Option(name: "--fix", value: nil, help: "apply the mechanical fixes, and show the difference"),
            Option(name: "--dry-run", value: nil, help: "with --fix: show the difference, and change nothing"),
            Option(name: "--explain", value: "RULE", help: "tell what a rule such as AASA-019 means, and end"),
            .setting("--https").saying(
                "check for a server that speaks TLS there: each host needs a certificate; may be repeated"),
            .environment, .setting("--passphrase-file"),
        ]
    ) { arguments throws(Refusal) in
        if let id = arguments["--explain"] { return explain(id) }
        let format: FindingFormat = try arguments.choice("--format") ?? .text
        let kind: LintedKind? = try arguments.choice("--as")
        if arguments.has("--dry-run"), !arguments.has("--fix") { throw .usage("--dry-run belongs to --fix") }
        let failsOn: Severity = try arguments.choice("--fail-on") ?? .error
        let showsNotes = arguments.has("--notes") || failsOn == .note
        var files = LintedFiles(arguments, forced: kind)
        let paths = arguments.operands.isEmpty ? [arguments["--config"] ?? "config"] : arguments.operands
        if arguments.operands.isEmpty, !arguments.has("--config"), !Directory.exists(paths[0]) {
            return .failure(saying: "there is no folder \(paths[0]); name files to check, or run `associated init`")
        }
        for path in paths { files.add(path) }
        if arguments.has("--fix") { files.fix(writes: !arguments.has("--dry-run"), showsDifference: format == .text) }
        files.lint()
        let findings = files.findings.filter { showsNotes || $0.severity != .note }
        let text = format.text(of: findings, texts: files.fixedTexts)
        if format == .text {
            Console.output(text)
            for line in files.summary(showsNotes: showsNotes) { Console.error(line: line) }
        } else {
            Console.output(data: Array(text.utf8))
        }
        for problem in files.problems { Console.complain(problem) }
        let hasFailed = findings.contains { $0.severity.isAtLeast(failsOn) }
        return files.problems.isEmpty && !hasFailed ? .success : .failure
    }

    private static func explain(_ id: String) -> ExitStatus {
        let wanted = String(id.map { $0.isLowercase ? Character($0.uppercased()) : $0 })
        guard let rule = RuleID(wanted).map(LintRule.named) else {
            let advice = RuleID.nearest(to: id).map { "did you mean \($0)?" } ?? "docs/rules.md lists them"
            return .usage(saying: "there is no rule \(id); \(advice)")
        }
        Console.output(
            """
            \(rule.id): \(rule.severities.map(\.rawValue).joined(separator: " or ")): \(rule.title)

            \(rule.why)
            To mend it: \(rule.fix)
            Sources: \(rule.sources.map(\.title).joined(separator: "; ")).

            """)
        return .success
    }
}
