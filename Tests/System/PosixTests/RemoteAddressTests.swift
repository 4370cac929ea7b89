// Addresses in 24 bytes and as text, compared with the system's own text.

import Posix
import Testing

struct RemoteAddressTests {
    @Test(arguments: [
        "127.0.0.1:80", "0.0.0.0:1", "255.255.255.255:65535", "8.8.8.8:53", "10.20.100.200:8080", "[::1]:80",
        "[::]:1", "[2001:db8::1]:443", "[2001:db8:0:0:1:0:0:1]:1", "[fe80::1:2:3:4]:1", "[1:2:3:4:5:6:7:8]:1",
        "[1:0:0:2:0:0:0:3]:1", "[0:1:0:1:0:1:0:1]:1", "[1::]:1", "[1:0:2:3:4:5:6:0]:1", "[0:0:1::]:1",
        "[abcd:ef01:2345:6789:abcd:ef01:2345:6789]:1", "[64:ff9b::c000:201]:1",
    ])
    func `writes addresses as the system does`(text: String) throws {
        let address = try #require(SocketAddress(text))
        let remote = RemoteAddress(address)
        #expect(remote.description == address.host)
        #expect(remote.port == address.port)
    }

    @Test func `shortens every pattern of empty groups as the system does`() throws {
        for pattern in 0..<256 {
            let groups = (0..<8).map { pattern >> $0 & 1 == 0 ? "0" : "a\($0)" }
            let address = try #require(SocketAddress("[\(groups.joined(separator: ":"))]:1"))
            // The system writes an address that ends in an IPv4 one with dots; RFC 5952 does not.
            if address.host.contains(".") { continue }
            #expect(RemoteAddress(address).description == address.host)
        }
    }

    @Test func `treats an IPv4-mapped address as IPv4`() throws {
        let mapped = RemoteAddress(try #require(SocketAddress("[::ffff:192.0.2.7]:9")))
        #expect(mapped.description == "192.0.2.7")
        #expect(mapped == RemoteAddress(try #require(SocketAddress("192.0.2.7:9"))))
    }

    /// A quota is for an IPv4 address, or for an IPv6 /64 network; this machine has none.
    @Test(arguments: [
        ("192.0.2.7:1", "192.0.2.7:2", true), ("192.0.2.7:1", "192.0.2.8:1", false),
        ("[2001:db8::1]:1", "[2001:db8::ffff:ffff:ffff:ffff]:1", true),
        ("[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false), ("[2001:db8::1]:1", "[2001:db9::1]:1", false),
        ("[::1]:1", "127.255.255.255:1", true), ("[::2]:1", "[::1]:1", false), ("126.0.0.1:1", "128.0.0.1:1", false),
    ])
    func `gives the clients of one network the same key`(one: String, other: String, isSame: Bool) throws {
        let keys = try [one, other].map { RemoteAddress(try #require(SocketAddress($0))).networkKey }
        #expect((keys[0] == keys[1]) == isSame)
    }

    @Test func `writes a client without an address as such`() throws {
        #expect(RemoteAddress(try #require(SocketAddress("unix:/tmp/x"))).description == "unix:")
        #expect(RemoteAddress(.unknown).description == "-")
        #expect(MemoryLayout<RemoteAddress>.size <= 24)
    }
}
