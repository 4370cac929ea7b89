// Sockets that the supervisor has opened. `ActivationTests` has the whole program serve on them.

import Foundation
import Posix
import TestSupport
import Testing

struct ListeningSocketTests {
    private static let announcement = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    @Test func `sockets that are meant for another process are left alone, and not handed on`() async {
        await #expect(processExitsWith: .success) {
            for name in ListeningSocketTests.announcement { setenv(name, "1", 1) }
            let sockets = try ListeningSocket.takeActivated()
            #expect(sockets.isEmpty && ListeningSocketTests.announcement.allSatisfy { getenv($0) == nil })
        }
    }

    @Test func `a descriptor that is no listening socket is a reason not to start`() async {
        await #expect(processExitsWith: .success) {
            let file = open("/dev/null", O_RDONLY)
            setenv("LISTEN_PID", "\(getpid())", 1)
            // Whatever the first descriptors of this process are, none of them is a listening socket.
            setenv("LISTEN_FDS", "\(file)", 1)
            let isTaken = (try? ListeningSocket.takeActivated()) != nil
            #expect(!isTaken)
        }
    }

    @Test func `who has a socket before it listens accepts from it afterwards`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        let socket = try ListeningSocket(laterAt: path)
        let inherited = try ListeningSocket(inheriting: dup(socket.number), named: "late", mayBeLate: true)
        var peer = SocketAddress.unknown
        func accepts() -> Bool? {
            switch inherited.listener.accept(peer: &peer) {
            case .accepted(let number):
                close(number)
                return true
            case .noneWaiting: return false
            case .lost, .exhausted: return nil
            }
        }
        #expect(!socket.isListening && !socket.isReachable && accepts() == nil)
        #expect(throws: ListeningSocket.Problem.self) {
            try ListeningSocket(inheriting: dup(socket.number), named: "late")
        }
        // Something is in the way, and is removed.
        try folder.makeFolder("s")
        #expect(throws: SystemError.self) { try socket.listen(permissions: 0o600) }
        #expect(!socket.isListening && accepts() == nil)
        try folder.remove("s")
        try socket.listen(permissions: 0o600)
        #expect(socket.isListening && socket.isReachable && accepts() == false)
        let client = try ClientSocket(to: try #require(SocketAddress(path: path)), timeoutMilliseconds: 5_000)
        #expect(accepts() == true)
        _ = consume client
    }

    @Test func `removes the file of a socket with its owner, unless another socket has the path`() throws {
        let folder = try TemporaryFolder()
        let address = try #require(SocketAddress("unix:\(folder.path)/s"))
        do {
            let socket = try ListeningSocket(address, sharesPort: false)
            #expect(socket.isReachable)
        }
        #expect(access(folder.path + "/s", F_OK) != 0)
        let first = try ListeningSocket(address, sharesPort: false)
        do {
            let second = try ListeningSocket(replacing: folder.path + "/s", permissions: 0o600)
            #expect(second.isReachable && !first.isReachable)
        }
        #expect(access(folder.path + "/s", F_OK) != 0)
    }
}
