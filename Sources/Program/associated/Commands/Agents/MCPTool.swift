// A tool as data: what a model reads about it, and how its arguments become the command line of a command. The schema of the arguments
// is made from the command's own options.

import SourceJSON
import Supervision

struct MCPTool {
    let name: String
    /// For people.
    let title: String
    /// What it answers and when to call it, for the model.
    let description: String
    let command: Command
    /// Besides `options`.
    var arguments: [Input]
    /// Those of the command's options that a model may give.
    var options: [String] = []
    /// The operand that `content` replaces; nil if it is the value of an option.
    var replaced: String?
    /// Words that each call has.
    var fixed: [String] = ["--format=json"]
    let result: Result
    /// Whether exit status 1 is an answer too, such as findings.
    var answersWithFailure = false
    var isReadOnly = true
    /// Whether it connects to hosts that others run.
    var reachesHosts = false

    /// An argument of a call.
    struct Input {
        let name: String
        let help: String
        let place: Place
        let isList: Bool
        let isSwitch: Bool
        let isRequired: Bool
        let words: [String]

        init(
            _ name: String, _ help: String, _ place: Place = .operand, isList: Bool = false, isSwitch: Bool = false,
            isRequired: Bool = false, words: [String] = []
        ) {
            (self.name, self.help, self.place, self.words) = (name, help, place, words)
            (self.isList, self.isSwitch, self.isRequired) = (isList, isSwitch, isRequired)
        }

        enum Place: Equatable {
            case operand, option(String)
            /// A text that need not be on the disk: the command gets it on its standard input.
            case content
            /// Which option has it as value.
            case contentOption
        }
    }

    /// What the command prints.
    enum Result {
        case text
        /// A value, and the name that it gets.
        case value(String)
        /// A value in each line.
        case lines(String)

        /// Nil for a text, and for JSON that cannot be read.
        func value(of bytes: [UInt8]) -> (name: String, value: SourceValue)? {
            func read(_ bytes: [UInt8]) -> SourceValue? { SourceReader.read(bytes, as: .json).value }
            switch self {
            case .text: return nil
            case .value(let name): return bytes.isEmpty ? nil : read(bytes).map { (name, $0) }
            case .lines(let name):
                let lines = bytes.split(separator: UInt8(ascii: "\n")).map { read(Array($0)) }
                return lines.isEmpty || lines.contains { $0 == nil } ? nil : (name, .array(lines.compactMap(\.self)))
            }
        }
    }

    private var inputs: [Input] {
        arguments
            + options.map { name in
                guard let option = command.options.first(where: { $0.name == name }) else {
                    preconditionFailure("`associated \(command.name)` has no option \(name)")
                }
                let choice = option.value.map { $0.split(separator: "|").map(String.init) } ?? []
                return Input(
                    String(name.dropFirst(2)).replacing("-", with: "_"), option.help, .option(name),
                    isList: option.isRepeatable, isSwitch: option.value == nil,
                    words: choice.count > 1 ? choice : option.words)
            }
    }

    /// The tool in `tools/list`.
    var value: SourceValue {
        let inputs = inputs
        let required = inputs.filter { $0.isRequired && $0.name != replaced }.map { SourceValue.string($0.name) }
        let schema = SourceValue.object(
            [
                ("type", .string("object")), ("properties", .object(inputs.map { ($0.name, $0.schema) })),
                ("additionalProperties", .bool(false)),
            ] + (required.isEmpty ? [] : [("required", .array(required))]))
        let annotations = SourceValue.object(
            [("title", .string(title)), ("readOnlyHint", .bool(isReadOnly)), ("openWorldHint", .bool(reachesHosts))]
                + (isReadOnly ? [] : [("destructiveHint", .bool(true)), ("idempotentHint", .bool(true))]))
        return .object([
            ("name", .string(name)), ("title", .string(title)), ("description", .string(description)),
            ("inputSchema", schema), ("annotations", annotations),
        ])
    }

    /// The command line of a call, and what the command gets on standard input. A value is a part of its option's word, or follows
    /// `--`, so none is taken for an option. Throws what is wrong with the arguments, for the model.
    func commandLine(_ arguments: [SourceMember]) throws(Refusal) -> (words: [String], input: [UInt8]) {
        let inputs = inputs
        var texts: [String: [String]] = [:]
        for member in arguments.withLastOfEachKey {
            guard let input = inputs.first(where: { $0.name == member.key }) else {
                let advice = NearestWord.advice(for: member.key, among: inputs.map(\.name)).map { "; \($0)" } ?? ""
                throw .failure("\(name) has no argument `\(member.key)`\(advice)")
            }
            // Models write null for what they leave out.
            if case .null = member.value.kind { continue }
            texts[input.name] = try input.texts(of: member.value)
        }
        let text = texts["content"]?.first
        if text != nil, let replaced { texts[replaced, default: []].append("-") }
        var (options, values) = (fixed, [String]())
        for input in inputs {
            let given = texts[input.name] ?? []
            if given.isEmpty, input.isRequired {
                throw .failure("\(name) needs `\(input.name)`\(input.name == replaced ? " or `content`" : "")")
            }
            if given.count > 1, !input.isList { throw .failure("give `\(input.name)` or `content`, not both") }
            switch input.place {
            case .option(let option): options += given.map { input.isSwitch ? option : "\(option)=\($0)" }
            case .operand: values += given
            case .contentOption:
                if text != nil, let option = given.first ?? input.words.first { options.append("--\(option)=-") }
            case .content: break
            }
        }
        return ([command.name] + options + ["--"] + values, Array((text ?? "").utf8))
    }
}

extension MCPTool.Input {
    var schema: SourceValue {
        let kind = isSwitch ? "boolean" : isList ? "array" : "string"
        var members = [("type", SourceValue.string(kind)), ("description", .string(help))]
        if isList { members.append(("items", .object([("type", .string("string"))]))) }
        if !words.isEmpty { members.append(("enum", .array(words.map { .string($0) }))) }
        return .object(members)
    }

    /// The values of an argument; one for a switch that is on.
    func texts(of value: SourceValue) throws(Refusal) -> [String] {
        let texts: [String]?
        switch value.kind {
        case .bool(let isOn): texts = isSwitch ? isOn ? [""] : [] : nil
        case .string(let text): texts = isSwitch ? nil : [text]
        case .number(let number): texts = isSwitch || isList ? nil : [number.text]
        case .array(let items) where isList:
            let strings = items.compactMap(\.asString)
            texts = strings.count == items.count ? strings : nil
        default: texts = nil
        }
        guard let texts else {
            throw .failure(
                "`\(name)` must be \(isSwitch ? "true or false" : isList ? "a list of texts" : "a text")")
        }
        // It would end an argument of a program.
        if texts.contains(where: { $0.utf8.contains(0) }), place != .content {
            throw .failure("`\(name)` has a NUL character")
        }
        if !words.isEmpty, let other = texts.first(where: { !words.contains($0) }) {
            throw .failure("`\(name)` must be \(String.alternatives(words)), not \(other)")
        }
        return texts
    }
}
