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
}
