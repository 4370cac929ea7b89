// Sockets from the parent process. `ActivationTests` covers serving on them.

import Foundation
import Posix
import Testing

struct InheritedSocketTests {
    private static let announcement = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    @Test func `ignores sockets for another process, and does not pass them on`() async {
        await #expect(processExitsWith: .success) {
            for name in InheritedSocketTests.announcement { setenv(name, "1", 1) }
            let sockets = try InheritedSocket.takeAll()
            #expect(sockets.isEmpty && InheritedSocketTests.announcement.allSatisfy { getenv($0) == nil })
        }
    }

    @Test func `refuses a descriptor that is not a listening socket`() async {
        await #expect(processExitsWith: .success) {
            let file = open("/dev/null", O_RDONLY)
            setenv("LISTEN_PID", "\(getpid())", 1)
            // None of the first descriptors of this process is a listening socket.
            setenv("LISTEN_FDS", "\(file)", 1)
            let isTaken = (try? InheritedSocket.takeAll()) != nil
            #expect(!isTaken)
        }
    }
}
