// Finding other listening sockets.

import Testing

@testable import Posix

struct ListeningSocketsTests {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func `finds exactly the sockets at an address`(text: String) throws {
        let first = try Listener(try #require(SocketAddress(text)), sharesPort: true)
        let address = first.address
        #expect(ListeningSockets.inodes(at: address) == [first.inode])
        do {
            let second = try Listener(address, sharesPort: true)
            #expect(first.inode != second.inode)
            #expect(ListeningSockets.inodes(at: address) == [first.inode, second.inode])
            // A connection is not a listener.
            let client = try ClientSocket(to: address, timeoutMilliseconds: 5_000)
            #expect(ListeningSockets.inodes(at: address) == [first.inode, second.inode])
            try client.send([1])
        }
        #expect(ListeningSockets.inodes(at: address) == [first.inode])
        #expect(ListeningSockets.inodes(at: try #require(SocketAddress(text))) == [])
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
