// Files change under a running server in all the ways that people and programs change them, and each change is live without a
// signal. Nothing here waits for a fixed time, only for a log line or an answer.

import Foundation
import Glibc
import Testing

@Suite struct LiveTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
        try app("a", "one")
        try app("b", "one")
    }

    private func text(_ name: String, _ version: String) -> String { Folder.app("\(name).example", version) }

    private func app(_ name: String, _ version: String) throws { try folder.writeApp("\(name).example", version) }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func start() throws -> RunningServer { try folder.serve() }

    private func document(_ server: RunningServer, _ host: String = "a.example") throws -> String {
        try server.fetch("/.well-known/apple-app-site-association", host: host)
    }

    /// Waits for the log line about a host, and returns it.
    private func line(_ server: RunningServer, about host: String = "a.example") -> String? {
        server.line(beginning: "\(host): ")
    }

    /// How a file is replaced.
    enum Way: CaseIterable { case written, replaced, linkTurned, folderReplaced, rsync, git }

    @Test(arguments: Way.allCases)
    func `a change is live without a signal and logged with its ETags`(way: Way) throws {
        try prepare(way)
        let server = try start()
        #expect(try document(server).contains("/one/"))
        try change(way)
        let told = try #require(line(server))
        #expect(told.contains("apple-app-site-association \"") && told.contains(" -> \""))
        #expect(try document(server).contains("/two/"))
        #expect(try document(server, "b.example").contains("/one/"))
    }

    private func prepare(_ way: Way) throws {
        switch way {
        case .linkTurned:
            // As Kubernetes mounts a ConfigMap.
            try FileManager.default.removeItem(atPath: path("config/apps/a.json"))
            try folder.write("config/apps/..1/a.json", text("a", "one"))
            try folder.write("config/apps/..2/a.json", text("a", "two"))
            try folder.link("config/apps/..data", to: "..1")
            try folder.link("config/apps/a.json", to: "..data/a.json")
        case .folderReplaced:
            try FileManager.default.moveItem(atPath: path("config/apps"), toPath: path("config/apps-1"))
            try FileManager.default.copyItem(atPath: path("config/apps-1"), toPath: path("config/apps-2"))
            try folder.write("config/apps-2/a.json", text("a", "two"))
            try folder.link("config/apps", to: "apps-1")
        case .git:
            try shell("git init -q -b main config && cd config && git add -A && git commit -qm one")
            try shell("mv config origin && git clone -q origin config")
        case .written, .replaced, .rsync: break
        }
    }

    private func change(_ way: Way) throws {
        switch way {
        case .written:
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path("config/apps/a.json")))
            // Half of the file is not a valid version.
            let bytes = Data(text("a", "two").utf8)
            try file.truncate(atOffset: 0)
            file.write(bytes.prefix(bytes.count / 2))
            file.write(bytes.dropFirst(bytes.count / 2))
            try file.close()
        case .replaced:
            try folder.write("config/apps/.a.json.swp", text("a", "two"))
            #expect(rename(path("config/apps/.a.json.swp"), path("config/apps/a.json")) == 0)
        case .linkTurned:
            try folder.link("config/apps/..new", to: "..2")
            #expect(rename(path("config/apps/..new"), path("config/apps/..data")) == 0)
        case .folderReplaced:
            try folder.link("config/new", to: "apps-2")
            #expect(rename(path("config/new"), path("config/apps")) == 0)
        case .rsync:
            try folder.write("copy/a.json", text("a", "two"))
            try shell("command -v rsync >/dev/null && rsync -a copy/ config/apps/ || cp -a copy/. config/apps/")
        case .git:
            try folder.write("origin/apps/a.json", text("a", "two"))
            try shell("cd origin && git commit -qam two && cd ../config && git pull -q")
        }
    }

    private func shell(_ script: String) throws {
        let identity = "export GIT_CONFIG_GLOBAL=/dev/null EMAIL=a@example.com GIT_AUTHOR_NAME=a GIT_COMMITTER_NAME=a; "
        let run = try Subject.run(
            URL(fileURLWithPath: "/bin/sh"), ["-ec", "cd \"$1\"; \(identity) \(script)", "sh", folder.path], [:])
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func `own files are served at once, of an app's host and of others`() throws {
        for host in ["a", "d"] {
            try folder.write("config/hosts/\(host).example/well-known/security.txt", "Contact: mailto:x@example.com\n")
        }
        let server = try start()
        #expect(try server.fetch("/.well-known/security.txt").hasPrefix("Contact"))
        #expect(try server.fetch("/.well-known/security.txt", host: "d.example").hasPrefix("Contact"))
    }

    /// Whether a program's limit of watched directories can be lowered.
    private static let canLimitWatches = (try? limited("true"))?.status == 0

    private static func limited(_ command: String...) throws -> Run {
        try Subject.run(URL(fileURLWithPath: limiting[0]), Array(limiting.dropFirst()) + command)
    }

    private static let limiting = [
        "/usr/bin/unshare", "--user", "--map-root-user", "/bin/sh", "-c",
        "echo 2 >/proc/sys/user/max_inotify_watches && exec \"$@\"", "sh",
    ]

    @Test(.enabled(if: canLimitWatches, "the number of watched directories cannot be limited here"))
    func `what cannot be watched is read every few seconds`() throws {
        try folder.write("config/apps/deep/er/c.json", text("c", "one"))
        let server = try RunningServer(
            command: LiveTests.limiting + [Subject.executable.path, "serve", "--config", path("config"), "--public"]
                + [path("public"), "--http", "127.0.0.1:0"], environment: [:], input: nil)
        let said = server.line(containing: "cannot watch all of config, public and the state directory")
        #expect(said?.contains("fs.inotify.max_user_watches") == true)
        try folder.write("config/apps/deep/er/c.json", text("c", "two"))
        #expect(line(server, about: "c.example") != nil)
        #expect(try document(server, "c.example").contains("/two/"))
    }

    @Test func `hosts, folders and pages can be added and removed`() throws {
        let server = try start()
        try folder.write("config/apps/new/folder/c.json", text("c", "one"))
        #expect(line(server, about: "c.example") != nil)
        try folder.write("config/hosts/d.example/well-known/security.txt", "Contact: mailto:d@example.com\n")
        #expect(line(server, about: "d.example")?.contains("security.txt none -> ") == true)
        try folder.write("public/a.example/page.html", "page")
        #expect(line(server)?.hasSuffix(": 1 page") == true)
        try folder.write("config/hosts/d.example/well-known/security.txt", "Contact: mailto:e@example.com\n")
        #expect(line(server, about: "d.example") != nil)
        try FileManager.default.moveItem(atPath: path("config/apps/new"), toPath: path("config/apps/moved"))
        try folder.write("config/apps/moved/folder/c.json", text("c", "two"))
        #expect(line(server, about: "c.example") != nil)
        try FileManager.default.removeItem(atPath: path("config/apps/moved"))
        #expect(line(server, about: "c.example")?.hasSuffix("no longer served") == true)
        try FileManager.default.removeItem(atPath: path("config/hosts/d.example"))
        #expect(line(server, about: "d.example")?.hasSuffix("no longer served") == true)
    }

    @Test func `a broken file is named at each reload that touches it, and its host stays in service`() throws {
        let server = try start()
        try folder.write("config/apps/a.json", "{ name: ")
        var line = server.nextLine()
        #expect(line?.hasPrefix("\(path("config/apps/a.json")):1:") == true)
        while let next = line, !next.hasPrefix("reloaded: ") { line = server.nextLine() }
        #expect(line == "reloaded: 2 apps on 2 hosts; 1 host on a last good version")
        #expect(try document(server).contains("/one/"))
        server.send(SIGHUP)
        #expect(server.nextLine()?.hasPrefix("\(path("config/apps/a.json")):1:") == true)
        // The same text again changes nothing, but is reported.
        try app("a", "one")
        repeat { line = server.nextLine() } while line != nil && line != "reloaded: 2 apps on 2 hosts"
        #expect(server.nextLine() == "\(path("config/apps/a.json")): all problems resolved")
        // Remaining warnings are still reported.
        try folder.write("config/apps/a.json", "{ name: ")
        repeat { line = server.nextLine() } while line != nil && line?.hasPrefix("reloaded: ") != true
        let retiring = text("a", "one").replacing("guard:", with: "retired: { hosts: [\"a.example\"] }, guard:")
        try folder.write("config/apps/a.json", retiring)
        #expect(server.nextLine()?.contains("warning[APP-021]") == true)
        repeat { line = server.nextLine() } while line != nil && line?.hasPrefix("reloaded: ") != true
        #expect(server.nextLine() == "\(path("config/apps/a.json")): all errors resolved")
        try app("a", "two")
        #expect(self.line(server) != nil)
        #expect(try document(server).contains("/two/"))
    }

    // Root can read everything, so the server runs as another user.
    @Test(.needs(.otherUsers)) func `an unreadable file is a finding, and its host stays in service`() throws {
        let copy = path("associated")
        try Subject.copyExecutable(to: copy)
        for name in ["", "/config", "/config/apps"] { chmod(folder.path + name, 0o755) }
        chmod(copy, 0o755)
        for name in ["a", "b"] { chmod(path("config/apps/\(name).json"), 0o644) }
        let server = try RunningServer(
            command: [
                "/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", copy, "serve",
                "--config", path("config"), "--http", "127.0.0.1:0",
            ], environment: [:], input: nil)
        #expect(try document(server).contains("/one/"))
        chmod(path("config/apps/a.json"), 0o600)
        let line = server.line(containing: "APP-001")
        #expect(line?.hasSuffix("cannot read the app file: permission denied; let the server's user read it") == true)
        #expect(try document(server).contains("/one/"))
        chmod(path("config/apps"), 0o700)
        var said: [String] = []
        repeat { said.append(server.nextLine() ?? "reload failed") } while said.last?.contains("reload failed") == false
        for line in said where line.contains("cannot watch") { #expect(line.contains("let the server's user read")) }
        #expect(try document(server, "b.example").contains("/one/"))
    }

    @Test func `with --strict a broken file prevents a start, even with a last good version`() throws {
        do {
            let server = try start()
            server.stop()
        }
        try folder.write("config/apps/a.json", "{")
        let run = try Subject.run(
            "serve", "--config", path("config"), "--http", "127.0.0.1:0", "--state", path("state"), "--strict")
        #expect(run.status == 1)
        #expect(run.errors.contains("and --strict is set"))
        let server = try start()
        #expect(try document(server).contains("/one/"))
    }

    @Test func `a signal ends the server during the first round`() throws {
        // A thousand files that take a while to render.
        for number in 0..<600 { try app("n\(number)", "one") }
        let process = Process()
        process.executableURL = Subject.executable
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.arguments = ["serve", "--config", path("config"), "--http", "127.0.0.1:0"]
        process.standardError = try folder.create("errors")
        try process.run()
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        #expect(try !folder.read("errors").contains("\nready\n"))
    }
}
