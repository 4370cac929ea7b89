// The manager beside a server, and alone. script/acme-lab has the certificate authority.

import Foundation
import Glibc
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
        try folder.write(
            "config/apps/a.json",
            """
            { name: "App", hosts: ["a.example"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.app"] },
              links: [{ "/": "/a/?*" }] }
            """)
    }

    private var places: [String] { ["--config", "\(folder.path)/config", "--state", "\(folder.path)/state"] }

    private func settings(_ text: String) throws { try folder.write("config/server.json", "{ \(text) }") }

    private func process(named name: String, under parent: Int32) -> Int32? {
        let children = try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
        return children?.split(separator: " ").compactMap { Int32($0) }.first {
            (try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8)) == "\(name)\n"
        }
    }

    @Test(.enabled(if: isAuthorityInstalled, "pebble is not installed; script/peers installs it"))
    func `orders each host's certificate once, although it is killed meanwhile`() throws {
        let script = Peers.root.appendingPathComponent("script/acme-lab")
        let run = try Subject.run(
            URL(fileURLWithPath: "/bin/bash"), [script.path, Subject.executable.path, "3", "2"],
            ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"])
        #expect(run.status == 0, "\(run.errors) \(run.output)")
        #expect(run.output.contains("3 hosts, 3 orders at the authority, 2 kills of the manager"))
        #expect(run.output.contains("3 hosts, renewed 1 times; "))
    }

    @Test func `a manager that dies is restarted, and the server does not notice`() throws {
        try settings("store: { keyFile: '\(folder.path)/key' }, acme: { \(ManagerTests.unreachable) }")
        try folder.write("key", String(repeating: "k", count: 32))
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: ready") != nil)
        let manager = try #require(process(named: "manager", under: server.processIdentifier))
        kill(manager, SIGKILL)
        #expect(
            server.line(beginning: "the manager (process \(manager)) was ended by SIGKILL; the next one starts in 1 s")
                != nil)
        let health = try Subject.run(["health", "--admin", "unix:\(folder.path)/state/admin.sock"])
        #expect(health.status == 0, "\(health.errors)")
        #expect(server.line(beginning: "manager: ready") != nil)
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `says why a host has no certificate`() throws {
        try settings("acme: { \(ManagerTests.unreachable) }")
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "a.example: failing: 127.0.0.1:1: ") != nil)
        let status = try Subject.run(["acme", "status", "a.example"] + places)
        #expect(status.status == 1)
        #expect(status.output.contains("a.example: failing for "), "\(status.output) \(status.errors)")
        #expect(status.output.contains("next: remove the cause"))
        let unknown = try Subject.run(["acme", "issue", "b.example"] + places)
        #expect(unknown.status == 1 && unknown.errors.contains("is not among the hosts that get a certificate"))
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
        ("", "no certificates are ordered; set `acme` in "),
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
    }

    @Test func `a damaged database stops only the manager`() throws {
        try settings("acme: { \(ManagerTests.unreachable) }")
        try folder.write("state/manager.db", String(repeating: "not a database", count: 400))
        try folder.write("state/manager.key", String(repeating: "k", count: 32))
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        #expect(server.line(beginning: "manager: cannot use the database ") != nil)
        #expect(try Subject.curl(["http://127.0.0.1:\(server.port)/healthz", "--output", "/dev/null"]).status == 0)
    }
}
