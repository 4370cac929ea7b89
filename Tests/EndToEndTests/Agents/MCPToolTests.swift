// The arguments that a model gives, and the command lines that they become.

import SourceJSON
import Supervision
import Testing

@testable import associated

struct MCPToolTests {
    private func line(_ name: String, _ arguments: String) throws -> (words: [String], input: [UInt8]) {
        let tool = try #require((MCPTool.reading + MCPTool.publishing).first { $0.name == name })
        let value = SourceReader.read(Array(arguments.utf8), as: .json).value
        return try tool.commandLine(try #require(value?.asObject))
    }

    @Test(arguments: [
        ("lint", "{}", ["lint", "--format=json", "--"]),
        (
            "lint", #"{"paths":["--fix","a b"],"notes":true}"#,
            ["lint", "--format=json", "--notes", "--", "--fix", "a b"]
        ),
        ("lint", #"{"paths":"one","notes":false,"as":null}"#, ["lint", "--format=json", "--", "one"]),
        ("lint", #"{"config":"--fix"}"#, ["lint", "--format=json", "--config=--fix", "--"]),
        ("explain", #"{"rule":"--fix"}"#, ["lint", "--explain=--fix", "--"]),
        (
            "match", #"{"urls":["a.example/x","--live"],"platform":"ios","expect":"app"}"#,
            ["match", "--format=json", "--expect=app", "--platform=ios", "--", "a.example/x", "--live"]
        ),
        ("diff", #"{"after":"b","before":"a"}"#, ["diff", "--format=json", "--", "a", "b"]),
        (
            "check", #"{"hosts":["a"],"timeout":9,"apple_cdn":true}"#,
            ["check", "--format=json", "--apple-cdn", "--timeout=9", "--", "a"]
        ),
        ("snippet", #"{"app":"shop","kind":"react-native"}"#, ["snippet", "--", "shop", "react-native"]),
        (
            "publish", #"{"directory":"--retire","message":"--retire"}"#,
            ["publish", "--format=json", "--message=--retire", "--", "--retire"]
        ),
        ("publish_check", #"{"directory":"a"}"#, ["publish", "--check", "--format=json", "--", "a"]),
    ])
    func `arguments become options and operands, and never another option`(
        name: String, arguments: String, words: [String]
    ) throws {
        let line = try line(name, arguments)
        #expect(line.words == words && line.input.isEmpty)
        let command = try #require(Program.commands.first { $0.name == words[0] })
        _ = try ParsedArguments(Array(words.dropFirst()), for: command)
    }

    @Test(arguments: [
        ("lint", #"{"content":"{}"}"#, ["lint", "--format=json", "--", "-"]),
        ("lint", #"{"content":"{}","paths":["a"]}"#, ["lint", "--format=json", "--", "a", "-"]),
        ("match", #"{"content":"{}","urls":["a"]}"#, ["match", "--format=json", "--app=-", "--", "a"]),
        ("match", #"{"content":"{}","urls":["a"],"as":"apple"}"#, ["match", "--format=json", "--apple=-", "--", "a"]),
        ("diff", #"{"content":"{}","before":"a"}"#, ["diff", "--format=json", "--", "a", "-"]),
        ("snippet", #"{"content":"{}","kind":"ios"}"#, ["snippet", "--", "-", "ios"]),
    ])
    func `content goes to standard input`(name: String, arguments: String, words: [String]) throws {
        let line = try line(name, arguments)
        #expect(line.words == words && line.input == Array("{}".utf8))
    }

    @Test(arguments: [
        ("lint", #"{"path":"a"}"#, "lint has no argument `path`; did you mean paths?"),
        ("lint", #"{"fix":true}"#, "lint has no argument `fix`"),
        ("lint", #"{"notes":"yes"}"#, "`notes` must be true or false"),
        ("lint", #"{"paths":[1]}"#, "`paths` must be a list of texts"),
        ("lint", #"{"paths":["a\u0000b"]}"#, "`paths` has a NUL character"),
        ("lint", #"{"as":"web"}"#, "`as` must be apple, android, app, entitlements or manifest, not web"),
        ("match", "{}", "match needs `urls`"), ("match", #"{"urls":[]}"#, "match needs `urls`"),
        ("match", #"{"urls":["a"],"content":"{}","as":"config"}"#, "`as` must be app, apple or android, not config"),
        ("diff", #"{"before":"a"}"#, "diff needs `after` or `content`"),
        ("diff", #"{"before":"a","after":"b","content":""}"#, "give `after` or `content`, not both"),
        ("diff", #"{"before":{},"after":"b"}"#, "`before` must be a text"),
        ("publish", #"{"directory":"a","retire":true}"#, "publish has no argument `retire`"),
    ])
    func `says which argument is wrong`(name: String, arguments: String, message: String) {
        let error = #expect(throws: Refusal.self) { try line(name, arguments) }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }
}
