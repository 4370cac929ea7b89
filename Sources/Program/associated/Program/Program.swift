// The entry point. Each command is a description and a function in its own file (`Commands/`); this file picks the command and
// turns its result into an exit status.

import Libc
import Posix
import Supervision
import TLS

@main
enum Program {
    static let commands: [Command] =
        serving + [
            .lint, .difference, .match, .verify, .check, .why, .render, .snippet, .qr, .fingerprint, .importFiles,
            .initialise, .sign, .certificate, .publish, .releases, .approve, .rollback, .hosts, .retire,
        ] + operating + [.schema, .mcp, .completion, .manual, .version]

    /// Those that need no OpenSSL, unless they are asked about a live host or a certificate.
    private static let offline: Set = [
        "lint", "diff", "match", "render", "snippet", "qr", "fingerprint", "import", "init", "schema", "completion",
        "manual", "version", "mcp",
    ]

    static func main() {
        StandardDescriptors.fillGaps()
        if Library.isThere { Library.disableExitCleanup() }
        BugExit.install()
        // A closed pipe makes a write fail; it must not kill the program.
        signal(SIGPIPE, SIG_IGN)
        // The same for a file that has reached the size limit of the process.
        signal(SIGXFSZ, SIG_IGN)
        if let parent = Environment.value(Environment.parent).flatMap({ Int32($0) }),
            !ChildProcess.endWithParent(parent)
        {
            exit(ExitStatus.failure.rawValue)
        }
        let status = run(Array(CommandLine.arguments.dropFirst()))
        // Incomplete output must not come with a status of success.
        if let problem = Console.outputProblem {
            exit((status == .success ? ExitStatus.failure(saying: problem) : status).rawValue)
        }
        exit(status.rawValue)
    }

    private static func run(_ arguments: [String]) -> ExitStatus {
        guard let name = arguments.first else {
            Console.error(help: overview)
            return .usage
        }
        if ["--help", "-h", "help"].contains(name) {
            let wanted = arguments.dropFirst().first
            Console.output(commands.first { $0.name == wanted }?.help ?? overview)
            return .success
        }
        let isVersionFlag = ["--version", "-V", "-v"].contains(name)
        guard let command = commands.first(where: { $0.name == name || isVersionFlag && $0.name == "version" }) else {
            let nearest = NearestWord.advice(for: name, among: commands.map(\.name))
            return .usage(saying: "unknown command \"\(name)\"; \(nearest ?? "associated --help lists all commands")")
        }
        let rest = Array(arguments.dropFirst())
        let words = rest.prefix { $0 != "--" }
        if words.contains("--help") || words.contains("-h") {
            Console.output(command.help)
            return .success
        }
        do {
            if !Library.isThere, !offline.contains(command.name) {
                throw Refusal.failure("`associated \(command.name)` needs OpenSSL, but \(Library.missing)")
            }
            try inherit()
            if !command.options.isEmpty { try Environment.check(EnvironmentVariables.names, known: variables) }
            return try command.run(try ParsedArguments(rest, for: command))
        } catch {
            return (error as? Refusal)?.status ?? .failure(saying: "\(error)")
        }
    }

    /// Every variable that any command reads.
    private static var variables: [String] {
        commands.flatMap { $0.options.compactMap(\.variable) } + [
            Environment.adminToken, Environment.token, Environment.registrationKey, Environment.parent,
        ]
    }

    private static var overview: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { "  \($0.name.padded(to: width))  \($0.summary)" }
        return """
            associated hosts the files that bind domains to mobile apps.

            usage: associated COMMAND [OPTION…]

            \(lines.joined(separator: "\n"))

            associated COMMAND --help describes a command and its options.

            """
    }
}
