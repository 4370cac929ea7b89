// Calls as processes, by scripts in the place of the program, and what becomes of their output.

import Posix
import SourceJSON
import Testing

@testable import associated

struct MCPCallTests {
    private let folder: Folder
    private var script: String { "\(folder.path)/script" }

    init() throws { folder = try Folder() }

    /// A call whose command is the script.
    private func call(
        _ name: String = "lint", id: Int = 1, words: [String] = [], input: String = ""
    ) throws -> MCPCall {
        let tool = try #require((MCPTool.reading + MCPTool.publishing).first { $0.name == name })
        let request = MCPRequest(id: .integer(id), isStateless: false)
        return MCPCall(request: request, tool: tool, words: [script] + words, input: Array(input.utf8))
    }

    /// Calls that a shell carries out in the place of the program. It reads the script, because a file that has just been written may
    /// be open in a process that another test starts, and could not be executed.
    private func calls(_ lines: String) throws -> MCPCalls {
        var calls = MCPCalls()
        calls.program = "sh"
        try folder.write("script", lines)
        return calls
    }

    /// Waits for the next answers.
    private func answers(_ calls: inout MCPCalls) -> [SourceValue] {
        while !calls.isEmpty {
            _ = Descriptor.readable(among: calls.descriptors, milliseconds: calls.patience)
            let answers = calls.collect()
            if !answers.isEmpty { return answers }
        }
        return []
    }

    /// The result of a call.
    private func result(_ name: String = "lint", _ script: String, input: String = "") throws -> Result {
        var calls = try calls(script)
        #expect(calls.add(try call(name, words: ["--", "a'b"], input: input)).isEmpty)
        return Result(try #require(answers(&calls).first), replacing: self.script)
    }

    private struct Result {
        let isError: Bool?
        let structured: SourceValue?
        let texts: [String]

        init(_ answer: SourceValue, replacing script: String = "") {
            let result = answer.member(named: "result")
            isError = result?.member(named: "isError")?.asBool
            structured = result?.member(named: "structuredContent")
            texts = (result?.member(named: "content")?.asArray ?? []).compactMap { $0.member(named: "text")?.asString }
                .map { script.isEmpty ? $0 : $0.replacing(script, with: "NAME") }
        }

        var json: String { structured.map { String(decoding: SourceWriter.minified($0), as: UTF8.self) } ?? "" }
    }

    @Test(arguments: [
        ("lint", "echo '[1]'", false, #"{"ok":true,"findings":[1]}"#, [#"{"ok":true,"findings":[1]}"#]),
        ("lint", "echo '[]'; exit 1", false, #"{"ok":false,"findings":[]}"#, [#"{"ok":false,"findings":[]}"#]),
        (
            "lint", "echo '[]'; echo bad >&2; exit 1", false, #"{"ok":false,"findings":[],"messages":["bad"]}"#,
            [#"{"ok":false,"findings":[],"messages":["bad"]}"#]
        ),
        ("lint", "echo bad >&2; exit 2", true, "", ["bad\n"]),
        ("diff", "echo '{}'; exit 1", true, #"{"ok":false,"difference":{}}"#, [#"{"ok":false,"difference":{}}"#]),
        ("match", "echo 1; echo 2", false, #"{"ok":true,"answers":[1,2]}"#, [#"{"ok":true,"answers":[1,2]}"#]),
        ("match", "echo 1; echo x", false, "", ["1\nx\n"]), ("publish", "echo the same", false, "", ["the same\n"]),
        ("explain", "cat; echo \"$@\"", false, "", ["input-- a'b\n"]),
        ("explain", "kill -9 $$", true, "", ["`associated NAME -- 'a'\\''b'` has crashed"]),
    ])
    func `a result from what a command prints`(
        name: String, script: String, isError: Bool, json: String, texts: [String]
    ) throws {
        let result = try result(name, script, input: "input")
        #expect(result.isError == isError && result.json == json && result.texts == texts, "\(result)")
    }

    @Test func `a long list is cut, and says how to get the rest`() throws {
        let result = try result("lint", "printf '['; for i in $(seq 3000); do printf '\"%0100d\",' $i; done; echo 1]")
        let count = result.structured?.member(named: "findings")?.asArray?.count ?? 0
        #expect((400..<600).contains(count) && result.texts[0].utf8.count <= MCPCall.bytesMax)
        #expect(
            result.texts[1]
                == "The result was cut: \(count) of 3001 findings; ask for less, or run this in a shell: associated NAME -- 'a'\\''b'"
        )
        let short = try self.result(
            "lint", "printf '['; for i in $(seq 300); do printf '\"%0100d\",' $i; done; echo 1]")
        #expect(short.texts.count == 1 && short.structured?.member(named: "findings")?.asArray?.count == 301)
    }

    @Test(arguments: ["explain", "why"])
    func `a long text is cut between characters`(name: String) throws {
        let script = #"printf '"%*s' 1; for i in $(seq 20000); do printf 'äöü€'; done; echo '"'"#
        let result = try result(name, script)
        #expect(result.structured == nil && result.isError == false && result.texts.count == 2)
        #expect(result.texts[0].utf8.count <= MCPCall.bytesMax && result.texts[0].utf8.count > MCPCall.bytesMax - 8)
        #expect(!result.texts[0].contains("\u{FFFD}") && result.texts[1].contains("was cut; ask for less"))
    }

    @Test func `a refusal of the removal guard is for a person`() throws {
        let refusal = #"echo '{"status": 423, "detail": "rely on it"}'; echo 'associated: rely on it' >&2; exit 1"#
        let result = try result("publish", refusal)
        #expect(result.isError == true && result.texts.count == 2 && result.texts[1].contains("rely on it"))
        #expect(result.texts[0].hasPrefix("A PERSON MUST DECIDE THIS."))
        #expect(result.texts[0].hasSuffix("the person runs: associated publish --retire -- 'a'\\''b'"))
        #expect(try self.result("publish", refusal.replacing("423", with: "422")).texts.count == 1)
    }

    @Test func `a call that takes too long is killed`() throws {
        var calls = try calls("exec sleep 1000")
        calls.milliseconds = 100
        #expect(calls.add(try call()).isEmpty)
        let result = Result(try #require(answers(&calls).first))
        #expect(result.isError == true && result.texts == ["no result within 0 seconds; the call was ended"])
        #expect(calls.isEmpty)
    }

    @Test func `a call that is cancelled is killed without an answer, and the next ones start`() throws {
        var calls = try calls("[ \"$1\" = slow ] && exec sleep 1000; echo '[]'")
        for id in 1...4 { #expect(calls.add(try call(id: id, words: ["slow"])).isEmpty) }
        #expect(calls.add(try call(id: 5)).isEmpty && calls.descriptors.count == 4)
        #expect(calls.add(try call(id: 6)).isEmpty)
        let again = try #require(calls.add(try call(id: 5)).first)
        #expect(again.member(named: "error")?.member(named: "code")?.asInt == -32_600)
        #expect(calls.cancel(id: .integer(6)).isEmpty && calls.cancel(id: .string("1")).isEmpty)
        #expect(calls.cancel(id: .integer(1)).isEmpty && calls.descriptors.count == 4)
        #expect(answers(&calls).map { $0.member(named: "id")?.asInt } == [5])
        calls.hurry(milliseconds: 0)
        #expect(answers(&calls).count == 3 && calls.isEmpty)
    }

    @Test func `calls wait up to a limit`() throws {
        var calls = try calls("exec sleep 1000")
        var refused = 0
        for id in 1...110 { refused += calls.add(try call(id: id)).count }
        #expect(refused == 6)
        // Without a client, none of them is begun.
        calls.hurry(milliseconds: 0)
        #expect(answers(&calls).count == 104 && calls.isEmpty)
    }

    @Test func `a program that cannot be started is a result`() throws {
        var calls = MCPCalls()
        calls.program = "\(folder.path)/none"
        #expect(Result(try #require(calls.add(try call()).first)).isError == true && calls.isEmpty)
    }
}
