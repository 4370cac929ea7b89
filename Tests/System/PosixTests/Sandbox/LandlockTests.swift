// What a restricted process can open, tested in child processes.

import Foundation
import Testing

@testable import Posix

struct LandlockTests {
    private static let isThere = Landlock.version > 0

    private static func failure(_ attempt: () throws -> Void) -> Int32? {
        do { try attempt() } catch { return (error as? SystemError)?.number }
        return nil
    }

    @Test(.enabled(if: isThere, "the kernel has Landlock")) func `refuses to open anything that is not listed`() async {
        let folder = "\(FileManager.default.temporaryDirectory.path)/\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            for name in ["read", "write", "other"] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
                try Data("text".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)/file"))
            }
            func number(_ path: String, _ flags: Int32 = O_RDONLY) -> Int32 {
                let number = open("\(folder)/\(path)", flags, 0o600)
                return number >= 0 ? 0 : errno
            }
            try Privileges.setNoNewPrivileges()
            try Landlock.restrictFiles(to: [
                Landlock.Rule("\(folder)/read", .read), Landlock.Rule("\(folder)/write", .write),
                Landlock.Rule("\(folder)/missing", .write),
            ])
            let outcomes = [
                number("read/file"), number("read/file", O_WRONLY), number("read/new", O_WRONLY | O_CREAT),
                number("write/file", O_RDWR | O_TRUNC), number("write/new", O_WRONLY | O_CREAT), number("other/file"),
                rename("\(folder)/write/new", "\(folder)/write/newer") == 0 ? 0 : errno,
                mkdir("\(folder)/write/folder", 0o700), rmdir("\(folder)/write/folder"),
                rmdir("\(folder)/read") == 0 ? 0 : errno,
                open("/etc/shadow", O_RDONLY) >= 0 ? 0 : errno, open("/etc/hostname", O_RDONLY) >= 0 ? 0 : errno,
            ]
            exit(outcomes == [0, EACCES, EACCES, 0, 0, EACCES, 0, 0, 0, EACCES, EACCES, EACCES] ? 0 : 1)
        }
    }

    @Test(.enabled(if: isThere, "the kernel has Landlock")) func `allows a single file`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.setNoNewPrivileges()
            try Landlock.restrictFiles(to: [Landlock.Rule("/etc/passwd", .read)])
            exit(open("/etc/passwd", O_RDONLY) >= 0 && open("/etc/group", O_RDONLY) < 0 ? 0 : 1)
        }
    }

    @Test(.enabled(if: Landlock.version >= 4, "the kernel has Landlock for sockets"))
    func `refuses to listen and to connect once the network is restricted`() async {
        await #expect(processExitsWith: .success) {
            let listener = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: true)
            try Privileges.setNoNewPrivileges()
            let isClosed = try Landlock.restrictNetwork()
            let address = listener.address
            let failures = [
                LandlockTests.failure { _ = try Listener(address, sharesPort: true) },
                LandlockTests.failure { _ = try ClientSocket(to: address, timeoutMilliseconds: 1_000) },
            ]
            exit(isClosed && failures == [EACCES, EACCES] ? 0 : 1)
        }
    }

    @Test(.enabled(if: Landlock.version >= 4, "the kernel has Landlock for sockets"))
    func `connects to the allowed ports only, and still listens on none`() async {
        await #expect(processExitsWith: .success) {
            let first = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: true)
            let second = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: true)
            let (allowed, other) = (first.address, second.address)
            try Privileges.setNoNewPrivileges()
            let isRestricted = try Landlock.restrictNetwork(connecting: [allowed.port])
            let failures = [
                LandlockTests.failure { _ = try ClientSocket(to: allowed, timeoutMilliseconds: 1_000) },
                LandlockTests.failure { _ = try ClientSocket(to: other, timeoutMilliseconds: 1_000) },
                LandlockTests.failure { _ = try Listener(allowed, sharesPort: true) },
            ]
            // Both listeners are open until here.
            let isOpen = first.descriptor.number > 0 && second.descriptor.number > 0
            exit(isRestricted && isOpen && failures == [nil, EACCES, EACCES] ? 0 : 1)
        }
    }
}
