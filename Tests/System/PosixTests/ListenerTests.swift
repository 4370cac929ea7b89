// Listening, connecting, and moving bytes between the two.

import Foundation
import Posix
import TestSupport
import Testing

struct ListenerTests {
    private let anyPort = SocketAddress("127.0.0.1:0")!

    @Test func `reports its port`() throws {
        let listener = try Listener(anyPort, sharesPort: false)
        #expect(listener.address.port != 0)
        #expect(listener.address.host == "127.0.0.1")
    }

    @Test func `accepts a connection and reads what it sends`() throws {
        let listener = try Listener(anyPort, sharesPort: false)
        let client = try ClientSocket(to: listener.address, timeoutMilliseconds: 5_000)
        try client.send(Array("hello".utf8))
        finishSending(client.number)
        var peer = SocketAddress.unknown
        guard case .accepted(let number) = listener.accept(peer: &peer) else {
            Issue.record("no connection was waiting")
            return
        }
        let server = Descriptor(takingOwnershipOf: number)
        #expect(peer.host == "127.0.0.1")
        let poller = try Poller()
        poller.add(server.number, .readable, token: 7)
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(poller.wait(milliseconds: 5_000) == 1)
        #expect(poller.event(0).token == 7)
        #expect(poller.event(0).isReadable)
        #expect(buffer.withUnsafeMutableBytes { receive(server.number, into: $0) } == .moved(5))
        #expect(buffer.prefix(5).elementsEqual("hello".utf8))
        #expect(poller.wait(milliseconds: 5_000) == 1)
        #expect(buffer.withUnsafeMutableBytes { receive(server.number, into: $0) } == .ended)
    }

    @Test func `serves both families with one listener, unless IPv4 has its own`() throws {
        func families(_ texts: String...) -> [Bool] {
            SocketAddress.sharingFamilies(texts.compactMap { SocketAddress($0) }).map(\.servesBothFamilies)
        }
        #expect(families("[::]:80", "[::1]:81", "0.0.0.0:82", "unix:/a") == [true, false, false, false])
        #expect(families("[::]:80", "0.0.0.0:80", "[::]:443") == [false, false, true])
        let address = try #require(SocketAddress.sharingFamilies([SocketAddress("[::]:0")!]).first)
        let both = try Listener(address, sharesPort: false)
        let port = both.address.port
        for text in ["127.0.0.1:\(port)", "[::1]:\(port)"] {
            let reachable = try #require(SocketAddress(text))
            let client = try ClientSocket(to: reachable, timeoutMilliseconds: 5_000)
            try client.send([1])
        }
        let one = try Listener(SocketAddress("[::]:0")!, sharesPort: false)
        let other = try #require(SocketAddress("127.0.0.1:\(one.address.port)"))
        #expect(throws: (any Error).self) { _ = try ClientSocket(to: other, timeoutMilliseconds: 5_000) }
    }

    @Test func `reports that no connection is waiting`() throws {
        let listener = try Listener(anyPort, sharesPort: false)
        var peer = SocketAddress.unknown
        guard case .noneWaiting = listener.accept(peer: &peer) else {
            Issue.record("a connection was waiting")
            return
        }
    }

    @Test func `names the cause of an address in use`() throws {
        let first = try Listener(anyPort, sharesPort: false)
        let address = first.address
        let error = #expect(throws: SystemError.self) { _ = try Listener(address, sharesPort: true) }
        #expect(error?.cause == .inUse)
        // Used here so that the first one is still listening above.
        #expect(first.address.port == address.port)
    }

    @Test func `shares an address with sockets that allow it`() throws {
        let first = try Listener(anyPort, sharesPort: true)
        let second = try Listener(first.address, sharesPort: true)
        #expect(first.address.port == second.address.port)
    }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func `tells an address in use from a free one`(wanted: String) throws {
        let anyPort = try #require(SocketAddress(wanted))
        #expect(try !Listener.isShared(anyPort))
        let address: SocketAddress
        do {
            let listener = try Listener(anyPort, sharesPort: true)
            address = listener.address
            #expect(try Listener.isShared(address))
            // The check has consumed nothing.
            #expect(try Listener(address, sharesPort: true).address.port == address.port)
            let client = try ClientSocket(to: address, timeoutMilliseconds: 5_000)
            try client.send([1])
        }
        #expect(try !Listener.isShared(address))
    }

    @Test func `replaces a Unix-domain path without a listener`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        let address = try #require(SocketAddress("unix:\(path)"))
        do {
            let abandoned = try Listener(address, sharesPort: false)
            #expect(abandoned.address.path == path)
            let error = #expect(throws: SystemError.self) { _ = try Listener(address, sharesPort: false) }
            #expect(error?.cause == .inUse)
        }
        // A process that another test starts at this moment has the socket until it runs its own program.
        for _ in 0..<5_000 {
            do throws(SystemError) {
                let again = try Listener(address, sharesPort: false)
                let client = try ClientSocket(to: again.address, timeoutMilliseconds: 5_000)
                try client.send([1])
                return
            } catch {
                try #require(error.cause == .inUse)
                usleep(1_000)
            }
        }
        Issue.record("the path is in use without a listener")
    }

    @Test func `accepts a deferred connection with its first byte, or when deferring ends`() throws {
        let listener = try Listener(anyPort, sharesPort: false)
        listener.deferAccept(seconds: 60)
        let client = try ClientSocket(to: listener.address, timeoutMilliseconds: 5_000)
        var peer = SocketAddress.unknown
        guard case .noneWaiting = listener.accept(peer: &peer) else {
            Issue.record("a silent client was let in at once")
            return
        }
        listener.stopDeferring()
        let poller = try Poller()
        let isAdded = poller.addListener(listener.descriptor.number, token: 1)
        #expect(isAdded)
        #expect(poller.wait(milliseconds: 5_000) == 1)
        guard case .accepted(let fd) = listener.accept(peer: &peer) else {
            Issue.record("the silent client is lost")
            return
        }
        closeDescriptor(fd)
        #expect(try client.receive().isEmpty)
    }
}
