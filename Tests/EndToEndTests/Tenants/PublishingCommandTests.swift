// From `associated publish` to what phones, Apple and receivers of messages get: all processes, with a scripted service in the place of
// Apple's CDN.

import Foundation
import TestSupport
import Testing

struct PublishingCommandTests {
    private let folder: Folder
    private let requests = Shared<[String]>([])
    /// What Apple has of every host.
    private let copy = Shared("{}")
    private let services: ScriptedServer

    init() throws {
        let (requests, copy) = (requests, copy)
        services = try ScriptedServer(certificates: nil) { request in
            requests.change { $0.append(request) }
            let body = request.hasPrefix("GET /a/v1/") ? copy.value : ""
            let status = body.isEmpty && !request.hasPrefix("POST /hook ") ? 404 : 200
            return .text("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        folder = try Folder(serving: "own.example")
        try folder.write("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        try folder.write(
            "config/server.json",
            """
            { api: 'unix:\(folder.path)/api.sock', webhooks: [{ url: 'http://\(services.address)/hook', secretFile: '\(folder.path)/secret' }],
              tests: { appleURL: 'http://\(services.address)/a/v1/', googleURL: 'http://\(services.address)/g' }, delivery: {} }
            """)
    }

    private func token(_ arguments: String...) throws -> String {
        let run = try Subject.run(
            ["token", "create"] + arguments + ["--config", "\(folder.path)/config", "--state", "\(folder.path)/state"])
        try #require(run.status == 0, "\(run.errors)")
        return run.output
    }

    private func run(_ arguments: String...) throws -> Run {
        try Subject.run(
            arguments + [
                "--tenant", "acme", "--api", "unix:\(folder.path)/api.sock", "--token-file", "\(folder.path)/token",
            ])
    }

    @Test func `a release reaches phones, Apple and receivers of messages, and is compared with another`() throws {
        let early = try Subject.run([
            "token", "create", "--scopes", "read", "--config", "\(folder.path)/config", "--state",
            "\(folder.path)/state",
        ])
        #expect(early.status == 1 && early.errors.contains("start the server first"))
        let server = try folder.serve()
        try #require(server.line(beginning: "manager: console on ") != nil)
        _ = try token("--tenant", "acme", "--scopes", "read")
        try folder.write("token", try token("--scopes", "admin"))
        for host in ["a", "b"] {
            // The manager knows a new token within seconds.
            #expect(try eventually { try run("hosts", "claim", "\(host).example.com", "--vouch").status == 0 })
        }
        try folder.write("apps/a.json", Folder.app("a.example.com"))
        let first = try run("publish", "\(folder.path)/apps", "--wait", "served")
        try folder.write("empty/notes.txt", "")
        let empty = try run("publish", "\(folder.path)/empty")
        #expect(empty.status == 1 && empty.errors.contains("empty has no app files; if all files are meant to go"))
        try folder.write("broken/a.json", "{")
        let broken = try run("publish", "\(folder.path)/broken", "--format", "json")
        #expect(broken.status == 1 && broken.output.contains("\n  \"status\": 422,\n"), "\(broken.text)")
        #expect(first.status == 0 && first.output.hasSuffix("\nserved\n"), "\(first.output)\(first.errors)")
        let document = try server.fetch("/.well-known/apple-app-site-association", host: "a.example.com")
        #expect(document.contains("/one/?*"))

        // A new host is looked at at once.
        copy.change { $0 = document }
        try folder.write("apps/b.json", Folder.app("b.example.com"))
        let second = try run("publish", "\(folder.path)/apps", "--wait", "apple")
        #expect(
            second.status == 0 && second.output.hasSuffix("\nserved\nApple has it for 1 host\n"),
            "\(second.output)\(second.errors)")
        #expect(
            eventually {
                let messages = requests.value.filter {
                    $0.hasPrefix("POST /hook ") && $0.contains("\r\nwebhook-signature: v1,")
                }
                return ["host.owned", "release.live", "delivery.equal"].allSatisfy { type in
                    messages.contains { $0.contains("{\"type\":\"\(type)\"") }
                }
            }, "\(requests.value)")

        let difference = try run("diff", "release:1", "release:live")
        #expect(difference.status == 0 && difference.output.contains("host b.example.com"), "\(difference.output)")
        #expect(try run("diff", "release:2", "\(folder.path)/apps").output == "Nothing changes for any phone.\n")
        #expect(try run("diff", "release:1", "release:9").errors.contains("acme has no release 9"))
    }
}
