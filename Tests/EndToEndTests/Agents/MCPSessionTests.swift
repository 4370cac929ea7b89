// The protocol over values: a line in, what follows from it out.

import SourceJSON
import Testing

@testable import associated

struct MCPSessionTests {
    private static let tools = MCPTool.reading + MCPTool.publishing
    private static let meta =
        #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#

    /// What follows from lines, of which only the last is looked at.
    private func steps(_ lines: String...) -> [MCPSession.Step] {
        var session = MCPSession(tools: Self.tools)
        return lines.map { session.receive(Array($0.utf8)) }.last ?? []
    }

    private func text(_ steps: [MCPSession.Step]) -> String {
        steps.map { step in
            switch step {
            case .answer(let value): String(decoding: SourceWriter.minified(value), as: UTF8.self)
            case .call(let call): "call \(call.words.joined(separator: " "))"
            case .cancel(let id): "cancel \(String(decoding: SourceWriter.minified(id), as: UTF8.self))"
            }
        }.joined(separator: "\n")
    }

    private static func opening(_ revision: String) -> String {
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(revision)","capabilities":{}}}"#
    }

    @Test(arguments: [
        ("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"), ("2026-07-28", "2025-11-25"), ("1.0", "2025-11-25"), ("", "2025-11-25"),
    ])
    func `settles a revision that begins with initialize`(wanted: String, settled: String) {
        let answer = text(steps(Self.opening(wanted)))
        #expect(
            answer.hasPrefix(
                #"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"\#(settled)","capabilities":{"tools":{}},"#))
        #expect(!answer.contains("resultType"))
    }

    /// Each after `initialize`.
    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, #"{"jsonrpc":"2.0","id":"a","result":{}}"#),
        (#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, ""),
        (#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#, ""),
        (#"{"jsonrpc":"2.0","id":4,"result":{}}"#, ""),
        (#"{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":""}}"#, ""),
        (#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#, "cancel 7"),
        (#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}"#, "cancel \"7\""),
        (#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#, ""),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain","arguments":{"rule":"AASA-001"}}}"#,
            "call lint --explain=AASA-001 --"
        ),
    ])
    func `answers, calls and cancels`(line: String, expected: String) {
        #expect(text(steps(Self.opening("2025-06-18"), line)) == expected)
    }

    @Test(arguments: [
        ("{", -32_700, "null"), ("\u{FF}", -32_700, "null"), ("{'a':1}", -32_700, "null"), ("1", -32_600, "null"),
        (String(repeating: "[", count: 100_000), -32_700, "null"), ("null", -32_600, "null"), ("[]", -32_600, "null"),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32_600, "null"),
        (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600, "1"), (#"{"id":1,"method":"ping"}"#, -32_600, "1"),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600, "null"),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32_600, "null"),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32_600, "null"), (#"{"jsonrpc":"2.0","id":1}"#, -32_600, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32_600, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32_602, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32_602, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32_601, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, -32_601, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}"#, -32_601, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32_602, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"serve"}}"#, -32_602, "1"),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint","arguments":[]}}"#, -32_602, "1"),
    ])
    func `refuses what is no message of the protocol`(line: String, code: Int, id: String) {
        let answer = text(steps(Self.opening("2025-11-25"), line))
        #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":""#), "\(answer)")
    }

    @Test func `only one revision has batches`() {
        let batch =
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"x"}]"#
        let answers = text(steps(Self.opening("2025-03-26"), batch)).split(separator: "\n")
        #expect(answers.count == 2 && answers[0] == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
        #expect(text(steps(Self.opening("2025-03-26"), "[]")).contains("-32600"))
    }

    @Test func `a request before initialize needs its revision`() {
        let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        #expect(text(steps(list)).contains("-32602") && text(steps(list)).contains("`initialize`"))
        #expect(text(steps(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)) == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    }

    @Test func `2026-07-28 needs no initialize, and its results say more`() throws {
        let found = text(steps(#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(Self.meta)}}"#))
        #expect(
            found.hasPrefix(
                #"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"#))
        let list = text(steps(#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{\#(Self.meta)}}"#))
        for part in [
            #""resultType":"complete""#, #""ttlMs":3600000,"cacheScope":"public""#,
            #""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"associated""#,
        ] {
            #expect(found.contains(part) && list.contains(part))
        }
        let call = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint",\#(Self.meta)}}"#
        #expect(text(steps(call)) == "call lint --format=json --")
        for method in ["initialize", "ping", "xyzzy"] {
            let line = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{\#(Self.meta)}}"#
            #expect(text(steps(line)).contains(#""code":-32601"#), "\(method)")
        }
    }

    @Test(arguments: [
        (
            #""io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}"#,
            #""error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"1900-01-01"}}"#
        ),
        (#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#, #""error":{"code":-32602,"#),
        (
            #""io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}"#,
            #""error":{"code":-32602,"#
        ),
    ])
    func `refuses other revisions, and a request that lacks a field`(meta: String, expected: String) {
        let line = #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{\#(meta)}}}"#
        #expect(text(steps(line)).contains(expected), "\(text(steps(line)))")
    }

    @Test func `each tool has a schema, and only publish may write`() {
        let list = text(steps(Self.opening("2025-11-25"), #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#))
        #expect(list.utf8.count < 16_000, "a model reads all of it")
        for tool in Self.tools {
            let schema = tool.value.member(named: "inputSchema")
            #expect(schema?.member(named: "additionalProperties")?.asBool == false)
            let hints = tool.value.member(named: "annotations")
            #expect(hints?.member(named: "readOnlyHint")?.asBool == (tool.name != "publish"), "\(tool.name)")
            for property in schema?.member(named: "properties")?.asObject ?? [] {
                #expect(property.value.member(named: "description")?.asString?.isEmpty == false, "\(property.key)")
                let isSecret = ["force", "retire", "token", "token_file", "api", "admin", "tenant", "output", "fix"]
                #expect(!isSecret.contains(property.key))
            }
        }
        #expect(list.contains(#""enum":["app","web"]"#) && list.contains(#""enum":["apple","ios","android"]"#))
    }
}

struct MessageLinesTests {
    private func lines(_ pieces: [String]) -> [String?] {
        var lines = MessageLines()
        return (pieces.flatMap { lines.append(Array($0.utf8)) } + lines.flush()).map {
            $0.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func `cuts at line feeds, wherever the pieces end`() {
        for size in 1...9 {
            let text = Array("one\n\n \r\ntwo\r\nthree")
            let pieces = stride(from: 0, to: text.count, by: size).map { String(text[$0..<min($0 + size, text.count)]) }
            #expect(lines(pieces) == ["one", "two\r", "three"])
        }
    }

    @Test func `a line that is too long is reported once, and the next is read`() {
        let longest = String(repeating: "a", count: MessageLines.bytesMax)
        #expect(lines([longest, "\nb\n"]) == [longest, "b"])
        #expect(lines([longest, "a", longest, longest, "\nb\n"]) == [nil, "b"])
        #expect(lines([longest + longest + "\n" + longest + "a\nb"]) == [nil, nil, "b"])
    }
}
