// The command line. Each command is a description (which also makes its help) and a function in a file of its own; this
// file picks the command and turns what it returns, or the refusal it throws, into an exit status.

import Glibc
import Posix
import TLS

@main
enum Program {
    static let commands: [Command] = [
        .serve, .lint, .match, .verify, .check, .render, .snippet, .importFiles, .initialise, .sign, .certificate,
        .retire, .status, .history, .health,
        .schema, .completion, .manual, .version,
    ]

    static func main() {
        StandardDescriptors.fillGaps()
        Library.keepToTheEnd()
        BugExit.install()
        // A reader that goes away ends the output, not the program in the middle of it.
        signal(SIGPIPE, SIG_IGN)
        // A file that may grow no more fails to be written; that is no reason to end either.
        signal(SIGXFSZ, SIG_IGN)
        let status = run(Array(CommandLine.arguments.dropFirst()))
        // Half a file with a status of success would be taken for the whole.
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
            return .usage(saying: "there is no command \"\(name)\"; \(nearest ?? "associated --help lists them")")
        }
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
            Console.output(command.help)
            return .success
        }
        do throws(Refusal) {
            if !command.options.isEmpty { try Environment.check(Environment.names, known: variables) }
            return try command.run(try ParsedArguments(rest, for: command))
        } catch {
            return error.status
        }
    }

    /// Every variable that some command reads.
    private static var variables: [String] {
        commands.flatMap { $0.options.compactMap(\.variable) } + [Environment.passphrase, Environment.adminToken]
    }

    private static var overview: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { "  \($0.name.padded(to: width))  \($0.summary)" }
        return """
            associated hosts the files that bind domains to mobile apps.

            usage: associated COMMAND [OPTION…]

            \(lines.joined(separator: "\n"))

            associated COMMAND --help tells more about each.

            """
    }
}

/// How the program ends; the values are part of its interface.
enum ExitStatus: Int32 {
    case success = 0
    /// Something that was checked is not right, or something that was asked for could not be done.
    case failure = 1
    /// The command line is wrong.
    case usage = 2

    static func usage(saying message: String) -> ExitStatus {
        Console.complain(message)
        return .usage
    }

    static func failure(saying message: String) -> ExitStatus {
        Console.complain(message)
        return .failure
    }
}

/// Why something that was asked for is not done: one line for the person, and how the program ends.
struct Refusal: Error, CustomStringConvertible {
    let message: String
    private let isUsage: Bool

    /// The command line is wrong.
    static func usage(_ message: String) -> Refusal { Refusal(message: message, isUsage: true) }

    /// Something that was asked for cannot be done.
    static func failure(_ message: String) -> Refusal { Refusal(message: message, isUsage: false) }

    var description: String { message }

    /// Says it.
    var status: ExitStatus { isUsage ? .usage(saying: message) : .failure(saying: message) }
}
