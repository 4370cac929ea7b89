// The Model Context Protocol as values: a message of a client in, answers and calls of tools out. It is JSON-RPC 2.0, in the revisions
// that begin with `initialize`, and in 2026-07-28, whose requests say their revision each. This part starts and reads nothing.

import Association
import SourceJSON
import Supervision

struct MCPSession {
    let tools: [MCPTool]
    /// The revision that `initialize` has settled; nil before, and for clients of 2026-07-28.
    private var revision: String?

    /// What follows from a message.
    enum Step {
        case answer(SourceValue)
        case call(MCPCall)
        case cancel(id: SourceValue)
    }

    /// Those that begin with `initialize`, the latest first.
    static let revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    static let statelessRevision = "2026-07-28"
    /// The only one with batches of messages.
    private static let batchRevision = "2025-03-26"
    /// A message of a client has about six levels.
    private static let limits = SourceLimits(depth: 64, bytes: MessageLines.bytesMax, values: 50_000, problems: 1)
    /// The tools do not change as long as this process runs, and are the same for everyone who asks.
    private static let caching = [("ttlMs", SourceValue.integer(3_600_000)), ("cacheScope", .string("public"))]
    private static let capabilities = SourceValue.object([("tools", .object([]))])
    static let serverInfo = SourceValue.object([
        ("name", .string("associated")), ("title", .string("associated: links that open apps")),
        ("version", .string(Product.version)),
    ])

    static let instructions = """
        These tools check the files that bind web domains to mobile apps: apple-app-site-association (universal links, passkeys), \
        assetlinks.json (Android App Links) and app files of associated, from which both are generated. Phones reject such files \
        without a word, so do not judge them by eye. After each edit: lint, explain for a rule that is not clear, then match with URLs \
        that must open the app and URLs that must not. Before a commit: diff against git. For a live host: check, and why for one link. \
        The tools change no file.
        """

    init(tools: [MCPTool]) { self.tools = tools }

    /// Takes a line.
    mutating func receive(_ line: [UInt8]) -> [Step] {
        let document = SourceReader.read(line, as: .json, limits: MCPSession.limits)
        guard document.isAcceptable, let message = document.value else {
            let reason = document.problems.first(where: \.isError).map { ": \($0.message)" } ?? ""
            return [.answer(MCPProblem(code: .parse, "the line is no JSON that is read here\(reason)").answer(to: nil))]
        }
        guard let batch = message.asArray else { return step(message).map { [$0] } ?? [] }
        guard revision == MCPSession.batchRevision, !batch.isEmpty else {
            let reason = "only revision \(MCPSession.batchRevision) has batches; send one message a line"
            return [.answer(MCPProblem(code: .request, reason).answer(to: nil))]
        }
        return batch.compactMap { step($0) }
    }

    private mutating func step(_ message: SourceValue) -> Step? {
        let given = message.member(named: "id")
        let id = given.flatMap { $0.asString != nil || $0.asInt != nil ? $0 : nil }
        guard message.member(named: "jsonrpc")?.asString == "2.0", given == nil || id != nil else {
            return .answer(MCPProblem(code: .request, "the line is no message of JSON-RPC 2.0").answer(to: id))
        }
        guard let method = message.member(named: "method")?.asString else {
            // This server asks nothing, so a response is for none of its requests.
            if message.member(named: "result") != nil || message.member(named: "error") != nil { return nil }
            return .answer(MCPProblem(code: .request, "the message has no `method`").answer(to: id))
        }
        let parameters = message.member(named: "params") ?? .object([])
        guard let id else {
            guard method == "notifications/cancelled" else { return nil }
            return parameters.member(named: "requestId").map { .cancel(id: $0) }
        }
        do throws(MCPProblem) { return try step(method, parameters, id) } catch { return .answer(error.answer(to: id)) }
    }

    private mutating func step(_ method: String, _ parameters: SourceValue, _ id: SourceValue) throws(MCPProblem)
        -> Step
    {
        guard parameters.asObject != nil else { throw MCPProblem(code: .parameters, "`params` must be an object") }
        let request = MCPRequest(id: id, isStateless: try MCPSession.isStateless(parameters.member(named: "_meta")))
        let isOpen = request.isStateless || revision != nil
        switch (method, request.isStateless) {
        case ("initialize", false): return .answer(request.answer(try initialise(parameters)))
        case ("ping", false): return .answer(request.answer([]))
        case ("server/discover", true):
            return .answer(
                request.answer(
                    [
                        ("supportedVersions", .array([.string(MCPSession.statelessRevision)])),
                        ("capabilities", MCPSession.capabilities), ("instructions", .string(MCPSession.instructions)),
                    ] + MCPSession.caching))
        case ("tools/list", _) where isOpen:
            let list = [("tools", SourceValue.array(tools.map(\.value)))]
            return .answer(request.answer(list + (request.isStateless ? MCPSession.caching : [])))
        case ("tools/call", _) where isOpen: return try call(parameters, request)
        case (_, false) where !isOpen:
            let reason =
                "send `initialize` first, or \(MCPSession.meta)protocolVersion and \(MCPSession.meta)clientCapabilities"
            throw MCPProblem(code: .parameters, "\(reason) in `_meta` of each request")
        default: throw MCPProblem(code: .method, "there is no method \(method)")
        }
    }

    private static let meta = "io.modelcontextprotocol/"

    /// Whether a request says its revision, which must be the one that is spoken here.
    private static func isStateless(_ meta: SourceValue?) throws(MCPProblem) -> Bool {
        guard let stated = meta?.member(named: "\(self.meta)protocolVersion") else { return false }
        guard let revision = stated.asString, meta?.member(named: "\(self.meta)clientCapabilities")?.asObject != nil
        else {
            throw MCPProblem(
                code: .parameters,
                "\(self.meta)protocolVersion must be a text, and \(self.meta)clientCapabilities an object")
        }
        if revision == statelessRevision { return true }
        let supported = SourceValue.array(([statelessRevision] + revisions).map { .string($0) })
        throw MCPProblem(
            code: .revision, "Unsupported protocol version",
            data: .object([("supported", supported), ("requested", .string(revision))]))
    }

    private mutating func initialise(_ parameters: SourceValue) throws(MCPProblem) -> [(String, SourceValue)] {
        guard let wanted = parameters.member(named: "protocolVersion")?.asString else {
            throw MCPProblem(code: .parameters, "`initialize` needs `protocolVersion`")
        }
        let settled = MCPSession.revisions.first { $0 == wanted } ?? MCPSession.revisions[0]
        revision = settled
        return [
            ("protocolVersion", .string(settled)), ("capabilities", MCPSession.capabilities),
            ("serverInfo", MCPSession.serverInfo), ("instructions", .string(MCPSession.instructions)),
        ]
    }

    /// A wrong name is for the client. Wrong arguments are for the model, which can write others, so they are a result of the tool.
    private func call(_ parameters: SourceValue, _ request: MCPRequest) throws(MCPProblem) -> Step {
        guard let name = parameters.member(named: "name")?.asString else {
            throw MCPProblem(code: .parameters, "`tools/call` needs `name`")
        }
        guard let tool = tools.first(where: { $0.name == name }) else {
            let advice = NearestWord.advice(for: name, among: tools.map(\.name)).map { "; \($0)" } ?? ""
            throw MCPProblem(code: .parameters, "there is no tool \(name)\(advice)")
        }
        guard let arguments = (parameters.member(named: "arguments") ?? .object([])).asObject else {
            throw MCPProblem(code: .parameters, "`arguments` must be an object")
        }
        do throws(Refusal) {
            let (words, input) = try tool.commandLine(arguments)
            return .call(MCPCall(request: request, tool: tool, words: words, input: input))
        } catch {
            return .answer(request.answer(MCPCall.members([error.message], isError: true)))
        }
    }
}

/// A request, for its answer.
struct MCPRequest {
    let id: SourceValue
    /// Whether it is of revision 2026-07-28, whose results say more about themselves.
    let isStateless: Bool

    /// Whether it has this id; `1` and `"1"` are two.
    func has(id other: SourceValue) -> Bool { SourceWriter.minified(id) == SourceWriter.minified(other) }

    func answer(_ members: [(String, SourceValue)]) -> SourceValue {
        let before = [("resultType", SourceValue.string("complete"))]
        let after = [("_meta", SourceValue.object([("io.modelcontextprotocol/serverInfo", MCPSession.serverInfo)]))]
        let result = SourceValue.object(isStateless ? before + members + after : members)
        return .object([("jsonrpc", .string("2.0")), ("id", id), ("result", result)])
    }
}

/// Why a message is not carried out.
struct MCPProblem: Error {
    enum Code: Int {
        case parse = -32_700
        case request = -32_600
        case method = -32_601
        case parameters = -32_602
        case revision = -32_022
    }

    let code: Code
    let message: String
    let data: SourceValue?

    init(code: Code, _ message: String, data: SourceValue? = nil) {
        (self.code, self.message, self.data) = (code, message, data)
    }

    /// - Parameter id: nil if the message has none that can be read.
    func answer(to id: SourceValue?) -> SourceValue {
        let error = [("code", SourceValue.integer(code.rawValue)), ("message", .string(message))]
        return .object([
            ("jsonrpc", .string("2.0")), ("id", id ?? .null),
            ("error", .object(error + (data.map { [("data", $0)] } ?? []))),
        ])
    }
}

/// The lines of a stream of bytes.
struct MessageLines {
    /// An app file of the greatest size fits into a message of another form only if it has few escapes; it can be on the disk.
    static let bytesMax = 1 << 20

    private var rest: [UInt8] = []
    private var isSkipping = false

    /// The lines that end in these bytes; nil for each that is too long, once. Empty lines are skipped.
    mutating func append(_ bytes: [UInt8]) -> [[UInt8]?] {
        var lines: [[UInt8]?] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lines += take(bytes[start..<end]) + flush()
            start = end + 1
        }
        return lines + take(bytes[start...])
    }

    /// What is left at the end of the stream.
    mutating func flush() -> [[UInt8]?] {
        defer { (rest, isSkipping) = ([], false) }
        return rest.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") } ? [] : [rest]
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) -> [[UInt8]?] {
        if isSkipping { return [] }
        rest += bytes
        if rest.count <= MessageLines.bytesMax { return [] }
        (rest, isSkipping) = ([], true)
        return [nil]
    }
}
