// Sockets of whoever started this process. That they are served on is a matter of the whole program: `ActivationTests`.

import Foundation
import Posix
import Testing

struct InheritedSocketTests {
    private static let announcement = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    @Test func `sockets that are meant for another process are left alone, and not handed on`() async {
        await #expect(processExitsWith: .success) {
            for name in InheritedSocketTests.announcement { setenv(name, "1", 1) }
            let sockets = try InheritedSocket.takeAll()
            #expect(sockets.isEmpty && InheritedSocketTests.announcement.allSatisfy { getenv($0) == nil })
        }
    }

    @Test func `a descriptor that is no listening socket is a reason not to start`() async {
        await #expect(processExitsWith: .success) {
            let file = open("/dev/null", O_RDONLY)
            setenv("LISTEN_PID", "\(getpid())", 1)
            // Whatever the first descriptors of this process are, none of them is a listening socket.
            setenv("LISTEN_FDS", "\(file)", 1)
            let isTaken = (try? InheritedSocket.takeAll()) != nil
            #expect(!isTaken)
        }
    }
}
