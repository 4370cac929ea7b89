// Folders of a running server that are removed, unreadable or hang: what the operator is told.

import Foundation
import Glibc
import Posix
import Testing

@Suite(.needs(.otherUsers)) struct FolderFaultTests {
    private let folder: Folder
    private var config: String { "\(folder.path)/config" }
    private var state: String { "\(folder.path)/state" }

    init() throws {
        folder = try Folder()
        try write("one")
    }

    private func write(_ version: String) throws { try folder.writeApp("a.example", version) }

    /// The lines of the log up to the first one that contains a text.
    private func log(_ server: RunningServer, to wanted: String) -> [String] {
        var lines: [String] = []
        while let line = server.nextRawLine() {
            lines.append(line)
            if line.contains(wanted) { return lines }
        }
        Issue.record("no line with \(wanted): \(lines)")
        return lines
    }

    /// A server that runs as an ordinary user.
    private func start(environment: [String: String] = [:]) throws -> RunningServer {
        let server = try folder.serve("--user", "nobody", "--admin", "127.0.0.1:0", environment: environment)
        // Behind `tenants`, the last file of a start. By now its state has been saved, so no retry is pending.
        #expect(eventually { FileManager.default.fileExists(atPath: "\(state)/tenants-changes") })
        return server
    }

    private static let isConfined =
        Landlock.version > 0 && ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] == nil

    @Test(.enabled(if: isConfined, "the server is in a sandbox"), arguments: [false, true])
    func `a removed state directory stays blocked until a restart`(isMadeAgain: Bool) throws {
        let server = try start()
        try FileManager.default.removeItem(atPath: state)
        if isMadeAgain {
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
            chmod(state, 0o777)
        }
        try write("two")
        let complaint = "\(state) was replaced or removed, and the sandbox blocks any other folder"
        let lines = log(server, to: "\(complaint); restart the server")
        #expect(lines.last?.contains(" error ") == true)
        #expect(lines.contains { $0.contains(" error cannot write to \(state): ") })
        let status = try server.status()
        #expect(status.status == 1)
        #expect(status.output.contains(complaint) && !status.output.contains("free space"))
    }

    @Test func `a state directory that can be written again is reported`() throws {
        let server = try start()
        let saved = try folder.bytes("state/tenants-changes")
        chown(state, 0, 0)
        try write("two")
        let lines = log(server, to: "cannot write to \(state): permission denied")
        #expect(lines.last?.contains(" error ") == true)
        let remedy = "it belongs to user 0, and this process runs as user 65534; run it as that user, "
        #expect(lines.last?.contains(remedy) == true)
        #expect(try server.status().output.contains(remedy))
        #expect(try server.status().output.contains("error: cannot write to \(state): permission denied; "))
        #expect(try folder.bytes("state/tenants-changes") == saved)
        chown(state, 65534, 65534)
        // No file has to change, and no signal is needed.
        #expect(log(server, to: "\(state) can be written again").last?.contains(" info ") == true)
        #expect(try server.status().status == 0)
        #expect(try folder.bytes("state/tenants-changes") != saved)
    }

    @Test func `a state directory that cannot be read at the start is named, and nothing in it is replaced`() throws {
        let first = try start()
        first.send(SIGTERM)
        let status = first.waitUntilExit()
        first.skipLog()
        #expect(status == 0, "\(String(decoding: first.log, as: UTF8.self))")
        let tenants = URL(fileURLWithPath: "\(state)/tenants")
        let before = try Data(contentsOf: tenants)
        chown(state, 0, 0)
        chmod(state, 0o700)
        let server = try folder.serve("--user", "nobody", "--admin", "127.0.0.1:0", "--https", "127.0.0.1:0")
        let refusal = server.announcements.first {
            $0.contains("\(state)/tenants could not be read at the start, and is kept as it is")
        }
        #expect(refusal?.contains("give it to the server's user (chown -R USER \(state)) and restart") == true)
        let certificate = "\(state)/certificates/a.example/fullchain.pem: error[CERT-001]: the host's folder cannot be"
        #expect(try eventually { try server.status().output.contains("\(certificate) opened: permission denied; ") })
        #expect(try !server.status().output.contains("config/hosts"))
        chown(state, 65534, 65534)
        try write("two")
        #expect(try eventually { try !server.status().output.contains("change history will be lost") })
        #expect(try server.status().output.contains("last good versions will be lost when this process exits; "))
        #expect(try Data(contentsOf: tenants) == before)
    }

    @Test func `a finding is open while config/apps cannot be read`() throws {
        let server = try start()
        chmod("\(config)/apps", 0o700)
        _ = log(
            server,
            to: "reload failed, still serving the previous version: cannot read \(config)/apps: permission denied")
        let status = try server.status()
        #expect(status.status == 1)
        #expect(
            status.output.contains(
                "error: cannot read \(config)/apps: permission denied; let the server's user read it"))
        chmod("\(config)/apps", 0o755)
        #expect(log(server, to: "\(config)/apps can be read again").last?.contains(" info ") == true)
        #expect(try eventually { try server.status().status == 0 })
    }

    @Test(.enabled(if: isConfined, "the server is in a sandbox"))
    func `a folder with a changed mode is not taken for another folder`() throws {
        let server = try start()
        chmod(config, 0o700)
        let lines = log(server, to: " cannot read \(config): permission denied; let the server's user read it")
        #expect(!lines.contains { $0.contains("another folder") })
    }

    @Test func `a hanging file system is reported`() throws {
        try folder.write("config/server.json", "{}")
        let library = try folder.library(FolderFaultTests.hanging)
        let server = try start(environment: ["LD_PRELOAD": library, "HANG_WHILE": "\(folder.path)/hang"])
        try folder.write("hang", "")
        let lines = log(server, to: "reading \(config) has taken 1")
        #expect(lines.last?.contains(" warning ") == true)
        #expect(lines.last?.hasSuffix("seconds; is its file system hanging?") == true)
        let json = try Subject.curl(["http://\(server.admin)/status"]).output
        #expect(json.contains("error: reading \(config) has taken"))
        try FileManager.default.removeItem(atPath: "\(folder.path)/hang")
        #expect(try eventually { try server.status().status == 0 })
    }

    /// Makes reads of server.json wait while a file exists.
    private static let hanging = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <poll.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int fstatat(int folder, const char *path, struct stat *status, int flags) {
            struct stat other;
            const char *flag = getenv("HANG_WHILE");
            if (strstr(path, "/server.json"))
                while (flag && syscall(SYS_newfstatat, AT_FDCWD, flag, &other, 0) == 0) poll(NULL, 0, 100);
            return syscall(SYS_newfstatat, folder, path, status, flags);
        }
        """
}
