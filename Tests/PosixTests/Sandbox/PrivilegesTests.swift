// Giving up rights, in child processes, because there is no way back.

import Foundation
import Testing

@testable import Posix

struct PrivilegesTests {
    @Test(.enabled(if: Privileges.isRoot, "only root can become another user"))
    func `root becomes another user and never again root`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.become(try Account("12345:23456"), keeping: .bindLowPorts)
            let kept = Privileges.capabilities
            try Privileges.drop()
            let back = [setuid(0), setgid(0), seteuid(0), setegid(0)]
            let isGone =
                getuid() == 12345 && geteuid() == 12345 && getgid() == 23456 && getegid() == 23456
                && getgroups(0, nil) == 1 && back.allSatisfy { $0 != 0 }
            exit(isGone && kept == .bindLowPorts && Privileges.capabilities.isEmpty ? 0 : 1)
        }
    }

    @Test(.enabled(if: Privileges.isRoot, "only root can become another user"))
    func `a port below 1024 can be listened on until the last capability is gone`() async {
        await #expect(processExitsWith: .success) {
            // No fixed port: the first one of these that is free.
            func listens() -> Bool {
                (600..<700).contains { port in
                    (try? Listener(SocketAddress("127.0.0.1:\(port)")!, sharesPort: false)) != nil
                }
            }
            try Privileges.become(try Account("12345"), keeping: .bindLowPorts)
            let before = listens()
            try Privileges.drop()
            exit(before && !listens() ? 0 : 1)
        }
    }

    @Test(.enabled(if: Privileges.isRoot, "only root can become another user"))
    func `whoever is not root becomes nobody else, and stays who they are`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.become(try Account("12345"), keeping: [])
            try Privileges.become(try Account("12345"), keeping: [])
            do {
                try Privileges.become(try Account("12346"), keeping: [])
            } catch {
                exit("\(error)".contains("only root can") ? 0 : 1)
            }
            exit(1)
        }
    }
}
