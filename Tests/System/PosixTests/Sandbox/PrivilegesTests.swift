// Dropping privileges, in child processes, because it is irreversible.

import Foundation
import TestSupport
import Testing

@testable import Posix

struct PrivilegesTests {
    @Test(.needs(.otherUsers))
    func `switches from root to another user for good`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.switchUser(to: try Account("12345:23456"))
            let back = [setuid(0), setgid(0), seteuid(0), setegid(0)]
            let isGone =
                getuid() == 12345 && geteuid() == 12345 && getgid() == 23456 && getegid() == 23456
                && getgroups(0, nil) == 1 && back.allSatisfy { $0 != 0 }
            exit(isGone && Privileges.capabilities.isEmpty ? 0 : 1)
        }
    }

    @Test(.needs(.otherUsers))
    func `can listen below port 1024 until the last capability is dropped`() async {
        await #expect(processExitsWith: .success) {
            // The first free one of these ports.
            func listens() -> Bool {
                (600..<700).contains { port in
                    (try? Listener(SocketAddress("127.0.0.1:\(port)")!, sharesPort: false)) != nil
                }
            }
            try Privileges.dropCapabilities(keeping: .bindLowPorts)
            let before = listens()
            try Privileges.dropCapabilities()
            exit(before && !listens() ? 0 : 1)
        }
    }

    @Test(.needs(.otherUsers))
    func `cannot switch users without being root`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.switchUser(to: try Account("12345"))
            try Privileges.switchUser(to: try Account("12345"))
            do {
                try Privileges.switchUser(to: try Account("12346"))
            } catch {
                exit("\(error)".contains("only root can") ? 0 : 1)
            }
            exit(1)
        }
    }

    @Test(.needs(.otherUsers))
    func `acts as another user for a moment, and is root again`() async {
        await #expect(processExitsWith: .success) {
            try ProcessMemory.forbidDumps()
            // As a parent does it: with few capabilities.
            let kept = Privileges.capabilities.intersection(.ofParent)
            try Privileges.dropCapabilities(keeping: .ofParent, bounding: .ofParent)
            let folder = try TemporaryFolder()
            chmod(folder.path, 0o777)
            let account = try Account("12345:23456")
            let owner = try Privileges.acting(as: account) { () throws(SystemError) in
                let socket = try ListeningSocket(SocketAddress("unix:\(folder.path)/s")!, sharesPort: false)
                var status = stat()
                guard lstat(folder.path + "/s", &status) == 0, socket.isReachable else { throw .last("lstat") }
                return (status.st_uid, status.st_gid)
            }
            let isRootAgain = geteuid() == 0 && getegid() == 0 && Privileges.capabilities == kept
            exit(owner == (12345, 23456) && isRootAgain && !ProcessMemoryTests.isDumpable ? 0 : 1)
        }
    }
}
