// The remedies for errors of the kernel.

import Glibc
import TestSupport
import Testing

@testable import Posix

struct SystemErrorTests {
    @Test(
        arguments: [
            (EACCES, "give it to the server's user (chown -R USER /no/state)"), (EPERM, "give it to the server's user"),
            (ENOSPC, "free space on its disk"), (EDQUOT, "free space on its disk"),
            (EROFS, "mount its file system for writing"), (ENOTDIR, "check its disk, or name another folder"),
            (EIO, "check its disk"), (EMFILE, "raise LimitNOFILE="),
        ] as [(Int32, String)])
    func `the remedy for an unwritable folder depends on the error`(number: Int32, remedy: String) {
        #expect(SystemError(call: "open", number: number).remedy(writingTo: "/no/state").contains(remedy))
    }

    @Test func `the remedy for a missing permission names what its owner may not do`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let error = SystemError(call: "open", number: EACCES)
        for mode in [0o500, 0o600] as [mode_t] {
            #expect(chmod(path, mode) == 0)
            #expect(error.remedy(writingTo: path) == "not even its owner may write there; run `chmod u+rwx \(path)`")
        }
        #expect(chmod(path, 0o700) == 0)
        #expect(
            error.remedy(writingTo: path)
                == "something in it belongs to another user; run `chown -R \(geteuid()) \(path)`")
    }

    @Test(.needs(.otherUsers)) func `the remedy for a missing permission names the owner of the folder`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let error = SystemError(call: "open", number: EACCES)
        #expect(chown(path, 65_532, 65_532) == 0)
        #expect(
            error.remedy(writingTo: path)
                == "it belongs to user 65532, and this process runs as user 0; run it as that user, give it the folder (chown -R "
                + "0 \(path)), or name another one with --state")
    }

    @Test(
        arguments: [
            (EADDRINUSE, "127.0.0.1:80", "; stop the process that listens there"),
            (EACCES, "127.0.0.1:80", "; run as root"), (EACCES, "unix:/run/a.sock", "; choose a folder that"),
            (EADDRNOTAVAIL, "192.0.2.1:80", "; this machine has no such address"), (EIO, "127.0.0.1:80", ""),
        ] as [(Int32, String, String)])
    func `the remedy for an address depends on the error`(number: Int32, address: String, remedy: String) throws {
        let address = try #require(SocketAddress(address))
        let text = SystemError(call: "bind", number: number).remedy(listeningOn: address)
        #expect(text.hasPrefix(remedy) && text.isEmpty == remedy.isEmpty)
    }
}
