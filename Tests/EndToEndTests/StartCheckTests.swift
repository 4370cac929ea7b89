// `serve --check`: reports all errors that would prevent a start, and does not disturb a running server.

import Foundation
import Posix
import Testing

struct StartCheckTests {
    private let folder: Folder

    init() throws { folder = try Folder(serving: "a.example") }

    private func check(_ options: String...) throws -> Run { try check(options) }

    private func check(_ options: [String]) throws -> Run {
        try Subject.run(["serve", "--check"] + folder.options + options)
    }

    @Test func `a server that could start prints one line`() throws {
        let run = try check("--http", "127.0.0.1:0", "--admin", "unix:\(folder.path)/state/admin.sock")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "ready to start: the server would serve 1 host\n")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/state"), "a check leaves nothing behind")
    }

    @Test func `a missing directory of the access log is an error`() throws {
        let run = try check("--http", "127.0.0.1:0", "--access-log", "\(folder.path)/nosuch/access.log")
        #expect(run.status == 1)
        #expect(run.errors.contains("nosuch/access.log: its directory does not exist; create it for the server's user"))
    }

    @Test func `an existing state directory is as it was before`() throws {
        try folder.write("state/mine", "")
        #expect(try check("--http", "127.0.0.1:0", "--admin", "unix:\(folder.path)/state/admin.sock").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/state") == ["mine"])
    }

    @Test func `too few file descriptors are one error, before anything else is tried`() throws {
        for options in [["--check"], []] {
            let command = ([Subject.executable.path, "serve"] + options + folder.options).joined(separator: "' '")
            let run = try Subject.shell("ulimit -n 40; exec timeout 20 '\(command)' --workers 2 --http 127.0.0.1:0")
            #expect(run.status == 1)
            let text = "the limit of open files is 40, and a server with 2 workers needs at least 74"
            #expect(run.errors.contains(text), "\(run.errors)")
            #expect(run.errors.contains("raise LimitNOFILE= of the systemd unit, `--ulimit nofile=` of the container"))
        }
    }

    @Test func `reports a removal that the server would refuse, and changes no state`() throws {
        let state = "\(folder.path)/state"
        func serve(_ host: String) throws {
            let app = Folder.app(host).replacingOccurrences(of: "guard: \"off\", ", with: "")
            try folder.write("config/apps/a.json", app)
        }
        try serve("a.example")
        let server = try RunningServer(folder.options + ["--http", "127.0.0.1:0"])
        #expect(eventually { FileManager.default.fileExists(atPath: "\(state)/tenants") })
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
        let lint = { try Subject.run("lint", "\(folder.path)/config", "--state", $0) }
        #expect(try lint(state).status == 0)
        try serve("other.example")
        let saved = { try Data(contentsOf: URL(fileURLWithPath: "\(state)/tenants")) }
        let before = try saved()
        for (run, severity) in [
            (try lint(state), "error"), (try check("--http", "127.0.0.1:0", "--strict"), "error"),
            (try check("--http", "127.0.0.1:0"), "warning"),
        ] {
            #expect((run.status == 0) == (severity == "warning"))
            #expect((run.output + run.errors).contains("\(severity)[APP-042]: this version removes live entries"))
        }
        // Nor does a broken file keep the server from a reload, while its last good version is served; another one does.
        try folder.write("config/apps/a.json", "{ name: ")
        let broken = try check("--http", "127.0.0.1:0")
        #expect(broken.status == 0, "\(broken.errors)")
        #expect(broken.errors.contains("note: the server keeps the last good versions of 1 app file\n"))
        try folder.write("config/apps/b.json", "{ name: ")
        #expect(try check("--http", "127.0.0.1:0").status == 1)
        try folder.remove("config/apps/b.json")
        try serve("other.example")
        // No phone has seen what a developer tries: it is not guarded, and leaves the state as it was.
        #expect(try check("--http", "127.0.0.1:0", "--dev").status == 0)
        // But for the database of the console.
        let files = {
            try FileManager.default.contentsOfDirectory(atPath: state).sorted().filter {
                !$0.hasPrefix("manager.") && $0 != "published"
            }
        }
        let filesBefore = try files()
        let history = try folder.read("state/history.jsonl")
        let development = try folder.serve("--dev")
        try serve("third.example")
        #expect(development.line(beginning: "third.example: ") != nil)
        development.stop()
        #expect(try files() == filesBefore)
        #expect(try folder.read("state/history.jsonl") == history)
        #expect(try folder.read("state/.gitignore") == "*\n")
        #expect(try saved() == before)
        // A mistake comes before what it removes.
        let file = try folder.read("config/apps/a.json")
        try folder.write("config/apps/a.json", file.replacing("8KQ2V7M4XN", with: "8kq2v7m4xn"))
        let output = try lint(state).output
        let cause = try #require(output.range(of: "[AASA-020]")), effect = try #require(output.range(of: "[APP-042]"))
        #expect(cause.lowerBound < effect.lowerBound, "\(output)")
        // Without its state, nothing would be known to be live.
        let other = try lint("\(folder.path)/none")
        #expect(other.status == 1)
        #expect(other.errors.contains("no server has saved its state in \(folder.path)/none"))
    }

    @Test(arguments: [true, false])
    func `a development server needs no certificates`(isDevelopment: Bool) throws {
        let run = try check(["--http", "127.0.0.1:0", "--https", "127.0.0.1:0"] + (isDevelopment ? ["--dev"] : []))
        #expect(run.errors.contains("CERT-025") == !isDevelopment, "\(run.errors)")
        #expect((run.status == 0) == isDevelopment)
    }

    @Test(.needs(.inspection))
    func `the running server's addresses do not prevent a start, even if they cannot be shared`() throws {
        let server = try RunningServer([
            "--config", "\(folder.path)/config", "--state", "\(folder.path)/other", "--http", "127.0.0.1:0",
            "--workers", "1", "--admin", "127.0.0.1:0",
        ])
        let admin = server.admin
        let address = "127.0.0.1:\(server.port)"
        let run = try check("--http", address, "--workers", "1", "--admin", admin)
        #expect(run.status == 0, "\(run.errors)")
        let process = "note: a running server (process \(server.processIdentifier)) listens on"
        #expect(
            run.errors.contains(
                "\(process) \(address); send it SIGUSR2 to replace it, or share the port with --reuse-port\n"))
        #expect(run.errors.contains("\(process) \(admin); send it SIGUSR2 to replace it\n"))
    }

    @Test func `the PROXY protocol needs a trusted proxy`() throws {
        let run = try check("--http", "127.0.0.1:0", "--proxy-protocol")
        #expect(run.status == 1)
        #expect(run.errors.contains("with the PROXY protocol and no trusted proxy, every client would be refused"))
        #expect(try check("--http", "127.0.0.1:0", "--proxy-protocol", "--trust", "10.0.0.0/8").status == 0)
    }

    @Test func `reports all errors that would prevent the start`() throws {
        try folder.write("config/apps/bad.json", "{ name: ")
        try folder.write("file", "")
        let other = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false)
        let port = other.address.port
        let arguments = [
            "serve", "--check", "--config", "\(folder.path)/config", "--state", "\(folder.path)/file/state", "--http",
            "127.0.0.1:\(port)", "--user", "no-such-user", "--admin", "0.0.0.0:0",
        ]
        let whole = try Subject.run(arguments)
        #expect(whole.status == 1)
        for text in [
            "cannot listen on 127.0.0.1:\(port): address already in use (process ",
            "; stop the process that listens there",
            "there is no user \"no-such-user\"; create it", "0.0.0.0:0 is reachable from other machines",
            "cannot write to \(folder.path)/file/state: not a directory; check its disk, or name another folder",
            "config/apps/bad.json:1:", "not ready to start: ", " problems above\n",
        ] { #expect(whole.errors.contains(text), "\(text): \(whole.errors)") }
        #expect(whole.output.isEmpty)
    }

    @Test func `names --strict only if all problems are in app files or certificates`() throws {
        try folder.write("config/apps/bad.json", "{ name: ")
        let hint = " above; without --strict, the server may still start despite errors in app files or certificates\n"
        let broken = try check("--http", "127.0.0.1:0")
        #expect(broken.status == 1)
        #expect(broken.errors.hasSuffix(hint), "\(broken.errors)")
        try folder.write("config/server.json", "{ sandbx: 'required' }")
        let more = try check("--http", "127.0.0.1:0")
        #expect(more.status == 1)
        #expect(!more.errors.contains("without --strict"), "\(more.errors)")
        #expect(
            more.errors.contains(
                "unknown setting `sandbx`; the server does not start, because a misspelt setting could leave it less "
                    + "protected than intended; write `sandbox`"), "\(more.errors)")
    }

    @Test(arguments: [
        ("caFile: 'FOLDER/none.pem'", "none.pem: no such file"),
        (
            "rfc2136: { server: '192.0.2.1', keyName: 'k', keyFile: 'FOLDER/none.key' }",
            "cannot read `acme.rfc2136.keyFile`"
        ),
        ("eab: { keyID: 'k', keyFile: 'FOLDER/config/server.json' }", "`acme.eab.keyFile` "),
    ])
    func `reports what a manager could not use`(setting: String, problem: String) throws {
        func settings(_ setting: String) throws {
            let setting = setting.replacingOccurrences(of: "FOLDER", with: folder.path)
            try folder.write("config/server.json", "{ acme: { termsAgreed: true, \(setting) } }")
        }
        let arguments = ["--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
        try settings(setting)
        let run = try check(arguments)
        #expect(run.status == 1)
        #expect(run.errors.contains(problem), "\(run.errors)")
        try settings("")
        #expect(try check(arguments).status == 0)
    }

    @Test func `invalid settings prevent the start`() throws {
        try folder.write("config/server.json", "{ limits: { headBytesMax: 1 } }")
        let run = try check("--http", "127.0.0.1:0")
        #expect(run.status == 1)
        #expect(run.errors.contains("`limits` of"))
    }
}
