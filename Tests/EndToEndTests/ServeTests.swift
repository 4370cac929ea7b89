// The server as users see it: started, fetched with curl, reloaded and stopped.

import Foundation
import Posix
import Testing

struct ServeTests {
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    static let demo = ["--config", "\(repository)/config", "--public", "\(repository)/public"]

    private func fetch(_ server: RunningServer, _ host: String, _ path: String, _ more: String...) throws -> String {
        var arguments = ["--include", "--resolve", "\(host):\(server.port):127.0.0.1"]
        arguments += more + ["http://\(host):\(server.port)\(path)"]
        let run = try Subject.curl(arguments)
        #expect(run.status == 0)
        return run.output
    }

    @Test(arguments: [
        ("shop.localhost", "/.well-known/apple-app-site-association", "dev.associated.shop"),
        ("shop.localhost", "/.well-known/assetlinks.json", "dev.associated.shop"),
        ("news.localhost", "/.well-known/apple-app-site-association", "dev.associated.news"),
        ("news.localhost", "/.well-known/assetlinks.json", "dev.associated.news"),
    ])
    func `the demonstration answers curl exactly`(host: String, path: String, mentions: String) throws {
        let server = try RunningServer(ServeTests.demo + ["--http", "127.0.0.1:0"])
        let answer = try fetch(server, host, path)
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        #expect(parts[0].hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect((parts[0] + "\r\n").contains("\r\ncontent-type: application/json\r\n"))
        let json = try JSONSerialization.jsonObject(with: Data(parts[1].utf8))
        #expect("\(json)".contains(mentions))
    }

    @Test(arguments: [
        ("/products/anchor?a=1&b=2", "200", "dev.associated.shop:///products/anchor?a=1&amp;b=2"),
        ("/search?q=rope", "200", "https://shop.localhost/search?q=rope"), ("/search", "404", ""),
        ("/products/catalogue.pdf", "404", ""), ("/imprint", "404", ""), ("/.well-known/products/x", "404", ""),
        ("/demo/", "200", "Links to try"), ("/demo/destination/", "200", "You are in the browser"),
        ("/demo/router/?/products/anchor", "200", "A router that accepts a path"),
    ])
    func `a link without its app shows the landing page, other paths do not`(
        path: String, status: String, mentions: String
    ) throws {
        let server = try RunningServer(ServeTests.demo + ["--http", "127.0.0.1:0"])
        let answer = try fetch(server, "shop.localhost", path)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(mentions.isEmpty || answer.contains(mentions))
    }

    @Test func `in development, the log names the hosts, and its request is answered`() throws {
        let folder = try Folder(serving: "a.example")
        let server = try folder.serve("--https", "127.0.0.1:0", "--dev")
        let announced = server.announcements
        #expect(announced.contains { $0.hasPrefix("hosts: a.example; a request for any other gets a 404") })
        let request = try #require(announced.first { $0.hasPrefix("try: curl ") }).dropFirst("try: ".count)
        let run = try Subject.shell("\(request) --silent --include")
        #expect(run.output.hasPrefix("HTTP/1.1 200 "), "\(run.errors)")
        server.stop()
    }

    @Test func `a host needs no app to serve well-known files`() throws {
        let folder = try Folder()
        try folder.write("config/apps/README.md", "")
        try folder.write("config/hosts/a.localhost/well-known/security.txt", "Contact: mailto:security@example.com\n")
        try folder.write("config/hosts/a.localhost/well-known/change-password", "/account/password\n")
        let server = try folder.serve()
        let text = try fetch(server, "a.localhost", "/.well-known/security.txt")
        #expect(text.contains("\r\ncontent-type: text/plain; charset=utf-8\r\n"))
        #expect(text.hasSuffix("\r\n\r\nContact: mailto:security@example.com\n"))
        let redirect = try fetch(server, "a.localhost", "/.well-known/change-password")
        #expect(redirect.hasPrefix("HTTP/1.1 302 "))
        #expect(redirect.contains("\r\nlocation: /account/password\r\n"))
        let probe = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
        #expect(try fetch(server, "a.localhost", probe).hasPrefix("HTTP/1.1 404 "))
    }

    @Test func `with --dev curl trusts each host over TLS, and unknown hosts get an alert`() throws {
        let folder = try Folder()
        let server = try RunningServer(
            ServeTests.demo + ["--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--dev", "--state", folder.path])
        let port = server.securePort
        func fetch(_ host: String) throws -> Run {
            try Subject.curl([
                "--show-error", "--cacert", "\(folder.path)/development-ca.pem", "--resolve",
                "\(host):\(port):127.0.0.1", "https://\(host):\(port)/.well-known/assetlinks.json",
            ])
        }
        for host in ["shop.localhost", "news.localhost"] {
            let run = try fetch(host)
            #expect(run.status == 0)
            #expect(run.output.contains("sha256_cert_fingerprints"))
        }
        #expect(try fetch("other.localhost").errors.contains("unrecognized name"))
    }

    @Test func `a broken app file is named and the others are served`() throws {
        let folder = try ServeTests.config(broken: true)
        let server = try RunningServer(["--config", folder.path, "--http", "127.0.0.1:0"])
        let line = try #require(server.announcements.first { $0.contains("error[") })
        #expect(line.hasPrefix("\(folder.path)/apps/bad.json:1:"))
        #expect(server.announcements.contains("serving 1 app on 1 host"))
        #expect(try fetch(server, "a.example", "/.well-known/apple-app-site-association").hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a hangup signal reads everything again`() throws {
        let folder = try ServeTests.config(broken: false)
        let server = try RunningServer(["--config", folder.path, "--http", "127.0.0.1:0"])
        #expect(try fetch(server, "b.example", "/apple-app-site-association").hasPrefix("HTTP/1.1 404 "))
        try folder.write("apps/b.json", Folder.app("b.example"))
        server.send(SIGHUP)
        #expect(server.nextLine() == "reloaded: 2 apps on 2 hosts")
        #expect(try fetch(server, "b.example", "/apple-app-site-association").hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `exits on SIGTERM`(signal: Int32) throws {
        let server = try RunningServer(ServeTests.demo + ["--http", "127.0.0.1:0"])
        server.send(signal)
        #expect(server.nextLine() == "stopping")
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `finishes open requests, unless it gets a second signal`() throws {
        for signals in 1...2 {
            let server = try RunningServer(ServeTests.demo + ["--http", "127.0.0.1:0"])
            let client = try server.connect()
            try client.send(Array("OPTIONS * HTTP/1.1\r\n".utf8))
            server.send(SIGTERM)
            #expect(server.nextLine() == "stopping")
            if signals == 2 {
                server.send(SIGTERM)
                #expect(server.nextLine() == "stopped before all requests were finished")
                #expect(server.waitUntilExit() == 1)
            } else {
                try client.send(Array("Host: shop.localhost\r\n\r\n".utf8))
                let answer = String(decoding: try client.receive(), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 204 "))
                #expect(server.waitUntilExit() == 0)
            }
        }
    }

    @Test func `an error that prevents a start is one line`() throws {
        let folder = try ServeTests.config(broken: true)
        for (arguments, line) in [
            (
                ["--config", "/nowhere", "--http", "127.0.0.1:0"],
                "cannot read /nowhere/apps: no such file or directory; "
            ),
            (
                ["--config", folder.path, "--strict", "--http", "127.0.0.1:0"],
                "not started: 1 error above, and --strict is set"
            ),
            (
                ["--config", folder.path, "--http", "127.0.0.1:0", "--access-log", "/nonexistent/access.log"],
                "not started: cannot write the access log /nonexistent/access.log: no such file or directory; "
            ),
            (
                ["--config", folder.path, "--http", "192.0.2.1:80"],
                "cannot listen on 192.0.2.1:80: cannot assign requested address; "
            ),
        ] {
            let run = try Subject.run(["serve"] + arguments)
            #expect(run.status == 1)
            #expect(run.messages.last?.hasPrefix(line) == true, "\(run.errors)")
        }
        try folder.write("apps/a.json", "{")
        let run = try Subject.run("serve", "--config", folder.path, "--http", "127.0.0.1:0")
        #expect(run.status == 1)
        let reason = "not started: no valid app file in \(folder.path)/apps names a host; "
        #expect(run.messages.last?.hasPrefix(reason) == true, "\(run.errors)")
    }

    @Test(arguments: [("user: 65532", "`user`"), ("sandbox: 'requird', strict: 1", "`sandbox` and `strict`")])
    func `the server does not start with invalid safety settings`(settings: String, keys: String) throws {
        let folder = try ServeTests.config(broken: true)
        try folder.write("server.json", "{ \(settings) }")
        // This is checked before anything else that could prevent the start.
        let run = try Subject.run("serve", "--config", folder.path, "--http", "127.0.0.1:0", "--strict")
        #expect(run.status == 1)
        let lines = run.messages
        let reason = "not started: \(keys) of \(folder.path)/server.json cannot be used, and without "
        #expect(lines.last?.hasPrefix(reason) == true, "\(run.errors)")
        // Nothing has been read with the wrong settings.
        #expect(lines.dropLast().allSatisfy { $0.hasPrefix("\(folder.path)/server.json:1:") }, "\(run.errors)")
    }

    @Test func `the server does not start with unreadable settings`() throws {
        let folder = try ServeTests.config(broken: false)
        try folder.write("server.json", "{ https: [\"127.0.0.1:0\"]")
        let run = try Subject.run("serve", "--config", folder.path, "--http", "127.0.0.1:0")
        #expect(run.status == 1)
        let lines = run.messages
        #expect(lines.first?.hasPrefix("\(folder.path)/server.json:1:") == true, "\(run.errors)")
        #expect(lines.last == "not started: \(folder.path)/server.json cannot be read; fix or remove it")
    }

    @Test func `a second server on a port is refused without --reuse-port`() throws {
        let first = try RunningServer(ServeTests.demo + ["--http", "127.0.0.1:0"])
        let address = "127.0.0.1:\(first.port)"
        #expect(first.addresses == ["http://\(address)"])
        let refused = try Subject.run(["serve"] + ServeTests.demo + ["--http", address])
        #expect(refused.status == 1)
        let process = Need.inspection.isMet ? " (process \(first.processIdentifier))" : ""
        #expect(
            refused.messages.last
                == "cannot listen on \(address): another server of this user already listens there\(process); stop it, choose "
                + "another port, or share the port with --reuse-port; to update a server, send it SIGUSR2")
        let second = try RunningServer(ServeTests.demo + ["--http", address, "--reuse-port"])
        #expect(second.addresses == ["http://\(address)"])
        #expect(
            second.announcements.first
                == "another server listens on \(address) too\(process): the kernel splits new connections between both")
    }

    @Test func `a port in use is one line of error`() throws {
        let folder = try ServeTests.config(broken: false)
        let other = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false)
        let port = other.address.port
        let run = try Subject.run("serve", "--config", folder.path, "--http", "127.0.0.1:\(port)")
        #expect(run.status == 1)
        let line = "cannot listen on 127.0.0.1:\(port): address already in use (process "
        #expect(run.messages.first?.hasPrefix(line) == true)
    }

    private static func config(broken: Bool) throws -> Folder {
        let folder = try Folder()
        try folder.write("apps/a.json", Folder.app("a.example"))
        if broken { try folder.write("apps/bad.json", "{ name: ") }
        return folder
    }
}
