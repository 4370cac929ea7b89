// A manager that ends again and again: who answers at its admin address, and what the server reports.

import Foundation
import Glibc
import TestSupport
import Testing

struct ManagerStandInTests {
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

    private func ask(_ path: String, of socket: String = "manager.sock") throws -> String {
        try Subject.curl([
            "--unix-socket", "\(folder.path)/\(socket)", "--max-time", "5", "--write-out", "%{http_code}",
            "http://localhost/\(path)",
        ]).text
    }

    private func problem() throws -> String? {
        try ask("metrics", of: "state/admin.sock").split(separator: "\n").map(String.init)
            .first { $0.hasPrefix("associated_manager_problem ") }
    }

    @Test func `a manager that cannot start is answered for until it can, also after an upgrade of the server`() throws
    {
        try folder.write("state/manager.db", String(repeating: "not a database", count: 400))
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: cannot use the database ") != nil)
        for restart in [false, true] {
            if restart {
                server.send(SIGUSR2)
                #expect(server.line(beginning: "upgraded: ") != nil)
            }
            var answer = ""
            #expect(
                try eventually {
                    answer = try ask("readyz"); return answer.hasSuffix("503")
                }, "\(answer)")
            #expect(
                answer.hasPrefix(
                    "the manager exited with status 1: cannot use the database \(folder.path)/state/manager.db"),
                "\(answer)")
            #expect(try ask("healthz") == "alive\n200")
            #expect(try ask("metrics").contains("associated_manager_ready 0\n"))
            #expect(try eventually { try problem() == "associated_manager_problem 1" })
        }
        let status = try Subject.run(["status"] + places)
        #expect(status.output.contains("\nmanager: it exited with status 1: cannot use the database "), "\(status)")
        for name in ["db", "db-wal", "db-shm"] { unlink("\(folder.path)/state/manager.\(name)") }
        #expect(server.line(beginning: "manager: ready") != nil)
        #expect(try eventually { try ask("readyz").hasSuffix("200") })
        #expect(try eventually { try problem() == "associated_manager_problem 0" })
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `a manager that is killed is answered for until the next one starts`() throws {
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: ready") != nil)
        #expect(try eventually { try ask("readyz").hasSuffix("200") })
        kill(try #require(server.managerIdentifier), SIGKILL)
        #expect(server.line(beginning: "the manager (process ") != nil)
        var answers: [String] = []
        #expect(
            try eventually {
                answers.append(try ask("readyz")); return answers.last?.hasSuffix("200") == true
            })
        #expect(answers.contains("the manager was ended by SIGKILL; it is started again\n503"), "\(answers)")
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }
}
