// The manager beside a server, and alone. script/acme-lab has the certificate authority.

import Foundation
import Glibc
import Posix
import TestSupport
import Testing

struct ManagerTests {
    private static let isAuthorityInstalled = ["pebble", "pebble-challtestsrv"].allSatisfy { tool in
        ["/usr/bin", "/usr/local/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }

    private let folder: Folder
    /// An authority that does not answer.
    private static let unreachable =
        "termsAgreed: true, preflight: 'off', directories: ['https://127.0.0.1:1/dir']"

    init() throws {
        folder = try Folder()
        try folder.writeApp()
    }

    private var places: [String] { ["--config", "\(folder.path)/config", "--state", "\(folder.path)/state"] }

    private func settings(_ text: String) throws { try folder.write("config/server.json", "{ \(text) }") }

    @Test(.enabled(if: isAuthorityInstalled, "pebble is not installed; script/peers installs it"))
    func `orders each host's certificate once, although it is killed meanwhile`() throws {
        let script = Peers.root.appendingPathComponent("script/acme-lab")
        let run = try Subject.run(
            URL(fileURLWithPath: "/bin/bash"), [script.path, Subject.executable.path, "3", "2"],
            ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": folder.path])
        #expect(run.status == 0, "\(run.errors) \(run.output)")
        #expect(run.output.contains("3 hosts, 3 orders at the authority, 2 kills of the manager"))
        #expect(run.output.contains("3 hosts, renewed 1 times; "))
        #expect(run.output.contains("host1.example is revoked and replaced\n"))
        #expect(
            run.output.contains(" certificates for a minute for 3 hosts; ")
                && run.output.hasSuffix(" meanwhile, 0 failed\n"))
    }

    @Test func `follows a change through all states of a delivery`() throws {
        let script = Peers.root.appendingPathComponent("script/delivery-lab")
        let run = try Subject.run(
            URL(fileURLWithPath: "/usr/bin/python3"), [script.path, Subject.executable.path], ["PATH": "/usr/bin:/bin"])
        #expect(run.status == 0, "\(run.errors) \(run.output)")
        #expect(run.output.hasSuffix("\n0 failures\n"))
    }

    @Test func `a manager that dies is restarted, and the server does not notice`() throws {
        try settings("store: { keyFile: '\(folder.path)/key' }, acme: { \(ManagerTests.unreachable) }")
        try folder.write("key", String(repeating: "k", count: 32))
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: ready") != nil)
        let manager = try #require(server.managerIdentifier)
        kill(manager, SIGKILL)
        #expect(
            server.line(beginning: "the manager (process \(manager)) was ended by SIGKILL; the next one starts in 1 s")
                != nil)
        let health = try Subject.run(["health", "--admin", "unix:\(folder.path)/state/admin.sock"])
        #expect(health.status == 0, "\(health.errors)")
        #expect(try File.status("\(folder.path)/state/link.sock").permissions == 0o600)
        #expect(server.line(beginning: "manager: ready") != nil)
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test(.enabled(if: Privileges.isRoot, "only root can be root"))
    func `a manager that runs as root says what that means, unless it is meant`() throws {
        try settings("store: { keyFile: '\(folder.path)/key' }, acme: { \(ManagerTests.unreachable) }")
        try folder.write("key", String(repeating: "k", count: 32))
        for options in [[], ["--user", "root"]] {
            let server = try RunningServer(places + ["--http", "127.0.0.1:0"] + options)
            var lines: [String] = []
            while lines.last != "manager: ready", let line = server.nextLine() { lines.append(line) }
            let warnings = lines.filter { $0.hasPrefix("manager: running as root, ") }
            #expect(warnings.count == (options.isEmpty ? 1 : 0), "\(lines)")
            #expect(warnings.allSatisfy { $0.contains("docker.sock") && $0.contains("--user NAME") })
        }
    }

    /// An authority that accepts connections and then says nothing, which a request waits for longer than a manager may take to end.
    @Test(arguments: [(1, Int32(0)), (2, 1)])
    func `ends soon although an authority does not answer, and at once at a second signal`(signals: Int, status: Int32)
        throws
    {
        let asked = Shared(false)
        let authority = try LoopbackServer { client in
            asked.change { $0 = true }
            while !client.isStopping, !client.receive().isEmpty {}
        }
        try settings(
            "acme: { termsAgreed: true, preflight: 'off', directories: ['https://\(authority.address)/dir'] }")
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(eventually { asked.value })
        let manager = try #require(server.managerIdentifier)
        let start = Clock.monotonicMilliseconds()
        kill(manager, SIGTERM)
        #expect(server.line(beginning: "manager: stopping") != nil)
        if signals == 2 { kill(manager, SIGTERM) }
        #expect(server.line(beginning: "the manager (process \(manager)) exited with status \(status)") != nil)
        // The request has ten seconds to connect.
        #expect(Clock.monotonicMilliseconds() - start < 8_000)
    }

    @Test(
        .needs(.mounts), .needs(.otherUsers),
        arguments: [true, false])
    func `says that it cannot write to the state directory`(isReadOnly: Bool) throws {
        try settings("admin: 'unix:\(folder.path)/admin.sock', acme: { \(ManagerTests.unreachable) }")
        try folder.makeFolder("state")
        let state = "\(folder.path)/state"
        let mount = "mount --make-rprivate / && mount --bind \(state) \(state) && mount -o remount,ro,bind \(state) && "
        let command = [Subject.executable.path, "manage"] + places + (isReadOnly ? [] : ["--user", "65532"])
        let run = try Subject.run(
            URL(fileURLWithPath: "/usr/bin/unshare"),
            ["-m", "/bin/sh", "-c", "\(isReadOnly ? mount : "")exec \"$@\"", "sh"] + command, [:])
        let reason = isReadOnly ? "read-only file system" : "permission denied"
        let remedy =
            isReadOnly
            ? "mount its file system for writing, or name another folder with --state"
            : "it belongs to user 0, and this process runs as user 65532; run it as that user, give it the folder (chown -R 65532 "
                + "\(state)), or name another one with --state"
        #expect(run.status == 1)
        #expect(
            run.messages.last
                == "manager: cannot write to the state directory \(state): \(reason); \(remedy)", "\(run.errors)")
    }

    @Test(.needs(.mounts))
    func `without SQLite only the manager is unavailable`() throws {
        let names = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/libsqlite3.so.0" }
        let library = try #require(names.first { FileManager.default.fileExists(atPath: $0) })
        try settings("acme: { \(ManagerTests.unreachable) }")
        let script = "mount --make-rprivate / && mount --bind /dev/null \(library) && exec \"$@\""
        let command = [Subject.executable.path, "serve", "--http", "127.0.0.1:0"] + places
        let server = try RunningServer(
            command: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script, "sh"] + command, environment: [:], input: nil)
        let line = server.line(beginning: "manager: ") ?? ""
        #expect(line.contains("SQLite's library libsqlite3.so.0 cannot be opened: "), "\(line)")
        #expect(line.hasSuffix("exited with status 1; the next one starts in 1 s"), "\(line)")
        #expect(try Subject.curl(["http://127.0.0.1:\(server.port)/healthz", "--output", "/dev/null"]).status == 0)
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `a separate manager works beside a server that starts none`() throws {
        try settings("acme: { \(ManagerTests.unreachable) }, manager: { separate: true }")
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.managerIdentifier == nil)
        let manager = Process()
        let output = Pipe()
        (manager.executableURL, manager.arguments) = (Subject.executable, ["manage"] + places)
        (manager.environment, manager.standardError) = (Subject.environment, output)
        try manager.run()
        var text = ""
        while !text.contains("a.example: failing: the authority 127.0.0.1:1: ") {
            let bytes = output.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "\(text)")
            text += String(decoding: bytes, as: UTF8.self)
        }
        manager.terminate()
        manager.waitUntilExit()
        #expect(manager.terminationStatus == 0)
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgraded: ") != nil)
        #expect(server.managerIdentifier == nil)
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `asks the authority through the proxy`() throws {
        let heard = Shared<[String]>([])
        let proxy = try LoopbackServer { client in
            let head = String(decoding: client.receive(), as: UTF8.self)
            heard.change { $0.append(head) }
            client.send(Array("HTTP/1.1 403 Forbidden\r\n\r\n".utf8))
        }
        try settings(
            "acme: { termsAgreed: true, preflight: 'off', directories: ['https://ca.example/dir'] }, "
                + "manager: { proxy: 'http://user:pass@\(proxy.address)' }")
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        let line = server.line(beginning: "a.example: failing: ") ?? ""
        #expect(
            line.contains("the proxy \(proxy.address) did not connect to ca.example:443: it answered 403"), "\(line)")
        #expect(heard.value.first?.hasPrefix("CONNECT ca.example:443 HTTP/1.1\r\n") == true)
        #expect(heard.value.first?.contains("\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n") == true)
    }

    @Test func `says why a host has no certificate`() throws {
        try settings(
            "acme: { \(ManagerTests.unreachable) }, manager: { admin: 'unix:\(folder.path)/manager.sock' }")
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "a.example: failing: the authority 127.0.0.1:1: ") != nil)
        let status = try Subject.run(["acme", "status", "a.example"] + places)
        #expect(status.status == 1)
        #expect(status.output.contains("a.example: failing for "), "\(status.output) \(status.errors)")
        #expect(status.output.contains("next: if the reason is at the authority, wait; otherwise correct"))
        let overview = try Subject.run(["acme", "status"] + places)
        #expect(overview.status == 1 && overview.output.contains("next try in "), "\(overview.output)")
        let shown = try Subject.run(["status", "a.example"] + places)
        #expect(
            shown.output.contains("\nordered certificate: failing for ")
                && shown.output.contains("\n  next: if the reason is at the authority, wait; "),
            "\(shown.output) \(shown.errors)")
        let all = try Subject.run(["status"] + places)
        #expect(
            all.output.contains("\nordered certificates: 1 failing\n  a.example: failing for "),
            "\(all.output) \(all.errors)")
        let json = try Subject.run(["status", "--format", "json"] + places)
        for member in ["\"hostsThatNeedAttention\": [", "\"host\": \"a.example\"", "\"failing\": 1"] {
            #expect(json.output.contains(member), "\(json.output)")
        }
        let own = try Subject.run(["status", "a.example", "--format", "json"] + places)
        #expect(own.output.contains("\"state\": \"failing\""), "\(own.output)")
        let asking = ["--unix-socket", "\(folder.path)/manager.sock", "http://localhost/status"]
        #expect(try eventually { try Subject.curl(asking).output.contains("\"host\": \"a.example\"") })
        let unknown = try Subject.run(["acme", "issue", "b.example"] + places)
        #expect(unknown.status == 1 && unknown.errors.contains("the server does not serve it"), "\(unknown.errors)")
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
        for arguments in [["status", "a.example"], ["status"], ["issue", "a.example"]] {
            let run = try Subject.run(["acme"] + arguments + places)
            #expect(run.output.contains("the manager is not running"), "\(run.output) \(run.errors)")
            #expect(run.status == 1 && !run.output.contains("next try in "))
        }
        try settings("acme: { \(ManagerTests.unreachable), resolvers: ['127.0.0.1:1'] }")
        let check = try Subject.run(["acme", "check", "a.example"] + places)
        #expect(check.status == 1 && check.errors.contains("no order is possible now: the authority 127.0.0.1:1: "))
        #expect(
            check.output.hasSuffix("a.example: ordered all the same, because `acme.preflight` is \"off\"\n"), "\(check)"
        )
        let unseen = try Subject.run(["acme", "issue", "b.example"] + places)
        #expect(unseen.status == 1 && unseen.errors.contains("the manager is not running"), "\(unseen.errors)")
        try settings("acme: { \(ManagerTests.unreachable), deny: ['b.example'] }")
        let denied = try Subject.run(["acme", "status", "b.example"] + places)
        #expect(denied.errors.contains("`acme.allow` or `acme.deny` in server.json excludes it"), "\(denied.errors)")
        try folder.write("config/hosts/c.example/fullchain.pem", "")
        let ownCertificate = try Subject.run(["acme", "status", "c.example"] + places)
        #expect(
            ownCertificate.errors.contains("it has a certificate of its own, "), "\(ownCertificate.errors)")
    }

    @Test func `shows how far a host's file has got`() throws {
        let services = try ScriptedServer(certificates: nil) { request in
            request.hasPrefix("GET /a/v1/a.example.com ")
                ? .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") : .text("HTTP/1.1 404 No\r\n\r\n")
        }
        try folder.write(
            "config/apps/a.json",
            "{ name: 'App', hosts: ['a.example.com'], ios: { appIDs: ['8KQ2V7M4XN.dev.associated.app'] }, links: [{ '/': '/a' }] }"
        )
        // The missing secret concerns the messages only.
        try settings(
            """
            tests: { appleURL: 'http://\(services.address)/a/v1/', googleURL: 'http://\(services.address)/g' },
            delivery: { webhooks: [{ url: 'https://hooks.example.com/h', secretFile: '\(folder.path)/missing' }] }
            """)
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        let problem = "manager: sending no messages to the webhook at hooks.example.com: cannot read `secretFile`: "
        #expect(server.line(beginning: problem) != nil)
        #expect(server.line(beginning: "manager: ready") != nil)
        var status = try Subject.run(["status", "a.example.com"] + places)
        let end = Date(timeIntervalSinceNow: 30)
        while !status.output.contains("older for "), Date() < end {
            status = try Subject.run(["status", "a.example.com"] + places)
        }
        #expect(status.status == 0)
        #expect(status.output.contains("delivery to Apple: published "), "\(status.output) \(status.errors)")
        #expect(status.output.contains("not at Apple yet"))
        #expect(status.output.contains("older for ") && status.output.contains(", next look in "))
        let json = try Subject.run(["status", "a.example.com", "--format", "json"] + places)
        #expect(json.output.contains("\"verifier\": \"apple\"") && json.output.contains("\"state\": \"older\""))
        let all = try Subject.run(["status"] + places)
        #expect(
            all.output.contains("deliveries to Apple: 1 older\n  a.example.com: Apple: older for "), "\(all.output)")
        let list = try Subject.run(["status", "--deliveries", "older"] + places)
        #expect(list.status == 0 && list.output.hasPrefix("a.example.com: Apple: older for "), "\(list.errors)")
        let none = try Subject.run(["status", "--deliveries", "foreign"] + places)
        #expect(none.status == 0 && none.output.isEmpty)
        let wrong = try Subject.run(["status", "--deliveries", "late"] + places)
        #expect(wrong.status == 2 && wrong.errors.contains("is not a state; write one of "), "\(wrong.errors)")
    }

    @Test func `replaces the account key`() throws {
        try settings("store: { keyFile: '\(folder.path)/key' }, acme: { \(ManagerTests.unreachable) }")
        try folder.write("key", String(repeating: "k", count: 32))
        let runs = try (0..<2).map { _ in try Subject.run(["acme", "account", "new"] + places) }
        let thumbprints = runs.map { run in
            String(run.output.split(separator: "\n").first?.split(separator: " ").last ?? "")
        }
        #expect(
            runs.allSatisfy { $0.status == 0 && $0.output.contains("\nnext: nothing; the manager registers") },
            "\(runs)")
        #expect(Set(thumbprints).count == 2 && thumbprints.allSatisfy { $0.utf8.count == 43 }, "\(thumbprints)")
        // The manager registers the second one, and the server answers challenges with it.
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "a.example: failing: ") != nil)
        let token = "a-token-of-no-order"
        let url = "http://127.0.0.1:\(server.port)/.well-known/acme-challenge/\(token)"
        #expect(try eventually { try Subject.curl([url]).output == "\(token).\(thumbprints[1])" })
        let wrong = try Subject.run(["acme", "account", "old"] + places)
        #expect(wrong.status == 2 && wrong.errors.contains("write account new"), "\(wrong.errors)")
    }

    @Test func `revokes only what the manager has`() throws {
        try settings("store: { keyFile: '\(folder.path)/key' }, acme: { \(ManagerTests.unreachable) }")
        try folder.write("key", String(repeating: "k", count: 32))
        let unknown = try Subject.run(["acme", "revoke", "a.example"] + places)
        #expect(
            unknown.status == 1 && unknown.errors.contains("the manager has no certificate of a.example"),
            "\(unknown.errors)")
        for (arguments, problem) in [
            (["revoke"], "needs a HOST"),
            (["revoke", "a.example", "--reason", "bored"], "unknown reason \"bored\"; write"),
            (["issue", "a.example", "--reason", "superseded"], "--reason is for `acme revoke`"),
            (["account", "rollover"], "unknown action \"account rollover\"; write account new"),
        ] {
            let run = try Subject.run(["acme"] + arguments + places)
            #expect(run.status == 2 && run.errors.contains(problem), "\(run.errors)")
        }
    }

    @Test func `one manager works in a state directory`() throws {
        try settings("acme: { \(ManagerTests.unreachable) }")
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: ready") != nil)
        let second = try Subject.run(["manage"] + places)
        #expect(second.status == 1)
        #expect(
            second.errors.contains("another manager works in \(folder.path)/state; stop it, or use another --state"),
            "\(second.errors)")
    }

    @Test(arguments: [
        ("", "/config/server.json has no `acme`; set it"),
        ("acme: { contact: ['a@example.com'] }", "server.json cannot be used as it is; correct what is reported above"),
        (
            "acme: { termsAgreed: true }, store: { database: 'postgresql://a@127.0.0.1:1/b' }",
            "`store.keyFile` is missing"
        ),
        (
            "acme: { termsAgreed: true }, store: { keyFile: '/etc/hosts' }",
            "the key file of the store, /etc/hosts, has "
        ),
    ])
    func `names what is wrong with the settings`(text: String, problem: String) throws {
        try settings(text)
        let run = try Subject.run(["acme", "status"] + places)
        #expect(run.status == 1 && run.errors.contains(problem), "\(run.errors)")
        let elsewhere = try Subject.run(["acme", "status", "--config", "\(folder.path)/elsewhere"])
        #expect(
            elsewhere.status == 1 && elsewhere.errors.contains("run this in the directory where the server was started")
        )
    }

    @Test(arguments: ["key", nil])
    func `advises no new key where a database is`(key: String?) throws {
        try settings("acme: { termsAgreed: true }")
        try folder.write("state/manager.db", "")
        if let key { try folder.write("state/manager.key", key) }
        let run = try Subject.run(["acme", "status"] + places)
        #expect(run.errors.contains("\(folder.path)/state/manager.key"), "\(run.errors)")
        #expect(
            run.errors.contains("restore the copy that belongs to \(folder.path)/state/manager.db"), "\(run.errors)")
    }

    @Test func `imports the account of another client once`() throws {
        try settings("acme: { \(ManagerTests.unreachable) }")
        let (archive, file) = ("\(folder.path)/lego", "\(folder.path)/lego/accounts/127.0.0.1_1/a/keys/a.key")
        func makeKey() throws {
            let arguments = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            try folder.write("lego/accounts/127.0.0.1_1/a/keys/a.key", TestSupport.Command(arguments).run().output)
        }
        try makeKey()
        let first = try Subject.run(["acme", "import", archive] + places)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.hasPrefix("imported \(file): the account key (thumbprint "), "\(first.output)")
        let second = try Subject.run(["acme", "import", archive] + places)
        #expect(second.status == 0)
        #expect(second.output.hasPrefix("known    \(file): the manager has this account key"), "\(second.output)")
        try makeKey()
        let other = try Subject.run(["acme", "import", archive] + places)
        #expect(other.status == 1)
        #expect(other.output.hasPrefix("failed   \(file): the manager has another account key"), "\(other.output)")
        #expect(
            other.output.contains("next: fix what failed and import again; do not stop the renewals of lego before"))
        let replaced = try Subject.run(["acme", "import", archive, "--replace-account"] + places)
        #expect(replaced.status == 0)
        #expect(replaced.output.contains("in place of another one"))
        let wrong = try Subject.run(["acme", "import", "\(folder.path)/config"] + places)
        #expect(wrong.status == 1 && wrong.errors.contains("is not the folder of a known ACME client"))
        for arguments in [["acme", "import"], ["acme", "status", "--replace-account"]] {
            #expect(try Subject.run(arguments + places).status == 2)
        }
    }

    @Test func `waits for a database that is locked, and loses no host`() throws {
        try settings("acme: { \(ManagerTests.unreachable) }")
        try folder.write("state/manager.db", "")
        try folder.write("state/manager.key", String(repeating: "k", count: 32))
        let file = open("\(folder.path)/state/manager.db", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        // The bytes by which SQLite locks a file (https://sqlite.org/fileformat2.html#the_lock_byte_page).
        var range = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0x4000_0000, l_len: 512, l_pid: 0)
        #expect(fcntl(file, F_SETLK, &range) == 0)
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        let path = "\(folder.path)/state/manager.db"
        #expect(
            server.line(beginning: "cannot write to the database \(path): another process has locked it") != nil)
        #expect(server.line(beginning: "manager: ready") != nil)
        range.l_type = Int16(F_UNLCK)
        #expect(fcntl(file, F_SETLK, &range) == 0)
        #expect(server.line(beginning: "a.example: failing: the authority 127.0.0.1:1: ") != nil)
    }

    private static let hasPostgreSQL = ["x86_64", "aarch64"].contains {
        FileManager.default.fileExists(atPath: "/usr/lib/\($0)-linux-gnu/libpq.so.5")
    }

    @Test(.enabled(if: hasPostgreSQL, "script/databases installs libpq, and could not"))
    func `waits for a database that cannot be reached, and repeats its password nowhere`() throws {
        try settings(
            """
            store: { database: 'postgresql://tester:hunter2@127.0.0.1:1/b', keyFile: '\(folder.path)/key' },
            manager: { admin: 'unix:\(folder.path)/manager.sock' }
            """)
        try folder.write("key", String(repeating: "k", count: 32))
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        var texts = server.announcements
        while texts.last != "manager: ready", let line = server.nextLine() { texts.append(line) }
        #expect(texts.contains { $0.hasPrefix("cannot open the database 127.0.0.1:1: connection refused; ") })
        for (path, part) in [("readyz", "503"), ("metrics", "associated_manager_ready 0\n")] {
            let answer = try Subject.curl([
                "--unix-socket", "\(folder.path)/manager.sock", "--write-out", "%{http_code}",
                "http://localhost/\(path)",
            ])
            #expect(answer.output.contains(part), "\(answer.text)")
            texts.append(answer.text)
        }
        let manager = try #require(server.managerIdentifier)
        for process in [server.processIdentifier, server.serverIdentifier, manager] {
            for name in Need.inspection.isMet ? ["cmdline", "environ"] : ["cmdline"] {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/\(name)"))
                texts.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        texts.append(try Subject.run(["acme", "status"] + places).text)
        for text in texts { #expect(!text.contains("hunter2")) }
        #expect(try Subject.curl(["http://127.0.0.1:\(server.port)/healthz", "--output", "/dev/null"]).status == 0)
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `a damaged database stops only the manager`() throws {
        try settings("acme: { \(ManagerTests.unreachable) }")
        try folder.write("state/manager.db", String(repeating: "not a database", count: 400))
        try folder.write("state/manager.key", String(repeating: "k", count: 32))
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        let line = server.line(beginning: "manager: cannot use the database ") ?? ""
        #expect(line.contains("; keep a copy and restore a backup; the manager (process "), "\(line)")
        #expect(line.hasSuffix(") exited with status 1; the next one starts in 1 s"), "\(line)")
        #expect(try Subject.curl(["http://127.0.0.1:\(server.port)/healthz", "--output", "/dev/null"]).status == 0)
    }
}
