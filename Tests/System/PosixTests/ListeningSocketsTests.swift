// Finding other listening sockets.

import Glibc
import Testing

@testable import Posix

struct ListeningSocketsTests {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func `finds exactly the sockets at an address, and their process`(text: String) throws {
        let first = try Listener(try #require(SocketAddress(text)), sharesPort: true)
        let address = first.address
        #expect(ListeningSockets.inodes(at: address)?.count == 1)
        do {
            let second = try Listener(address, sharesPort: true)
            // A connection is not a listener.
            let client = try ClientSocket(to: second.address, timeoutMilliseconds: 5_000)
            #expect(ListeningSockets.inodes(at: address)?.count == 2)
            try client.send([1])
        }
        #expect(ListeningSockets.inodes(at: address)?.count == 1)
        #expect(ListeningSockets.process(at: address) == getpid())
        #expect(ListeningSockets.inodes(at: try #require(SocketAddress(text))) == [])
        #expect(ListeningSockets.process(at: try #require(SocketAddress(text))) == nil)
        #expect(first.address.port == address.port)
    }

    @Test func `finds no Unix-domain sockets`() throws {
        #expect(ListeningSockets.inodes(at: try #require(SocketAddress("unix:/tmp/none"))) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "0100007F:1F90"), ("0.0.0.0:1", "00000000:0001"),
        ("[::1]:443", "00000000000000000000000001000000:01BB"),
    ])
    func `writes an address as the kernel does on a little-endian machine`(text: String, name: String) throws {
        #expect(ListeningSockets.name(of: try #require(SocketAddress(text))) == name)
    }
}
