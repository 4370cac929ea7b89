// What a running server can still do, tried from inside its process.

import Foundation
import Glibc
import Posix
import Testing

@Suite struct SandboxTests {
    private static let hasAll = Landlock.version > 0 && SystemCallFilter.isSupported
    /// Sanitizers run without a sandbox.
    private static let isConfined = hasAll && ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] == nil

    private let folder: Folder

    init() throws {
        folder = try Folder(serving: "a.example")
        try folder.write("public/a.example/page.html", "page")
    }

    private func start(_ more: [String], environment: [String: String] = [:]) throws -> RunningServer {
        try RunningServer(folder.options.prefix(4) + ["--http", "127.0.0.1:0"] + more, environment: environment)
    }

    /// The values of a line in /proc/PID/task/*/status, for all threads of a process.
    private func status(_ name: String, of server: RunningServer) throws -> Set<String> {
        let tasks = "/proc/\(server.serverIdentifier)/task"
        // A thread may have ended since it was listed.
        let texts = try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap {
            try? String(contentsOfFile: "\(tasks)/\($0)/status", encoding: .utf8)
        }
        #expect(texts.count > 1)
        return Set(
            texts.flatMap { text in
                text.split(separator: "\n").filter { $0.hasPrefix("\(name):") }.map {
                    $0.dropFirst(name.count + 1).split(whereSeparator: \.isWhitespace).joined(separator: " ")
                }
            })
    }

    @Test(.enabled(if: isConfined, "the server is in a sandbox"))
    func `a server opens no other file, starts no program and reaches no other address`() throws {
        let probe = try Probe()
        let server = try start([], environment: probe.environment)
        let outcomes = try probe.outcomes(in: server)
        #expect(outcomes.count == 31)
        for (attempt, number) in outcomes {
            let isFile = ["shadow", "passwd", "write", "report"].contains(attempt)
            #expect(number == (isFile ? EACCES : EPERM), "\(attempt)")
        }
        #expect(try probe.outside.reached().isEmpty)
        // It still serves.
        #expect(try server.fetch("/page.html") == "page")
    }

    @Test(.enabled(if: isConfined, "the server is in a sandbox"))
    func `a server can write its state but not the files that it serves`() throws {
        try folder.write("config/hosts/a.example/well-known/x.txt", "own")
        let folders = ["config/new1", "config/apps/new2", "config/hosts/a.example/new3", "public/new4"]
        let files = ["config/apps/a.json", "config/hosts/a.example/well-known/x.txt", "public/a.example/page.html"]
        let places = (folders + files + ["state/new5"]).map { "\(folder.path)/\($0)" }
        let probe = try Probe()
        let server = try start(
            ["--state", "\(folder.path)/state"],
            environment: probe.environment.merging(["PROBE_PLACES": places.joined(separator: ":")]) { $1 })
        let outcomes = try probe.outcomes(in: server).filter { $0.key.hasPrefix("write:") }
        var expected = ["write:new5": Int32(0)]
        for path in folders + files { expected["write:\(path.split(separator: "/").last!)"] = EACCES }
        #expect(outcomes == expected)
    }

    @Test func `the folders of the configuration may be links to anywhere`() throws {
        try folder.write("elsewhere/own.example/well-known/x.txt", "own")
        try folder.link("config/hosts", to: "\(folder.path)/elsewhere")
        let server = try start([])
        #expect(try server.fetch("/.well-known/x.txt", host: "own.example", "--fail") == "own")
    }

    @Test func `links may lead into the folders that the settings name`() throws {
        try folder.write("elsewhere/acme/token-of-an-order", "token")
        try folder.write("config/server.json", "{ linkTargets: ['\(folder.path)/elsewhere/acme'] }")
        try folder.write("config/hosts/a.example/well-known/x.txt", "x")
        try folder.link("config/hosts/a.example/well-known/acme-challenge", to: "\(folder.path)/elsewhere/acme")
        let server = try start([])
        let place = "/.well-known/acme-challenge/"
        #expect(try server.fetch(place + "token-of-an-order", "--fail") == "token")
        // A host that is added later is found too.
        try folder.write("elsewhere/acme/another-challenge", "other")
        #expect(try eventually { try server.fetch(place + "another-challenge", "--fail") == "other" })
    }

    @Test func `without a sandbox everything is allowed, and the log says so`() throws {
        let probe = try Probe()
        let server = try start(["--sandbox", "off"], environment: probe.environment)
        #expect(server.announcements.contains("sandbox: off"))
        let outcomes = try probe.outcomes(in: server)
        let succeed = [
            "passwd", "fork", "program", "kill", "shutdown", "sendto-path", "sendmsg", "sendmmsg", "connect",
            "fcntl-owner", "fcntl-signal",
        ]
        for attempt in succeed { #expect(outcomes[attempt] == 0, "\(attempt)") }
        #expect(try probe.outside.reached() == ["service", "other"])
    }

    @Test(
        .enabled(if: hasAll, "the kernel has Landlock and seccomp"),
        arguments: [
            (
                ["--access-log", "/access.log"],
                "for the access log /access.log, the sandbox would have to allow writing to all of /"
            ),
            (["--access-log", "/etc/access.log"], "to all of /etc"), (["--state", "/var"], "for the state"),
        ])
    func `a top-level folder is never opened for writing`(arguments: [String], problem: String) throws {
        let run = try Subject.run(
            ["serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0", "--sandbox", "on"] + arguments)
        #expect(run.status == 1)
        #expect(run.messages.last?.hasPrefix("not started: ") == true && run.errors.contains(problem), "\(run.errors)")
    }

    @Test(.enabled(if: hasAll, "the kernel has Landlock and seccomp"))
    func `every thread has the filter and no capabilities`() throws {
        try folder.write("log/before", "")
        let server = try start([
            "--sandbox", "required", "--workers", "3", "--https", "127.0.0.1:0", "--dev", "--admin", "127.0.0.1:0",
            "--access-log", "\(folder.path)/log/requests",
        ])
        #expect(try status("Seccomp", of: server) == ["2"])
        #expect(try status("NoNewPrivs", of: server) == ["1"])
        // A sanitizer starts a thread before the program begins.
        if ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] != "thread" {
            #expect(try status("CapEff", of: server) == ["0000000000000000"])
            #expect(try status("CapPrm", of: server) == ["0000000000000000"])
        }
        #expect(server.announcements.contains { $0.hasPrefix("sandbox: files by Landlock ") })
    }

    @Test(.needs(.otherUsers))
    func `started as root, it binds a low port and becomes the user permanently`() throws {
        // The first of these ports that is free.
        let port = try #require((700..<800).first { Listener.isFree("127.0.0.1:\($0)") })
        let server = try start([
            "--user", "65532:65531", "--state", "\(folder.path)/state/of/it", "--http", "127.0.0.1:\(port)",
        ])
        #expect(server.addresses.contains("http://127.0.0.1:\(port)"))
        #expect(try status("Uid", of: server) == ["65532 65532 65532 65532"])
        #expect(try status("Gid", of: server) == ["65531 65531 65531 65531"])
        #expect(try status("Groups", of: server) == ["65531"])
        let isOurs = ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] != "thread"
        for name in isOurs ? ["CapEff", "CapPrm", "CapBnd", "CapAmb"] : [] {
            #expect(try status(name, of: server) == ["0000000000000000"])
        }
        #expect(!server.announcements.contains { $0.contains("as root") })
        try folder.writeApp("a.example", "two")
        #expect(server.line(beginning: "a.example: ")?.contains("apple-app-site-association") == true)
        // The state directory did not exist and was created for the user.
        server.stop()
        let state = "\(folder.path)/state/of/it"
        let names = try FileManager.default.contentsOfDirectory(atPath: state)
        #expect(names.contains("tenants"))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(state)/\(name)")
            #expect(attributes[.ownerAccountID] as? Int == 65532)
        }
    }

    @Test(.enabled(if: Privileges.isRoot, "only root can be root"))
    func `staying root causes a warning, unless --user root is given`() throws {
        let warned = try start([])
        #expect(warned.announcements.contains { $0.hasPrefix("running as root; ") })
        let meant = try start(["--user", "root"])
        #expect(!meant.announcements.contains { $0.contains("as root") })
    }

    @Test func `a user that does not exist is reported`() throws {
        let run = try Subject.run(["serve"] + folder.options + ["--http", "127.0.0.1:0", "--user", "no such user"])
        #expect(run.status == 1 && run.errors.contains("error there is no user \"no such user\""), "\(run.errors)")
    }

    @Test(.enabled(if: hasAll, "the kernel has Landlock and seccomp"))
    func `a link to config may change, and a replaced folder is reported`() throws {
        try folder.makeFolder("releases")
        for release in ["1", "2"] {
            try FileManager.default.copyItem(
                atPath: "\(folder.path)/config", toPath: "\(folder.path)/releases/\(release)")
        }
        try folder.write("releases/2/apps/a.json", Folder.app("a.example", "two"))
        let link = "\(folder.path)/current"
        try folder.link("current", to: "releases/1")
        let server = try RunningServer(["--config", link, "--http", "127.0.0.1:0"])
        try folder.link("current.new", to: "releases/2")
        #expect(rename("\(link).new", link) == 0)
        #expect(server.line(beginning: "a.example: ") != nil)
        #expect(try server.fetch("/.well-known/apple-app-site-association").contains("/two/"))
    }

    @Test(.enabled(if: isConfined, "the server is in a sandbox"))
    func `a replaced config folder is reported, and the previous version stays in service`() throws {
        let server = try start(["--admin", "unix:\(folder.path)/admin.sock"])
        try FileManager.default.copyItem(atPath: "\(folder.path)/config", toPath: "\(folder.path)/new")
        #expect(rename("\(folder.path)/config", "\(folder.path)/old") == 0)
        #expect(rename("\(folder.path)/new", "\(folder.path)/config") == 0)
        let line = server.line(containing: "was replaced by another folder")
        #expect(line?.contains("sandbox.read") == true)
        #expect(try server.fetch("/.well-known/apple-app-site-association").contains("/one/"))
        // Not that the server's user lacks a permission.
        #expect(
            try eventually {
                let status = try Subject.run(["status", "--admin", "unix:\(folder.path)/admin.sock"]).output
                return status.contains("error: \(folder.path)/config was replaced by another folder")
                    && !status.contains("denied")
            })
    }
}

extension Listener {
    /// Whether an address is free.
    fileprivate static func isFree(_ text: String) -> Bool {
        guard let address = SocketAddress(text) else { return false }
        return (try? Listener(address, sharesPort: false)) != nil
    }
}
