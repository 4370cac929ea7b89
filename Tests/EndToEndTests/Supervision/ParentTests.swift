// The parent process: servers that die, upgrades that fail, and addresses that change.

import Foundation
import Glibc
import Posix
import Testing

@testable import Supervision
@testable import associated

struct ParentTests {
    private let folder: Folder

    init() throws { folder = try Folder(serving: "a.example") }

    private func start(_ more: String...) throws -> RunningServer {
        try RunningServer(["--config", "\(folder.path)/config", "--state", "\(folder.path)/state"] + more)
    }

    private func status(_ port: String) throws -> String {
        let url = "http://127.0.0.1:\(port)/.well-known/apple-app-site-association"
        return try Subject.curl([
            "--output", "/dev/null", "--write-out", "%{http_code}", "--header", "Host: a.example", url,
        ]).output
    }

    @Test func `restarts a server that dies, and clients wait meanwhile`() throws {
        let server = try start("--http", "127.0.0.1:0", "--workers", "2")
        let old = server.serverIdentifier
        kill(old, SIGKILL)
        #expect(server.line(beginning: "the server (process \(old)) was ended by SIGKILL; the next one starts") != nil)
        // More than there are sockets, so that some wait at each.
        for _ in 0..<8 { #expect(try status(server.port) == "200") }
        #expect(server.serverIdentifier != old)
        server.stop()
    }

    @Test(arguments: [
        ("{ http: ", "server.json has changed, and the next start would fail: "),
        (
            "{ user: 'nobody here', environment: 'none' }",
            "server.json has changed: send SIGUSR2 to apply it, or restart"
        ),
        (nil, "server.json: error[CFG-001]: the file is gone; a restart would use the defaults"),
    ])
    func `a server that dies is replaced with the settings in force`(settings: String?, line: String) throws {
        let file = "config/server.json"
        try folder.write(file, "{ workers: 1 }")
        let server = try start("--http", "127.0.0.1:0")
        if let settings { try folder.write(file, settings) } else { try folder.remove(file) }
        #expect(server.line(containing: line) != nil)
        kill(server.serverIdentifier, SIGKILL)
        #expect(try status(server.port) == "200")
        #expect(server.line(containing: line) != nil, "the next server says so too")
        try folder.write(file, "{ workers: 1 }")
        #expect(server.line(containing: "server.json is again as it was at the start") != nil)
        server.stop()
    }

    @Test func `a server that finishes a request refuses further clients`() throws {
        let server = try start("--http", "127.0.0.1:0")
        let address = try #require(SocketAddress("127.0.0.1:\(server.port)"))
        let client = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
        try client.send(Array("GET / HTTP/1.1\r\nHost: a.example\r\n".utf8))
        server.send(SIGTERM)
        // One that the kernel accepted would wait for an answer until the process exits.
        #expect(eventually { (try? ClientSocket(to: address, timeoutMilliseconds: 1_000)) == nil })
        try client.send(Array("\r\n".utf8))
        #expect(try String(decoding: client.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 "))
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `the status says how the server before was ended, until an upgrade`() throws {
        let server = try start("--http", "127.0.0.1:0", "--admin", "127.0.0.1:0")
        let line = "\nthe server before this one was ended by SIGKILL "
        #expect(try !server.status().output.contains("the server before"))
        kill(server.serverIdentifier, SIGKILL)
        #expect(eventually { (try? server.status())?.output.contains(line) == true })
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgraded: ") != nil)
        #expect(try !server.status().output.contains("the server before"))
        server.stop()
    }

    @Test func `a stop wakes a server that is stopped`() throws {
        let server = try start("--http", "127.0.0.1:0")
        kill(server.serverIdentifier, SIGSTOP)
        let began = Clock.monotonicMilliseconds()
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
        #expect(Clock.monotonicMilliseconds() - began < ServerLifecycle.lookMilliseconds)
    }

    @Test func `a second server is refused the state directory of the first`() throws {
        let server = try start("--http", "127.0.0.1:0")
        let second = ["--config", "\(folder.path)/config", "--state", "\(folder.path)/state", "--http", "127.0.0.1:0"]
        let run = try Subject.run(["serve"] + second)
        #expect(run.status == 1)
        let process = " (process \(server.processIdentifier))"
        #expect(
            run.messages == ["another server\(process) works in \(folder.path)/state; stop it, or use another --state"])
        let check = try Subject.run(["serve", "--check"] + second)
        #expect(
            check.status == 0
                && check.errors.contains("note: a running server\(process) works in \(folder.path)/state; "))
        // An upgrade has two servers for a moment.
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgraded: ") != nil)
        server.send(SIGKILL)
        _ = server.waitUntilExit()
        try start("--http", "127.0.0.1:0").stop()
    }

    @Test func `a second server leaves the admin socket of the first alone`() throws {
        let path = "\(folder.path)/admin.sock"
        let server = try start("--http", "127.0.0.1:0", "--admin", "unix:\(path)")
        let second = ["--config", "\(folder.path)/config", "--state", "\(folder.path)/other", "--http", "127.0.0.1:0"]
        let run = try Subject.run(["serve"] + second + ["--admin", "unix:\(path)"])
        #expect(run.status == 1 && run.errors.contains("cannot listen on unix:\(path) for admin: "), "\(run.errors)")
        #expect(try Subject.run(["health", "--admin", "unix:\(path)"]).status == 0)
        server.stop()
    }

    @Test func `the state belongs to the configuration, however its path is written`() throws {
        try start("--http", "127.0.0.1:0").stop()
        try folder.write("config/apps/a.json", "{ name")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: folder.path)
        for path in ["config/", "/config", "link/config", "config/../config", "./config"] {
            let server = try RunningServer([
                "--config", "\(folder.path)/\(path)", "--state", "\(folder.path)/state", "--http", "127.0.0.1:0",
            ])
            #expect(try status(server.port) == "200", "\(path)")
            server.stop()
        }
    }

    @Test func `the state of another configuration is set aside, and status, log and history say so`() throws {
        try start("--http", "127.0.0.1:0").stop()
        let other = try Folder(serving: "b.example")
        let arguments = [
            "--config", "\(other.path)/config", "--state", "\(folder.path)/state", "--http", "127.0.0.1:0", "--admin",
            "127.0.0.1:0",
        ]
        let check = try Subject.run(["serve", "--check"] + arguments)
        let problem =
            "the state in \(folder.path)/state is of another configuration or environment, and a start would set it aside"
        #expect(check.status == 1 && check.errors.contains(problem), "\(check)")
        let server = try RunningServer(arguments)
        let text =
            "\(folder.path)/state/other-1.tenants was set aside, because it is the state of another configuration"
        #expect(server.announcements.contains { $0.hasPrefix(text) && $0.contains("1 are not served: a.example") })
        let report = try server.status()
        #expect(report.status == 1 && report.output.contains(text), "\(report.text)")
        let history = try Subject.run("history", "--state", "\(folder.path)/state")
        #expect(history.output.contains("set aside; not served: 1 host (a.example)"), "\(history.text)")
        try folder.remove("state/other-1.tenants")
        #expect(eventually { (try? server.status())?.status == 0 })
        server.stop()
    }

    @Test func `no server outlives its parent`() throws {
        let server = try start("--http", "127.0.0.1:0")
        let child = server.serverIdentifier
        try #require(child > 0)
        server.send(SIGKILL)
        _ = server.waitUntilExit()
        #expect(eventually { kill(child, 0) != 0 })
    }

    @Test(.needs(.otherUsers))
    func `a server of another user does not outlive its parent, which can signal it`() throws {
        let server = try start("--http", "127.0.0.1:0", "--user", "65532")
        let child = server.serverIdentifier
        try #require(child > 0)
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgraded: ") != nil)
        #expect(eventually { kill(child, 0) != 0 })
        let next = server.serverIdentifier
        server.send(SIGKILL)
        _ = server.waitUntilExit()
        #expect(eventually { kill(next, 0) != 0 })
    }

    @Test(arguments: [
        // Found by the parent, and by the new server.
        ("{ http: ", "not upgraded: "), ("{ user: 'nobody here' }", "not upgraded: "),
        ("{ environment: 'none' }", "not upgraded: the new server exited with status 1 before it was ready"),
    ])
    func `keeps the running server when an upgrade fails`(settings: String, line: String) throws {
        let server = try start("--http", "127.0.0.1:0")
        let child = server.serverIdentifier
        try folder.write("config/server.json", settings)
        server.send(SIGUSR2)
        #expect(server.line(beginning: line) != nil)
        #expect(try status(server.port) == "200")
        #expect(server.serverIdentifier == child)
        // And once it is right, it works.
        try folder.write("config/server.json", "{}")
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgraded: ") != nil)
        #expect(try status(server.port) == "200")
    }

    @Test func `an upgrade that fails leaves the admin socket as it was`() throws {
        let path = "\(folder.path)/state/admin.sock"
        func settings(_ mode: String, _ more: String = "") throws {
            try folder.write(
                "config/server.json", "{ admin: { address: 'unix:\(path)', socketMode: '\(mode)' }\(more) }")
        }
        func permissions() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        try settings("0600")
        let server = try start("--http", "127.0.0.1:0")
        let child = server.serverIdentifier
        try settings("0660", ", environment: 'none'")
        server.send(SIGUSR2)
        #expect(server.line(beginning: "not upgraded: ") != nil)
        let health = try Subject.run(["health", "--admin", "unix:\(path)"])
        #expect(health.status == 0, "\(health.errors)")
        #expect(try permissions() == 0o600)
        #expect(server.serverIdentifier == child)
        try settings("0660")
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgraded: ") != nil)
        // A thread for slow file access changes them.
        #expect(try eventually { try permissions() == 0o660 })
        #expect(try Subject.run(["health", "--admin", "unix:\(path)"]).status == 0)
    }

    @Test(.needs(.inspection)) func `an upgrade follows a link that leads to another program now`() throws {
        let link = "\(folder.path)/current"
        for version in ["v1", "v2"] { try Subject.copyExecutable(to: "\(folder.path)/\(version)") }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "v1")
        let server = try RunningServer(
            command: [link, "serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0"], environment: [:],
            input: nil)
        try FileManager.default.createSymbolicLink(atPath: "\(link).new", withDestinationPath: "v2")
        #expect(rename("\(link).new", link) == 0)
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgrading: starting \(link)") != nil)
        #expect(server.line(beginning: "upgraded: ") != nil)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(server.serverIdentifier)/exe")
        #expect(program == "\(folder.path)/v2")
    }

    @Test(.needs(.processNamespaces))
    func `as process 1 of a container it takes the orphans of others, and stops as usual`() throws {
        let pipe = "\(folder.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let script = "(cat \(pipe) >/dev/null &) ; exec \"$@\""
        let command = [Subject.executable.path, "serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0"]
        let server = try RunningServer(
            command: ["/usr/bin/unshare", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", script, "sh"] + command,
            environment: [:], input: nil)
        func children(of process: Int32) -> [Int32] {
            let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
            return text?.split(separator: " ").compactMap { Int32($0) } ?? []
        }
        let first = try #require(children(of: server.processIdentifier).first)
        func orphans() -> [Int32] {
            children(of: first).filter { (try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8)) == "cat\n" }
        }
        #expect(eventually { orphans().count == 1 })
        // It reads the end of the pipe, and ends.
        close(open(pipe, O_WRONLY))
        #expect(eventually { orphans().isEmpty })
        #expect(try status(server.port) == "200")
        kill(first, SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `an upgrade opens new addresses and closes old ones`() throws {
        try folder.write("config/server.json", "{ http: ['127.0.0.1:0', 'unix:\(folder.path)/a', '127.0.0.1:0'] }")
        let server = try start()
        let port = server.port
        let other = try #require(server.addresses.last?.split(separator: ":").last)
        let free = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: true)
        try folder.write(
            "config/server.json",
            "{ http: ['127.0.0.1:\(free.address.port)', '127.0.0.1:0', '127.0.0.1:0'], reusePort: true }")
        server.send(SIGUSR2)
        var addresses: [String] = []
        // Two processes write these lines, in any order.
        var awaited: Set = ["upgraded", "ready"]
        while !awaited.isEmpty, let line = server.nextLine() {
            if line.hasPrefix("listening on ") { addresses.append(line) }
            awaited.remove(String(line.prefix { $0 != ":" }))
        }
        // Those with port 0 are the same as before.
        #expect(
            addresses
                == [String(free.address.port), "\(port)", "\(other)"].map { "listening on http://127.0.0.1:\($0)" })
        #expect(try status(port) == "200")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/a"))
    }

    @Test func `a server ignores signals that are meant for its parent`() throws {
        let server = try start("--http", "127.0.0.1:0")
        let child = server.serverIdentifier
        // As `systemctl kill` sends them.
        for _ in 0..<3 { kill(child, SIGUSR2) }
        #expect(try status(server.port) == "200")
        let client = try server.connect()
        try client.send(Array("GET /.well-known/apple-app-site-association HTTP/1.1\r\nHost: a.exa".utf8))
        // Afterwards the server has certainly read the first half of the request.
        #expect(try status(server.port) == "200")
        for process in [child, server.processIdentifier, child, child] { kill(process, SIGTERM) }
        #expect(server.line(beginning: "stopping") != nil)
        try client.send(Array("mple\r\n\r\n".utf8))
        #expect(String(decoding: try client.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        #expect(server.waitUntilExit() == 0)
    }

    @Test(arguments: ["x", "2 server 1 3 0 http:4", "2 manager 1 0 0"])
    func `refuses the variable of a parent from anyone else`(text: String) throws {
        let run = try Subject.run("serve", "--http", "127.0.0.1:0", environment: ["ASSOCIATED_INHERITED": text])
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("associated: "))
    }
}
