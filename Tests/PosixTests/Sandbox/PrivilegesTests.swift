// Dropping privileges, in child processes, because it is irreversible.

import Foundation
import Testing

@testable import Posix

struct PrivilegesTests {
    @Test(.enabled(if: Privileges.isRoot, "only root can become another user"))
    func `switches from root to another user for good`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.switchUser(to: try Account("12345:23456"), keeping: .bindLowPorts)
            let kept = Privileges.capabilities
            try Privileges.dropCapabilities()
            let back = [setuid(0), setgid(0), seteuid(0), setegid(0)]
            let isGone =
                getuid() == 12345 && geteuid() == 12345 && getgid() == 23456 && getegid() == 23456
                && getgroups(0, nil) == 1 && back.allSatisfy { $0 != 0 }
            exit(isGone && kept == .bindLowPorts && Privileges.capabilities.isEmpty ? 0 : 1)
        }
    }

    @Test(.enabled(if: Privileges.isRoot, "only root can become another user"))
    func `can listen below port 1024 until the last capability is dropped`() async {
        await #expect(processExitsWith: .success) {
            // The first free one of these ports.
            func listens() -> Bool {
                (600..<700).contains { port in
                    (try? Listener(SocketAddress("127.0.0.1:\(port)")!, sharesPort: false)) != nil
                }
            }
            try Privileges.switchUser(to: try Account("12345"), keeping: .bindLowPorts)
            let before = listens()
            try Privileges.dropCapabilities()
            exit(before && !listens() ? 0 : 1)
        }
    }

    @Test(.enabled(if: Privileges.isRoot, "only root can become another user"))
    func `cannot switch users without being root`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.switchUser(to: try Account("12345"), keeping: [])
            try Privileges.switchUser(to: try Account("12345"), keeping: [])
            do {
                try Privileges.switchUser(to: try Account("12346"), keeping: [])
            } catch {
                exit("\(error)".contains("only root can") ? 0 : 1)
            }
            exit(1)
        }
    }
}
