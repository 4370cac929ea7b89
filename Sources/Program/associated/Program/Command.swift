// What a command is, as data. The parser of its arguments, its help, the completions and the manual page all use this description.

import Hosting
import Settings
import Supervision

struct Command: Sendable {
    let name: String
    /// What it does, in one line.
    let summary: String
    /// What it does, in paragraphs, for its help and the manual page.
    let details: String
    /// Its arguments besides options; nil for commands without any.
    var operands: Operands?
    let options: [Option]
    /// When the exit status is 1, as a clause.
    var failure = "the output could not be written"
    /// The message of an error that is not a `Refusal` is its description.
    let run: @Sendable (ParsedArguments) throws -> ExitStatus

    /// One of a command's options.
    struct Option: Sendable {
        /// With its dashes.
        let name: String
        /// The placeholder of its value in the help; nil for a switch.
        let value: String?
        /// A noun phrase or an imperative, with the default in brackets: `(default: off)`.
        let help: String
        /// The environment variable that is used if the option is not given. Commas separate several values.
        var variable: String?
        var isRepeatable = false
        /// The words that completion offers as its value.
        var words: [String] = []

        /// With the placeholder of its value.
        var head: String { value.map { "\(name) \($0)" } ?? name }
        /// With the variable that replaces it.
        var fullHelp: String { variable.map { "\(help) [\($0)]" } ?? help }

        /// The first clause of its help without the default, for completions.
        var summary: String {
            var clause = help[...]
            if clause.hasSuffix(")"), let bracket = clause.lastIndex(of: "(") { clause = clause[..<bracket].dropLast() }
            return String(clause[..<(clause.firstRange(of: "; ")?.lowerBound ?? clause.endIndex)])
        }

        /// The same option with another help text, for a command that uses it differently.
        func with(help: String) -> Option {
            Option(name: name, value: value, help: help, variable: variable, isRepeatable: isRepeatable, words: words)
        }
    }

    /// The arguments of a command that are not options.
    struct Operands: Sendable {
        /// Their placeholders in the help.
        let usage: String
        let counts: ClosedRange<Int>

        /// Those that must be given, in words.
        var required: String {
            usage.split(separator: " ").prefix(counts.lowerBound).map { operand in
                let words = operand.split(separator: "|")
                return words.count == 1 ? String(operand) : "one of \(words.joined(separator: ", "))"
            }.joined(separator: " and ")
        }
    }

    var help: String {
        let width = options.map(\.head.count).max() ?? 0
        let lines = options.map { "  \($0.head.padded(to: width))  \($0.fullHelp)" }
        let list = lines.isEmpty ? "" : "\n\(lines.joined(separator: "\n"))\n"
        let hasVariables = options.contains { $0.variable != nil }
        let variables =
            hasVariables
            ? "\nA word in brackets is an environment variable with the same effect; several values in it are "
                + "separated by commas.\n" : ""
        return "usage: \(synopsis)\n\n\(details)\n\(list)\(variables)\nExit status: \(exitStatus)\n"
    }

    var synopsis: String {
        "associated \(name)" + (options.isEmpty ? "" : " [OPTION…]") + (operands.map { " \($0.usage)" } ?? "")
    }

    var exitStatus: String { "0 success; 1 if \(failure); 2 usage error." }
}

extension String {
    /// The text followed by spaces, up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Command.Option {
    /// The option that overrides a setting of the server.
    static func setting(_ name: String) -> Command.Option {
        let option = Setting.option(name)
        return Command.Option(
            name: name, value: option.value, help: option.help, variable: option.variable,
            isRepeatable: option.isRepeatable, words: option.words)
    }

    static let config = Command.Option(
        name: "--config", value: "DIR",
        help: "directory with server.json, apps/, hosts/ and retired/ (default: config)",
        variable: "ASSOCIATED_CONFIG")
    static let publicFolder = Command.Option(
        name: "--public", value: "DIR", help: "directory with the pages of each host (default: public)",
        variable: "ASSOCIATED_PUBLIC")
    static let state = Command.Option(
        name: "--state", value: "DIR", help: "directory for persistent state (default: state)",
        variable: "ASSOCIATED_STATE")
    static let environment = setting("--environment").with(
        help: "environment of the app files to use, such as staging (default: that of server.json, or none)")
    static let format = Command.Option(
        name: "--format", value: "FORMAT", help: "output format: text or json (default: text)",
        words: ["text", "json"])
    static let platform = Command.Option(
        name: "--platform", value: "apple|ios|android",
        help: "look at one platform only; ios is the same as apple (default: both)")
    static let force = Command.Option(name: "--force", value: nil, help: "overwrite existing files in --output")
}
