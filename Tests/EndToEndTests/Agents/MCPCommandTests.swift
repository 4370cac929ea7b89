// `associated mcp` as an agent runs it: one process, lines in and lines out.

import Foundation
import Posix
import Testing

struct MCPCommandTests {
    private static let app =
        #"{ name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["9JA89QQLNQ.org.acme.shop"] }, links: [{ "/": "/a/*" }] }"#

    private func play(_ lines: [String], _ options: String..., in folder: Folder) throws -> [String: String] {
        let command = Command(
            [Subject.executable.path, "mcp"] + options, input: Array(lines.joined(separator: "\n").utf8),
            in: folder.path, environment: Subject.environment)
        let run = try command.run()
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        var answers: [String: String] = [:]
        for line in run.output.split(separator: "\n") {
            let value = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            answers["\(value["id"] ?? "none")"] = String(line)
        }
        return answers
    }

    private func line(_ id: String, _ name: String, _ arguments: [String: Any]) throws -> String {
        let message: [String: Any] = [
            "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": ["name": name, "arguments": arguments],
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
    }

    private static let opening =
        #"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#

    @Test func `an agent finds a mistake, understands it, and sees what links do`() throws {
        let folder = try Folder(files: [
            "other/apps/shop.json": Self.app, "broken.json": Self.app.replacing("}] }", with: "}]"),
        ])
        let answers = try play(
            [
                Self.opening, #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                #"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#,
                try line("broken", "lint", ["paths": ["broken.json"]]),
                try line("explain", "explain", ["rule": "APP-001"]), try line("lint", "lint", ["content": Self.app]),
                try line(
                    "app", "match",
                    ["urls": ["https://shop.acme.test/a/1"], "expect": "app", "content": Self.app, "platform": "ios"]),
                try line("web", "match", ["urls": ["https://shop.acme.test/b"], "expect": "app", "platform": "ios"]),
                try line(
                    "diff", "diff",
                    ["before": "other/apps/shop.json", "content": Self.app.replacing("/a/", with: "/b/")]),
                try line("option", "match", ["urls": ["--help"]]),
                try line("snippet", "snippet", ["app": "shop", "kind": "ios"]),
                try line("status", "status", [:]), try line("none", "publish", ["directory": "."]), "{",
            ], "--config", "other", in: folder)
        let expected = [
            "list": #""name":"match""#, "broken": #""file":"broken.json","line":1,"#, "explain": #"APP-001: error"#,
            "lint": #""structuredContent":{"ok":true,"findings":[]}"#, "app": #""decision":"match","rule":0"#,
            "web": #"links[0] needs the path to match `/a/*`; the URL has `/b`"#,
            "diff": #""url":"https://shop.acme.test/b""#,
            "option": #"\"--help\" cannot be matched"#, "snippet": "==> Shop.entitlements <==",
            "status": "no admin listener",
            "none": "there is no tool publish", "<null>": #""code":-32700"#,
        ]
        for (id, part) in expected {
            #expect(answers[id]?.contains(part) == true, "\(id): \(answers[id] ?? "no answer")")
        }
        #expect(answers["web"]?.contains(#""structuredContent":{"ok":false"#) == true)
        #expect(answers.count == expected.count + 1)
    }
}
