// What a command is, as data: parsing its arguments, its help and whatever else is said about it come from here.

import Hosting

/// One command of the program.
struct Command: Sendable {
    let name: String
    /// What it does, in one line.
    let summary: String
    /// What it does, for its help.
    let details: String
    /// Its arguments besides options; nil for commands without any.
    var operands: Operands?
    let options: [Option]
    let run: @Sendable (ParsedArguments) throws(Refusal) -> ExitStatus

    /// One of a command's options.
    struct Option: Sendable {
        /// With its dashes.
        let name: String
        /// The placeholder of its value in the help; nil for a switch.
        let value: String?
        let help: String
        /// The variable that is used if the option is not given. Commas separate several values.
        var variable: String?
        var isRepeatable = false
        /// The values there are, if it takes no others than these, and files if its value is one.
        var words: [String] = []

        /// The same option with a help of its own, for a command that takes less of it.
        func saying(_ help: String) -> Option {
            Option(name: name, value: value, help: help, variable: variable, isRepeatable: isRepeatable, words: words)
        }
    }

    /// The arguments of a command that are not options.
    struct Operands: Sendable {
        /// Their placeholders in the help.
        let usage: String
        let counts: ClosedRange<Int>
    }

    var help: String {
        let heads = options.map { option in
            option.value.map { "\(option.name) \($0)" } ?? option.name
        }
        let width = heads.map(\.count).max() ?? 0
        let lines = zip(heads, options).map { head, option in
            let variable = option.variable.map { " [\($0)]" } ?? ""
            return "  \(head.padded(to: width))  \(option.help)\(variable)"
        }
        let list = lines.isEmpty ? "" : "\n\(lines.joined(separator: "\n"))\n"
        let usage = (options.isEmpty ? "" : " [OPTION…]") + (operands.map { " \($0.usage)" } ?? "")
        return "usage: associated \(name)\(usage)\n\n\(details)\n\(list)"
    }
}

extension String {
    /// The text with spaces behind it, up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Command.Option {
    /// The option of a setting of the server.
    static func setting(_ name: String) -> Command.Option {
        let option = Setting.option(name)
        return Command.Option(
            name: name, value: option.value, help: option.help, variable: option.variable,
            isRepeatable: option.isRepeatable, words: option.words)
    }

    static let config = Command.Option(
        name: "--config", value: "DIR", help: "the folder with server.json and apps/ (config)",
        variable: "ASSOCIATED_CONFIG")
    static let publicFolder = Command.Option(
        name: "--public", value: "DIR", help: "the folder with pages (public)", variable: "ASSOCIATED_PUBLIC")
    static let state = Command.Option(
        name: "--state", value: "DIR", help: "the folder for what is to be remembered (state)",
        variable: "ASSOCIATED_STATE")
    static let environment = setting("--environment").saying("which environment of the app files to look at")
    static let format = Command.Option(
        name: "--format", value: "FORMAT", help: "text or json (default: text)", words: ["text", "json"])
    static let force = Command.Option(name: "--force", value: nil, help: "overwrite files that exist in --output")
}
