// A manager that ends again and again: its admin address, and what the server reports.

import Foundation
import Glibc
import TestSupport
import Testing

struct ManagerEndTests {
    private let folder: Folder
    private let key = String(repeating: "k", count: 32)

    init() throws {
        folder = try Folder()
        try folder.writeApp()
        try folder.write(
            "config/server.json",
            """
            { manager: { admin: 'unix:\(folder.path)/manager.sock' },
              acme: { termsAgreed: true, preflight: 'off', directories: ['https://127.0.0.1:1/dir'] } }
            """)
        try folder.write("state/manager.key", key)
    }

    private var places: [String] { ["--config", "\(folder.path)/config", "--state", "\(folder.path)/state"] }

    private func ask(_ path: String, of socket: String = "manager.sock") throws -> Run {
        try Subject.curl([
            "--unix-socket", "\(folder.path)/\(socket)", "--max-time", "5", "--write-out", "%{http_code}",
            "http://localhost/\(path)",
        ])
    }

    private func isReady() throws -> Bool { try ask("readyz").text.hasSuffix("200") }

    /// Whether nothing accepts at the manager's address: curl's status for a failed connection.
    private func isRefused() throws -> Bool { try ask("readyz").status == 7 }

    private func problem() throws -> String? {
        try ask("metrics", of: "state/admin.sock").text.split(separator: "\n").map(String.init)
            .first { $0.hasPrefix("associated_manager_problem ") }
    }

    @Test func `the server says why a manager cannot start, also after an upgrade, and nothing listens for it`() throws
    {
        try folder.write("state/manager.db", String(repeating: "not a database", count: 400))
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: cannot use the database ") != nil)
        for restart in [false, true] {
            if restart {
                server.send(SIGUSR2)
                #expect(server.line(beginning: "upgraded: ") != nil)
            }
            #expect(try eventually { try problem() == "associated_manager_problem 1" })
            #expect(try eventually { try isRefused() })
        }
        let status = try Subject.run(["status"] + places)
        #expect(status.output.contains("\nmanager: it exited with status 1: cannot use the database "), "\(status)")
        for name in ["db", "db-wal", "db-shm"] { unlink("\(folder.path)/state/manager.\(name)") }
        #expect(server.line(beginning: "manager: ready") != nil)
        #expect(try eventually { try isReady() })
        #expect(try eventually { try problem() == "associated_manager_problem 0" })
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `connections to a manager that is killed are refused`() throws {
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: ready") != nil)
        #expect(try eventually { try isReady() })
        let manager = try #require(server.managerIdentifier)
        // Those that the parent starts then end at once, so that there is time to look.
        kill(manager, SIGSTOP)
        for name in ["db-wal", "db-shm"] { unlink("\(folder.path)/state/manager.\(name)") }
        try folder.write("state/manager.db", String(repeating: "not a database", count: 400))
        kill(manager, SIGKILL)
        #expect(server.line(beginning: "the manager (process ") != nil)
        #expect(try eventually { try isRefused() })
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    private func acme(_ settings: String) throws {
        try folder.write("config/server.json", "{ acme: { termsAgreed: true, preflight: 'off', \(settings) } }")
    }

    @Test func `opens the link as soon as that is possible, and says until then why no certificate is ordered`() throws
    {
        try folder.makeFolder("state/link.sock")
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        let link = "\(folder.path)/state/link.sock"
        let reason =
            "cannot listen at \(link), where the manager asks which hosts are served: address already in use; remove it, "
        // The parent may say so before the server says that it is ready.
        let early = server.announcements.first { $0.hasPrefix("manager: \(reason)") }
        let line = early ?? server.line(beginning: "manager: \(reason)")
        #expect(line?.hasSuffix("; the next one starts in 1 s") == true)
        #expect(try eventually { try problem() == "associated_manager_problem 1" })
        let status = try Subject.run(["status"] + places)
        #expect(
            status.status == 1 && status.output.contains("\nmanager: it could not be started: \(reason)"), "\(status)")
        #expect(try eventually { try Subject.run(["status"] + places).output.contains("; next start in ") })
        #expect(
            try ask("readyz", of: "state/admin.sock").text.contains("the manager cannot work: it could not be started"))
        #expect(rmdir(link) == 0)
        #expect(server.line(beginning: "manager: ready") != nil)
        #expect(try eventually { try problem() == "associated_manager_problem 0" })
        #expect(
            try eventually { try Subject.run(["acme", "status"] + places).output.contains("a.example: failing for ") })
        #expect(try !Subject.run(["status"] + places).output.contains("\nmanager: "))
        // What is done while the manager is away says when it is there again.
        kill(try #require(server.managerIdentifier), SIGKILL)
        #expect(server.line(beginning: "the manager (process ") != nil)
        let away = try Subject.run(["acme", "status", "a.example"] + places)
        #expect(
            away.status == 1 && away.output.contains("next: manager: it was ended by SIGKILL; next start in "),
            "\(away)")
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `an upgrade to settings that the manager would refuse is refused, and both go on`() throws {
        let usable = "directories: ['https://127.0.0.1:1/dir']"
        try acme(usable)
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: ready") != nil)
        let (child, manager) = (server.serverIdentifier, try #require(server.managerIdentifier))
        for (settings, reason) in [
            ("prflight: 'off', \(usable)", "unknown setting `prflight`"),
            ("key: ['p256'], \(usable)", "`key` is a list"),
            ("caFile: '\(folder.path)/none.pem', \(usable)", "none.pem"),
        ] {
            try acme(settings)
            if !settings.hasPrefix("caFile") {
                #expect(
                    server.line(containing: "server.json has changed, ")?.contains("SIGUSR2 would be refused") == true)
            }
            server.send(SIGUSR2)
            #expect(server.line(beginning: "not upgraded: ")?.contains(reason) == true)
            // `just now` for a second only.
            #expect(try eventually { try Subject.run(["status"] + places).output.contains("\nnot upgraded ") })
            #expect(server.serverIdentifier != 0 && server.managerIdentifier == manager)
        }
        #expect(kill(child, 0) == 0)
        #expect(try problem() == "associated_manager_problem 0")
        #expect(try ask("metrics", of: "state/admin.sock").text.contains("\nassociated_upgrade_refused 1\n"))
        try acme("\(usable), profile: 'tlsserver'")
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgraded: ") != nil)
        #expect(try eventually { try !Subject.run(["status"] + places).output.contains("\nnot upgraded ") })
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `a start with settings that the manager refuses serves, and the manager has a problem`() throws {
        try acme("prflight: 'off'")
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        let reason = "the manager cannot use its settings: \(folder.path)/config/server.json:1:"
        #expect(server.line(beginning: "manager: \(reason)")?.contains("unknown setting `prflight`") == true)
        #expect(try eventually { try problem() == "associated_manager_problem 1" })
        let status = try Subject.run(["status"] + places)
        #expect(
            status.status == 1 && status.output.contains("\nmanager: it exited with status 1: \(reason)"), "\(status)")
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }
}
