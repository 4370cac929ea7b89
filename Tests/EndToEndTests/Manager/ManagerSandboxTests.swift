// What a manager can do in its sandbox, and what it cannot.

import Foundation
import Glibc
import Posix
import Testing

struct ManagerSandboxTests {
    private static let hasAll = Landlock.version >= 4 && SystemCallFilter.isSupported

    private let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.writeApp()
    }

    /// The command line of a server with a manager, in its sandbox.
    private var command: [String] {
        [
            Subject.executable.path, "serve", "--config", "\(folder.path)/config", "--state", "\(folder.path)/state",
            "--http",
            "127.0.0.1:0", "--sandbox", "required",
        ]
    }

    @Test(
        .enabled(if: hasAll, "the kernel has Landlock for sockets and seccomp"),
        .enabled(
            if: ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] == nil, "sanitizers run without a sandbox"))
    func `opens no other file, starts no program, listens nowhere and connects to no other port`() throws {
        let probe = try Probe()
        try folder.write(
            "config/server.json",
            "{ acme: { termsAgreed: true, preflight: 'off', directories: ['https://127.0.0.1:1/dir'] } }")
        let server = try RunningServer(
            command: command,
            environment: probe.environment.merging(["PROBE_PLACES": "\(folder.path)/config/new"]) { $1 },
            input: nil)
        #expect(server.line(beginning: "a.example: failing: ") != nil)
        let manager = try #require(server.managerIdentifier)
        let outcomes = try probe.outcomes(in: server, process: manager)
        // Of the system's files it reads those of the resolver and of TLS; nothing restricts datagrams.
        let succeeded = Set(outcomes.filter { $0.value == 0 }.keys)
        #expect(succeeded.subtracting(["passwd", "shadow", "socket", "datagrams", "connect"]).isEmpty)
        for attempt in ["reach", "write", "write:new", "report"] { #expect(outcomes[attempt] == EACCES, "\(attempt)") }
        for attempt in ["offer", "pair", "code", "root", "fork", "program", "kill", "sendto-path", "sendmsg", "bind"] {
            #expect(outcomes[attempt] == EPERM, "\(attempt)")
        }
        #expect(try probe.outside.reached().isEmpty)
        // It still works.
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test(
        .enabled(if: hasAll, "the kernel has Landlock for sockets and seccomp"),
        .needs(.mounts))
    func `looks up host names`() throws {
        let names = try NameServer()
        try folder.write("resolv.conf", "nameserver \(names.address)\noptions timeout:1 attempts:2\n")
        try folder.write(
            "config/server.json",
            "{ acme: { termsAgreed: true, preflight: 'off', directories: ['https://ca.audit-lab.com:1/dir'] } }")
        let script =
            "mount --make-rprivate / && mount --bind \(folder.path)/resolv.conf /etc/resolv.conf && exec \"$@\""
        let server = try RunningServer(
            command: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script, "bash"] + command, environment: [:],
            input: nil)
        let line = server.line(beginning: "a.example: failing: ") ?? ""
        #expect(
            line.hasPrefix("a.example: failing: the authority ca.audit-lab.com:1: cannot connect: connection refused"),
            "\(line)")
        #expect(names.queryCount >= 2)
    }
}

/// A name server at an address of its own: every name has the address 127.0.0.1 and no other record.
private final class NameServer: Sendable {
    let address: String
    private let isStopping = StopFlag()
    private let count = Shared(0)

    var queryCount: Int { count.value }

    /// The port of a name server is fixed, so the address is not.
    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        (place.sin_family, place.sin_port) = (sa_family_t(AF_INET), UInt16(53).bigEndian)
        var isBound = false
        while !isBound {
            place.sin_addr.s_addr = UInt32.random(in: 0x7F01_0101...0x7FFE_FEFE).bigEndian
            isBound = withUnsafePointer(to: &place) { place in
                place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            try #require(isBound || errno == EADDRINUSE)
        }
        let number = UInt32(bigEndian: place.sin_addr.s_addr)
        address = [24, 16, 8, 0].map { "\(number >> $0 & 0xFF)" }.joined(separator: ".")
        Foundation.Thread { [isStopping, count] in
            while !isStopping.value {
                guard ServerConnection.isReadable(socket, milliseconds: 20) else { continue }
                NameServer.answer(socket)
                count.change { $0 += 1 }
            }
            close(socket)
        }.start()
    }

    deinit { isStopping.set() }

    private static func answer(_ socket: Int32) {
        var (peer, room) = (sockaddr_in(), [UInt8](repeating: 0, count: 512))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &peer) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                let size = recvfrom(socket, &room, room.count, 0, peer, &length)
                guard size > 16 else { return }
                // The question ends behind its name, its type and its class.
                let end = (room[12..<size].firstIndex(of: 0) ?? 12) + 5
                let isAddress = room[end - 3] == 1
                var answer = Array(room[..<2]) + [0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0] + room[12..<end]
                if isAddress { answer += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1] }
                _ = sendto(socket, answer, answer.count, 0, peer, length)
            }
        }
    }
}
