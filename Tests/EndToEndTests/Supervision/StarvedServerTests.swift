// A server without free descriptors, as its users and its log see it. What is served stays, and is updated without help as soon
// as there are descriptors.

import Foundation
import Glibc
import Posix
import Testing

@Suite struct StarvedServerTests {
    private let folder: Folder

    init() throws {
        folder = try Folder(serving: "a.example")
        try folder.write("public/a.example/page.html", "one")
    }

    /// Sets the server's limit of descriptors.
    private func limit(_ server: RunningServer, to count: Int) throws {
        let run = try Subject.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["prlimit", "--pid", "\(server.serverIdentifier)", "--nofile=\(count):"])
        try #require(run.status == 0, "\(run.errors)")
    }

    @Test func `pages stay while no file can be opened, are updated soon after, and two lines are logged`() throws {
        let server = try folder.serve()
        let client = try server.connect()
        func page() throws -> String {
            try client.send(Array("GET /page.html HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8))
            var text = ""
            while !text.contains("\r\n\r\n") || text.hasSuffix("\r\n\r\n") {
                let more = try client.receive()
                try #require(!more.isEmpty, "the server has closed the connection")
                text += String(decoding: more, as: UTF8.self)
                if text.hasPrefix("HTTP/1.1 404") { break }
            }
            return String(text.split(separator: "\r\n", omittingEmptySubsequences: false).last ?? "")
        }
        #expect(try page() == "one")
        try limit(server, to: 0)
        try folder.write("public/a.example/page.html", "two")
        server.send(SIGHUP)
        var lines: [String] = []
        while let line = server.nextLine() {
            lines.append(line)
            if line.contains("cannot read all of config and public: too many open files") { break }
        }
        for _ in 0..<3 { server.send(SIGHUP) }
        #expect(try page() == "one")
        try limit(server, to: 500)
        while let line = server.nextLine() {
            lines.append(line)
            if line == "all of config and public can be read again" { break }
        }
        #expect(try eventually { try page() == "two" })
        server.send(SIGTERM)
        while let line = server.nextLine() { lines.append(line) }
        #expect(server.waitUntilExit() == 0)
        #expect(lines.count { $0.contains("cannot read all") } == 1, "\(lines)")
        #expect(lines.count { $0 == "all of config and public can be read again" } == 1, "\(lines)")
    }
}
