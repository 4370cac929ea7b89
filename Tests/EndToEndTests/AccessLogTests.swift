// The access log of a running server: where it goes, how it is rotated, and that a target which fails costs lines and never
// a request.

import Foundation
import Glibc
import Posix
import Testing

struct AccessLogTests {
    private let folder: Folder
    private var log: String { "\(folder.path)/access.log" }

    init() throws { folder = try Folder() }

    private static let path = "/.well-known/assetlinks.json"
    private static let request = "GET \(path) HTTP/1.1\r\nHost: shop.localhost\r\nUser-Agent: test\r\n"
    private static let plain = ServeTests.demo + ["--http", "127.0.0.1:0", "--workers", "2"]

    /// A server whose standard output is redirected.
    private func server(_ redirection: String, _ more: String...) throws -> RunningServer {
        try RunningServer(
            command: ["/bin/sh", "-c", "exec \"$0\" \"$@\" \(redirection)", Subject.executable.path, "serve"]
                + AccessLogTests.plain + more, environment: [:], input: nil)
    }

    /// Sends this many requests on each of four connections, many at a time, and returns how many answers were right.
    private func ask(_ server: RunningServer, _ count: Int) throws -> Int {
        let address = try #require(SocketAddress("127.0.0.1:\(server.port)"))
        let batch = Array(String(repeating: AccessLogTests.request + "\r\n", count: 50).utf8)
        var answers = 0
        for _ in 0..<4 {
            let client = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
            for _ in 0..<count / 200 {
                try client.send(batch)
                var (some, last) = (0, [UInt8]())
                while some < 50 {
                    let bytes = last + (try client.receive())
                    some += String(decoding: bytes, as: UTF8.self).ranges(of: "HTTP/1.1 200 OK\r\n").count
                    last = Array(bytes.suffix(16))
                }
                answers += some
            }
        }
        return answers
    }

    /// The lines of a file once there are this many, each parsed as JSON.
    private func lines(_ path: String, _ count: Int) throws -> [[String: Any]] {
        var text = ""
        _ = eventually {
            text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.utf8.count { $0 == 0x0A } >= count
        }
        #expect(text.isEmpty || text.hasSuffix("\n"))
        let lines = text.split(separator: "\n")
        #expect(lines.count == count)
        return try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    }

    @Test func `standard output gets a line for each request and nothing else`() throws {
        let server = try server(">'\(log)'", "--access-log", "stdout")
        #expect(server.announcements.contains("logging requests to standard output"))
        #expect(try ask(server, 400) == 400)
        let lines = try lines(log, 400)
        #expect(lines.allSatisfy { $0["path"] as? String == AccessLogTests.path && $0["status"] as? Int == 200 })
        server.stop()
        #expect(try self.lines(log, 400).count == 400)
    }

    @Test func `nothing is logged by default`() throws {
        let server = try server(">'\(log)'")
        #expect(try ask(server, 200) == 200)
        // Only the end of the first request.
        server.send(SIGUSR1)
        #expect(try ask(server, 200) == 200)
        server.stop()
        #expect(try lines(log, 0).isEmpty)
    }

    @Test(arguments: [
        (">&-", "stdout", "standard output: bad file descriptor"),
        ("", "/dev/full", "/dev/full: no space left on device"),
        ("</dev/null >&0", "stdout", "standard output: bad file descriptor"),
        (">/dev/full", "stdout", "standard output: no space left on device"),
    ])
    func `a destination that takes nothing delays no request`(redirection: String, log: String, why: String) throws {
        let server = try server(redirection, "--access-log", log)
        #expect(try ask(server, 20_000) == 20_000)
        #expect(server.line(containing: "cannot write the access log to \(why)") != nil)
        #expect(try ask(server, 400) == 400)
        server.stop()
    }

    @Test func `a reader that stops reading costs lines, which are counted, but no request`() throws {
        let pipe = "\(folder.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let server = try server(">'\(pipe)'", "--access-log", "stdout")
        #expect(try ask(server, 20_000) == 20_000)
        #expect(server.line(containing: "of the access log: standard output is too slow") != nil)
        // It exits although one of its threads waits for the reader.
        server.stop()
    }

    @Test func `a reader that disappears affects no request`() throws {
        let pipe = "\(folder.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        let server = try server(">'\(pipe)'", "--access-log", "stdout")
        #expect(try ask(server, 200) == 200)
        close(reader)
        #expect(try ask(server, 400) == 400)
        #expect(server.line(containing: "cannot write the access log to standard output: broken pipe") != nil)
        #expect(try ask(server, 400) == 400)
    }

    @Test func `rotation by SIGUSR1 loses no line, and SIGHUP changes nothing`() throws {
        let server = try server("", "--access-log", log)
        for round in 0..<3 {
            #expect(try ask(server, 400) == 400)
            #expect(rename(log, "\(log).\(round)") == 0)
            server.send(SIGUSR1)
            server.send(SIGHUP)
            #expect(try ask(server, 400) == 400)
            #expect(eventually { FileManager.default.fileExists(atPath: log) })
        }
        server.stop()
        let texts = try ["\(log).0", "\(log).1", "\(log).2", log].map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        for text in texts {
            #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"time\"") && $0.hasSuffix("}") })
        }
        #expect(texts.map { $0.utf8.count { $0 == 0x0A } }.reduce(0, +) == 2_400)
    }

    @Test func `a log that cannot be reopened is an open error until it can`() throws {
        try folder.write("logs/old", "")
        let server = try server("", "--access-log", "\(folder.path)/logs/access.log", "--admin", "127.0.0.1:0")
        func isOpen() throws -> Bool {
            try server.status().output.contains("error: cannot reopen the access log \(folder.path)/logs/access.log: ")
        }
        #expect(try !isOpen())
        #expect(rename("\(folder.path)/logs", "\(folder.path)/away") == 0)
        server.send(SIGUSR1)
        #expect(try eventually(isOpen))
        #expect(try server.status().status == 1)
        let metrics = try Subject.curl(["http://\(server.admin)/metrics"]).output
        #expect(metrics.contains("associated_findings{severity=\"error\"} 1\n"))
        #expect(rename("\(folder.path)/away", "\(folder.path)/logs") == 0)
        #expect(server.line(containing: "reopened the access log \(folder.path)/logs/access.log") != nil)
        #expect(try !isOpen())
        server.stop()
    }

    @Test func `two servers may write to one file`() throws {
        let (first, second) = (try server("", "--access-log", log), try server("", "--access-log", log))
        for _ in 0..<3 {
            #expect(try ask(first, 200) == 200)
            #expect(try ask(second, 200) == 200)
        }
        first.stop()
        #expect(try ask(second, 200) == 200)
        second.stop()
        #expect(try lines(log, 1_400).count == 1_400)
    }

    @Test func `settings and environment can turn it on too`() throws {
        try folder.write(
            "config/server.json", "{ http: [\"127.0.0.1:0\"], log: { access: \"\(log)\", format: \"combined\" } }")
        try folder.write("config/apps/README.md", "")
        try folder.write("config/hosts/a.localhost/well-known/security.txt", "Contact: mailto:a@example.com\n")
        let config = ["--config", "\(folder.path)/config", "--public", "\(folder.path)/public"]
        let server = try RunningServer(config)
        #expect(server.announcements.contains("logging requests to \(log)"))
        _ = try server.fetch("/.well-known/security.txt", host: "a.localhost")
        server.stop()
        let text = try folder.read("access.log")
        #expect(
            text.hasPrefix("127.0.0.1 - - [") && text.contains("\"GET /.well-known/security.txt HTTP/1.1\" 200 30 "))
        let other = try RunningServer(
            config, environment: ["ASSOCIATED_ACCESS_LOG": "off", "ASSOCIATED_ACCESS_LOG_FORMAT": "json"])
        #expect(!other.announcements.contains { $0.hasPrefix("logging") })
    }

    @Test func `over TLS the line has version, resumption and server name`() throws {
        let server = try RunningServer(
            ServeTests.demo + [
                "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--dev", "--state", folder.path, "--access-log", log,
                "--workers", "2",
            ])
        let port = server.securePort
        let session = "\(folder.path)/session"
        try folder.write("request", AccessLogTests.request + "Connection: close\r\n\r\n")
        for (version, more) in [
            ("-tls1_2", ""), ("-tls1_3", "-sess_out '\(session)'"), ("-tls1_3", "-sess_in '\(session)'"),
        ] {
            let command =
                "openssl s_client -quiet -ign_eof \(version) \(more) -connect 127.0.0.1:\(port) -servername Shop.localhost "
                + "<'\(folder.path)/request'"
            #expect(try Subject.shell(command).output.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        #expect(try Subject.curl(["http://127.0.0.1:\(port)/"]).output.contains("This port speaks HTTPS"))
        let lines = try lines(log, 4)
        #expect(lines.map { $0["tls"] as? String } == ["TLSv1.2", "TLSv1.3", "TLSv1.3", nil])
        #expect(lines.map { $0["resumed"] as? Bool } == [false, false, true, nil])
        #expect(lines.prefix(3).allSatisfy { $0["serverName"] as? String == "Shop.localhost" })
        #expect(lines[3]["status"] as? Int == 400)
    }
}
