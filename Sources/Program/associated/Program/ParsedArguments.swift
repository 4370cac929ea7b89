// A command's arguments, checked against its description.

import Association
import Supervision

/// The values of a command's options, and its operands.
struct ParsedArguments: Sendable {
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []
    /// The environment variables that were used instead of options.
    private var variables: [String: String] = [:]

    /// Reads `--name value`, `--name=value` and operands; everything after `--` is an operand. Then it reads the environment
    /// variables of options that were not given.
    init(_ arguments: [String], for command: Command) throws(Refusal) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if command.operands != nil, !argument.hasPrefix("-") || argument == "-" {
                operands.append(argument)
                continue
            }
            if command.operands != nil, argument == "--" {
                operands += rest
                break
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? ""
            guard let option = command.options.first(where: { $0.name == name }) else {
                throw ParsedArguments.unknown(argument, name, command)
            }
            guard let value = option.value else {
                if parts.count > 1 { throw .usage("\(name) takes no value") }
                values[name] = [""]
                continue
            }
            // No option has an empty value; in a script it comes from a shell variable that is not set.
            guard let given = parts.count > 1 ? String(parts[1]) : rest.popFirst(), !given.isEmpty else {
                throw .usage("\(name) needs a value: \(name) \(value)")
            }
            if !option.isRepeatable, values[name] != nil {
                throw .usage("\(name) was given twice; it takes one value")
            }
            values[name, default: []].append(given)
        }
        if operands.contains("") { throw .usage("an argument of \(command.name) is empty") }
        if let expected = command.operands, !expected.counts.contains(operands.count) {
            throw .usage(
                operands.count < expected.counts.lowerBound
                    ? "\(command.name) needs \(expected.required)" : "too many arguments; usage: \(command.synopsis)")
        }
        for option in command.options where values[option.name] == nil {
            guard let variable = option.variable, let given = Environment.value(variable) else { continue }
            if option.value == nil, try !Environment.isOn(given, variable) { continue }
            variables[option.name] = variable
            values[option.name] = option.isRepeatable ? given.split(separator: ",").map(String.init) : [given]
        }
    }

    /// The value of an option that may be given once.
    subscript(name: String) -> String? { values[name]?.first }

    /// All values of an option; nil if it was not given.
    func all(_ name: String) -> [String]? { values[name] }

    /// An option and its value as the user wrote them, for messages: `--http 8080` or `ASSOCIATED_HTTP=8080`.
    func spelling(_ name: String, _ value: String) -> String {
        variables[name].map { "\($0)=\(value)" } ?? "\(name) \(value)"
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// Whether an option was given on the command line, and not by a variable, which may be meant for other commands.
    func isTyped(_ name: String) -> Bool { has(name) && variables[name] == nil }

    /// Those of these options that were typed, behind the name of a command in a message: ` --config other --ca 'own ca.pem'`.
    func typed(_ names: [String]) -> String {
        names.filter(isTyped).flatMap { name in (values[name] ?? []).map { " \(name) \($0.shellWord)" } }.joined()
    }

    /// The value of an option that takes one of a few words. `ios` is the same as `apple`.
    func choice<Value: CaseIterable & RawRepresentable<String>>(
        _ name: String, among values: [Value] = Array(Value.allCases)
    ) throws(Refusal) -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = values.first(where: { $0.rawValue == text.asPlatform }) else {
            throw .usage("\(name) must be \(String.alternatives(values.map(\.rawValue).withIOS)), not \(text)")
        }
        return value
    }

    /// Whether `--format` asks for JSON.
    func wantsJSON() throws(Refusal) -> Bool {
        enum Format: String, CaseIterable { case text, json }
        return try choice("--format") == Format.json
    }

    private static func unknown(_ argument: String, _ name: String, _ command: Command) -> Refusal {
        guard argument.hasPrefix("-") else {
            return .usage("\(command.name) takes no arguments, but got \"\(argument)\"")
        }
        let nearest = NearestWord.advice(for: name, among: command.options.map(\.name))
        return .usage(
            "\(command.name) has no option \(name); "
                + (nearest ?? "associated \(command.name) --help lists its options"))
    }
}

extension [String] {
    /// The words of a choice, with both names for Apple's platform.
    var withIOS: [String] { flatMap { $0 == "apple" ? ["apple", "ios"] : [$0] } }
}

extension String {
    /// The word for a platform: `apple` for `ios`, since Apple's file is for all of Apple's systems.
    var asPlatform: String { self == "ios" ? "apple" : self }

    /// `a, b or c`.
    static func alternatives(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : "\(words.dropLast().joined(separator: ", ")) or \(words[words.count - 1])"
    }
}

/// Suggests a command or an option for a misspelt one.
enum NearestWord {
    /// `did you mean …?`, if a known word is similar enough.
    static func advice(for word: String, among known: [String]) -> String? {
        NearestKey.find(word, among: known).map { "did you mean \($0)?" }
    }
}

/// A duration as it is typed: `90s`, `30m`, `12h`, `14d`.
struct TimeSpan: Equatable {
    let seconds: Int64

    init?(_ text: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
            (1...100_000).contains(number)
        else { return nil }
        seconds = number * unit
    }
}
