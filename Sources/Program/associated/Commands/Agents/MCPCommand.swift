// `associated mcp`: the tools for coding agents. `MCPSession` understands the messages, `MCPCalls` runs the commands, and this file has
// the loop between them. Nothing else of this process writes to standard output.

import Libc
import Posix
import SourceJSON
import Supervision

extension Command {
    static let mcp = Command(
        name: "mcp", summary: "give coding agents tools for association files (Model Context Protocol)",
        details: """
            Speaks the Model Context Protocol on standard input and output, so that a coding agent can lint, match and compare
            association files. The agent starts the command; docs/agents.md shows how to add it to an agent.

            The tools are lint, explain, match, diff, check, why, snippet and status. They run the commands of these names, with
            the rights of the user and in the directory in which the agent started this one, and they write no file. What they
            need to know of a server or a tenant comes from --config and from the variables of the commands.
            """,
        options: [
            Option(
                name: "--allow", value: "publish",
                help: "let the agent publish app files too, by the tools publish_check and publish (default: nothing)"),
            .config.with(help: "configuration of the calls that name none (default: config)"),
        ],
        failure: "standard input cannot be read"
    ) { arguments throws(Refusal) in
        enum Permission: String, CaseIterable { case publish }
        let mayPublish = try arguments.choice("--allow") == Permission.publish
        var server = MCPServer(tools: MCPTool.reading + (mayPublish ? MCPTool.publishing : []))
        if let path = arguments["--config"] { server.calls.variables = [("ASSOCIATED_CONFIG", path)] }
        if Console.outputIsTerminal {
            Console.error(
                line: "this command is for an agent, which writes a message of JSON-RPC in each line of standard input")
        }
        try server.run()
        return .success
    }
}

/// The messages and calls of one client.
struct MCPServer {
    var calls = MCPCalls()
    private var session: MCPSession
    private var lines = MessageLines()
    private var isInputOpen = true
    private var isOutputOpen = true

    /// For calls that the client has asked for before it went.
    private static let endMilliseconds: Int64 = 10_000

    init(tools: [MCPTool]) { session = MCPSession(tools: tools) }

    mutating func run() throws(Refusal) {
        while isOutputOpen, isInputOpen || !calls.isEmpty {
            let input = isInputOpen ? [STDIN_FILENO] : []
            let ready = Descriptor.readable(among: calls.descriptors + input, milliseconds: calls.patience)
            say(calls.collect())
            if isInputOpen, ready.last == true { try read() }
        }
    }

    private mutating func read() throws(Refusal) {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try StandardDescriptors.readInput() } catch {
            throw .failure("cannot read standard input: \(error.reason)")
        }
        for line in bytes.isEmpty ? lines.flush() : lines.append(bytes) {
            guard let line else {
                let problem = MCPProblem(code: .request, "the message has more than \(MessageLines.bytesMax) bytes")
                say([problem.answer(to: nil)])
                continue
            }
            for step in session.receive(line) {
                switch step {
                case .answer(let answer): say([answer])
                case .call(let call): say(calls.add(call))
                case .cancel(let id): say(calls.cancel(id: id))
                }
            }
        }
        if bytes.isEmpty {
            isInputOpen = false
            calls.hurry(milliseconds: MCPServer.endMilliseconds)
        }
    }

    private mutating func say(_ answers: [SourceValue]) {
        for answer in answers where isOutputOpen {
            isOutputOpen = Console.output(data: SourceWriter.minified(answer) + [UInt8(ascii: "\n")])
        }
    }
}
