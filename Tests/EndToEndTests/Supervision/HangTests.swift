// What hangs does not hold up the parent: programs that do not start, readers of the log that do not read, and file systems.

import Foundation
import Glibc
import Posix
import Testing

struct HangTests {
    private let folder: Folder

    init() throws { folder = try Folder(serving: "a.example") }

    private func serve(_ config: String? = nil, _ environment: [String: String] = [:]) throws -> RunningServer {
        try RunningServer(
            [
                "--config", config ?? "\(folder.path)/config", "--state", "\(folder.path)/state", "--http",
                "127.0.0.1:0",
            ], environment: environment)
    }

    @Test func `a stop does not wait for the server of an upgrade that hangs`() throws {
        let link = "\(folder.path)/current"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: Subject.executable.path)
        let server = try RunningServer(
            command: [link, "serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0"], environment: [:],
            input: nil)
        let next = "\(folder.path)/next"
        try "#!/bin/sh\nexec sleep 1000\n".write(toFile: next, atomically: true, encoding: .utf8)
        #expect(chmod(next, 0o755) == 0 && rename(next, link) == 0)
        let first = server.serverIdentifier
        server.send(SIGUSR2)
        #expect(server.line(beginning: "upgrading: starting ") != nil)
        #expect(eventually { server.serverIdentifier != first })
        let second = server.serverIdentifier
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
        #expect(kill(second, 0) != 0)
    }

    @Test func `a stop does not wait for a process that the kernel is slow to end`() throws {
        let slow = """
            #define _GNU_SOURCE
            #include <poll.h>
            #include <unistd.h>
            __attribute__((destructor)) static void wait_for_ever(void) {
                while (gettid() != getpid()) poll(0, 0, 60000);
            }
            """
        let server = try serve(nil, ["LD_PRELOAD": try folder.library(slow)])
        server.stop()
        server.skipLog()
        #expect(!String(decoding: server.log, as: UTF8.self).contains("no sign of life"))
    }

    @Test func `says why a new program cannot be started`() throws {
        let link = "\(folder.path)/current"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: Subject.executable.path)
        let server = try RunningServer(
            command: [link, "serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0"], environment: [:],
            input: nil)
        for (make, reason) in [("echo text >", "permission denied"), ("rm -f", "no such file or directory")] {
            #expect(try Subject.shell("rm -f \(link) && \(make) \(link)").status == 0)
            server.send(SIGUSR2)
            #expect(
                server.line(beginning: "not upgraded: ")?.hasPrefix("not upgraded: cannot start \(link): \(reason)")
                    == true)
        }
        #expect(try server.fetch("/.well-known/apple-app-site-association").hasPrefix("{"))
        server.stop()
    }

    @Test func `a log whose reader stops holds up neither the watchdog nor a stop`() throws {
        let ear = try ActivationTests.Ear("\(folder.path)/notify")
        let server = try serve(nil, ["NOTIFY_SOCKET": ear.name, "WATCHDOG_USEC": "2000000"])
        #expect(ear.next()["READY"] == "1")
        // Fills the pipe.
        let pipe = open("/proc/\(server.processIdentifier)/fd/2", O_WRONLY | O_NONBLOCK)
        defer { close(pipe) }
        let bytes = [UInt8](repeating: 0x0A, count: 4_096)
        while write(pipe, bytes, bytes.count) > 0 {}
        while write(pipe, bytes, 1) > 0 {}
        server.send(SIGHUP)
        #expect(HangTests.heartbeats(ear, 3) == 3)
        #expect(try server.fetch("/.well-known/apple-app-site-association").hasPrefix("{"))
        server.stop()
    }

    @Test func `a server starts although its log is full and it has something to say`() throws {
        try folder.write("config/apps/more.json", "{ name: 'M', hosts: ['m.example'], unheardOf: 1 }")
        #expect(mkfifo("\(folder.path)/log", 0o600) == 0)
        let reader = open("\(folder.path)/log", O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let bytes = [UInt8](repeating: 0x0A, count: 4_096)
        while write(reader, bytes, bytes.count) > 0 {}
        while write(reader, bytes, 1) > 0 {}
        let admin = "unix:\(folder.path)/admin.sock"
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/bin/sh")
        let command =
            "cd \(folder.path); exec \(Subject.executable.path) serve --http 127.0.0.1:0 --admin \(admin) 2<>log"
        server.arguments = ["-c", command]
        try server.run()
        #expect(eventually { (try? Subject.run(["health", "--admin", admin]))?.status == 0 })
        server.terminate()
        server.waitUntilExit()
    }

    private static let canHang = Privileges.isRoot && File.exists("/usr/bin/bindfs") && File.exists("/dev/fuse")

    @Test(.enabled(if: canHang, "bindfs, stopped, is a file system that hangs"), arguments: [SIGHUP, SIGUSR2])
    func `a file system that hangs holds up neither the watchdog nor a stop`(signal: Int32) throws {
        let place = "\(folder.path)/mounted"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let mount = Process()
        mount.executableURL = URL(fileURLWithPath: "/usr/bin/bindfs")
        mount.arguments = ["-f", "\(folder.path)/config", place]
        try mount.run()
        defer {
            kill(mount.processIdentifier, SIGCONT)
            _ = try? Subject.shell("umount -l \(place)")
            mount.terminate()
            mount.waitUntilExit()
        }
        try #require(eventually { File.exists("\(place)/apps") })
        let ear = try ActivationTests.Ear("\(folder.path)/notify")
        let server = try serve(place, ["NOTIFY_SOCKET": ear.name, "WATCHDOG_USEC": "2000000"])
        #expect(ear.next()["READY"] == "1")
        kill(mount.processIdentifier, SIGSTOP)
        server.send(signal)
        #expect(HangTests.heartbeats(ear, 3) == 3)
        #expect(try server.fetch("/.well-known/apple-app-site-association").hasPrefix("{"))
        // The kernel may not end a thread that waits for FUSE, and so not the server. That does not hold up its parent, unless it is
        // one of its own threads, which reads settings.
        if signal == SIGHUP {
            #expect(
                eventually {
                    server.send(SIGTERM)
                    return HangTests.hasExited(server.processIdentifier)
                })
        }
        kill(mount.processIdentifier, SIGCONT)
        server.send(SIGTERM)
        #expect([0, 1].contains(server.waitUntilExit()))
    }

    /// How many of so many signs for the watchdog arrive.
    private static func heartbeats(_ ear: ActivationTests.Ear, _ count: Int) -> Int {
        var seen = 0
        while seen < count {
            let message = ear.next()
            if message.isEmpty { break }
            if message["WATCHDOG"] == "1" { seen += 1 }
        }
        return seen
    }

    /// `Process` waits for the children of its process too.
    private static func hasExited(_ process: Int32) -> Bool {
        let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return text?.contains("State:\tZ") ?? true
    }
}
