// A call of a tool: the command that it becomes, and its result from what the command has printed. The calls run as processes of this
// program, so one that hangs or fails affects no other, and what it prints is no message.

import Association
import Libc
import Posix
import SourceJSON
import Supervision

struct MCPCall {
    let request: MCPRequest
    let tool: MCPTool
    /// The command and its arguments.
    let words: [String]
    let input: [UInt8]

    /// About 20,000 tokens. Clients cut what is longer, or keep it from the model.
    static let bytesMax = 64 << 10
    private static let messageBytesMax = 8 << 10

    func failure(_ message: String) -> SourceValue { request.answer(MCPCall.members([message], isError: true)) }

    /// The members of a result.
    static func members(_ texts: [String], structured: SourceValue? = nil, isError: Bool) -> [(String, SourceValue)] {
        let content = texts.map { SourceValue.object([("type", .string("text")), ("text", .string($0))]) }
        return [("content", .array(content))] + (structured.map { [("structuredContent", $0)] } ?? [])
            + [("isError", .bool(isError))]
    }

    /// The answer after the command has ended.
    func answer(_ output: ProgramOutput) -> SourceValue {
        guard case .status(let status) = output.end else { return failure("`\(shellLine)` has crashed") }
        let messages = MCPCall.cut(output.errors, to: MCPCall.messageBytesMax).text
        guard let (name, value) = tool.result.value(of: output.output) else {
            let (text, isCut) = MCPCall.cut(output.output, to: MCPCall.bytesMax)
            let texts = [text, messages, isCut ? "The output was cut; \(rest)" : ""].filter { !$0.isEmpty }
            return request.answer(MCPCall.members(texts, isError: status != 0))
        }
        let lines = messages.split(separator: "\n").map { SourceValue.string(String($0)) }
        func object(_ value: SourceValue) -> SourceValue {
            .object(
                [("ok", .bool(status == 0)), (name, value)] + (lines.isEmpty ? [] : [("messages", .array(lines))]))
        }
        var (structured, texts) = (Optional(object(value)), [String]())
        if let items = value.asArray, let kept = fitting(items) {
            structured = object(.array(kept))
            texts.append("The result was cut: \(kept.count) of \(items.count) \(name); \(rest)")
        }
        let (text, isCut) = MCPCall.cut(structured.map(SourceWriter.minified) ?? [], to: MCPCall.bytesMax)
        if isCut {
            structured = nil
            texts.append("The result was cut; \(rest)")
        }
        let decision = value.member(named: "status")?.asInt == 423 ? [self.decision] : []
        let isAnswer = status == 0 || status == 1 && tool.answersWithFailure
        return request.answer(MCPCall.members(decision + [text] + texts, structured: structured, isError: !isAnswer))
    }

    /// What a model is told when the removal guard refuses a release.
    private var decision: String {
        """
        A PERSON MUST DECIDE THIS. The server protects links that phones rely on, and nothing was published. Show the person what would \
        be lost, and stop. Do not publish it with --retire, neither with this tool nor in a shell nor through the API. If the loss is \
        meant, the person runs: associated publish --retire -- \(words.last?.shellWord ?? "DIR")
        """
    }

    /// The first elements of a list that is too long; nil if it is not.
    private func fitting(_ items: [SourceValue]) -> [SourceValue]? {
        // What is around the list.
        var left = MCPCall.bytesMax - 2 * MCPCall.messageBytesMax
        let count = items.prefix { item in
            left -= SourceWriter.minified(item).count + 1
            return left >= 0
        }.count
        return count == items.count ? nil : Array(items.prefix(count))
    }

    private var rest: String {
        let source = input.isEmpty ? "" : ", with the content on standard input"
        return "ask for less, or run this in a shell\(source): \(shellLine)"
    }

    /// The command for a shell.
    private var shellLine: String {
        let line = "associated \(words.map(\.shellWord).joined(separator: " "))"
        return line.utf8.count > 1_000 ? "associated \(tool.command.name) …" : line
    }

    /// The beginning of a text in UTF-8, and whether there is more.
    private static func cut(_ bytes: [UInt8], to count: Int) -> (text: String, isCut: Bool) {
        guard bytes.count > count else { return (String(decoding: bytes, as: UTF8.self), false) }
        // Not within a character.
        let end = bytes[..<count].lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        return (String(decoding: bytes[..<end], as: UTF8.self), true)
    }
}

/// The calls that run, and those that wait.
struct MCPCalls {
    /// This program, and what is added to its environment.
    var program = ChildProcess.ownProgram
    var variables = [(name: Environment.parent, value: "\(getpid())")]
    /// `why` asks several servers one after the other, five seconds each.
    var milliseconds: Int64 = 120_000

    private var running: [(call: MCPCall, program: RunningProgram, end: Int64)] = []
    private var waiting: [MCPCall] = []
    /// When all calls end, because the client has gone.
    private var deadline = Int64.max

    /// More would take the processors from each other.
    private static let runningMax = 4
    private static let waitingMax = 100

    init() {}

    var isEmpty: Bool { running.isEmpty && waiting.isEmpty }
    /// Readable when a call has ended.
    var descriptors: [Int32] { running.map(\.program.descriptor) }

    /// How long until a call runs out of time; negative if none runs.
    var patience: Int32 {
        running.map(\.end).min().map { Int32(clamping: max(0, $0 - Clock.monotonicMilliseconds())) } ?? -1
    }

    /// - Returns: answers to calls that cannot be started.
    mutating func add(_ call: MCPCall) -> [SourceValue] {
        if (running.map(\.call) + waiting).contains(where: { $0.request.has(id: call.request.id) }) {
            return [
                MCPProblem(code: .request, "a request with this id is not answered yet").answer(to: call.request.id)
            ]
        }
        if waiting.count >= MCPCalls.waitingMax { return [call.failure("too many calls wait; try again later")] }
        waiting.append(call)
        return start()
    }

    /// A call that is cancelled gets no answer.
    mutating func cancel(id: SourceValue) -> [SourceValue] {
        waiting.removeAll { $0.request.has(id: id) }
        running.removeAll { $0.call.request.has(id: id) }
        return start()
    }

    /// Answers calls that have ended, and those that have no time left.
    mutating func collect() -> [SourceValue] {
        let now = Clock.monotonicMilliseconds()
        let ended = Descriptor.readable(among: descriptors, milliseconds: 0)
        var answers: [SourceValue] = []
        var open = running
        open.removeAll()
        for (entry, hasEnded) in zip(running, ended) {
            if hasEnded {
                do throws(SystemError) { answers.append(entry.call.answer(try entry.program.finish())) } catch {
                    answers.append(entry.call.failure("\(error)"))
                }
            } else if entry.end <= now {
                answers.append(entry.call.failure("\(reason(now)); the call was ended"))
            } else {
                open.append(entry)
            }
        }
        running = open
        return answers + start()
    }

    /// To be called when the client has gone.
    mutating func hurry(milliseconds: Int64) {
        deadline = Clock.monotonicMilliseconds() + milliseconds
        for index in running.indices { running[index].end = min(running[index].end, deadline) }
    }

    private func reason(_ now: Int64) -> String {
        now >= deadline ? "the client has gone" : "no result within \(milliseconds / 1_000) seconds"
    }

    private mutating func start() -> [SourceValue] {
        var answers: [SourceValue] = []
        while running.count < MCPCalls.runningMax, !waiting.isEmpty {
            let (call, now) = (waiting.removeFirst(), Clock.monotonicMilliseconds())
            if now >= deadline {
                answers.append(call.failure(reason(now)))
                continue
            }
            do throws(SystemError) {
                let started = try RunningProgram(program, call.words, variables: variables, input: call.input)
                running.append((call, started, min(now + milliseconds, deadline)))
            } catch {
                answers.append(call.failure("the command cannot be started: \(error)"))
            }
        }
        return answers
    }
}
