// Connection limits of addresses and of their networks.

import Posix
import Testing

@testable import Engine

struct AddressCountsTests {
    private func remote(_ text: String) throws -> RemoteAddress { RemoteAddress(try #require(SocketAddress(text))) }

    @Test func `limits the connections of an address and frees them when they close`() throws {
        let counts = try #require(AddressCounts(limit: 2))
        let (first, other) = try (remote("192.0.2.1:1"), remote("198.51.100.7:1"))
        #expect([first, first, first, other].map { counts.add($0, weight: 1) } == [true, true, false, true])
        counts.release(first, weight: 1)
        #expect(counts.add(first, weight: 1))
        #expect(AddressCounts(limit: 0) == nil)
    }

    @Test(arguments: [(256, 1, 4), (256, 3, 12), (256, 8, 32), (256, 64, 32), (16, 8, 4), (2, 8, 2)])
    func `a handshake weighs what its key costs, and eight are always allowed`(
        limit: Int, cost: Int, weight: UInt32
    ) throws {
        let counts = try #require(AddressCounts(limit: limit))
        #expect(counts.weight(inHandshake: true, cost: cost) == weight)
        #expect(counts.weight(inHandshake: false) == 1)
    }

    @Test func `reports the network with the most refusals once`() throws {
        let counts = try #require(AddressCounts(limit: 1))
        #expect(counts.takeMostRefused() == nil)
        for (text, times) in [("192.0.2.1:1", 3), ("[2001:db8::1]:5", 4), ("[2001:db8::2]:6", 2)] {
            for _ in 0..<times { _ = counts.add(try remote(text), weight: 1) }
        }
        let most = try #require(counts.takeMostRefused())
        #expect(most == ("2001:db8::/64", 5))
        #expect(counts.takeMostRefused() == nil)
        for low in 0..<5_000 {
            let address = try remote("198.51.\(low / 250).\(low % 250):1")
            for _ in 0..<2 { _ = counts.add(address, weight: 1) }
        }
        // An address that comes after the limit is not counted, however often it is refused. The others were refused once, or twice if
        // they share a counter.
        let last = try remote("203.0.113.9:1")
        for _ in 0..<10 { _ = counts.add(last, weight: 1) }
        let count = try #require(counts.takeMostRefused()?.count)
        #expect(count <= 2, "limits the addresses of a flood")
    }

    @Test(arguments: ["127.0.0.1:1", "[::1]:1"])
    func `does not count clients on this machine`(text: String) throws {
        let counts = try #require(AddressCounts(limit: 1))
        let remote = try remote(text)
        for _ in 0..<10 { #expect(counts.add(remote, weight: 1)) }
    }

    // Connections from one /64; from /64 of one /56; from /56 of one /48.
    @Test(arguments: [(1, 0), (4, 1), (16, 256)])
    func `gives a network that is 256 times as large four times the share`(factor: Int, step: Int) throws {
        let counts = try #require(AddressCounts(limit: 10))
        let admitted = try (0..<200).count { index in
            let network = String(index * step % (step == 1 ? 256 : 65_536), radix: 16)
            return counts.add(try remote("[2001:db8:0:\(network)::1]:1"), weight: 1)
        }
        #expect(admitted == 10 * factor)
        #expect(counts.add(try remote("[2001:db9::1]:1"), weight: 1), "another network has its own share")
    }

    @Test func `does not count a connection for its address when its network has no room`() throws {
        let counts = try #require(AddressCounts(limit: 1))
        let networks = try (0..<5).map { try remote("[2001:db8:0:\($0)::1]:1") }
        #expect(networks.map { counts.add($0, weight: 1) } == [true, true, true, true, false])
        counts.release(networks[0], weight: 1)
        #expect(counts.add(networks[4], weight: 1))
    }

    @Test(arguments: [(1, UInt32(1), 1), (2, 2, 1), (8, 4, 2), (1_024, 4, 256)])
    func `allows a quarter of an address's connections to be in a handshake`(limit: Int, weight: UInt32, count: Int)
        throws
    {
        let counts = try #require(AddressCounts(limit: limit))
        #expect(counts.weight(inHandshake: true) == weight)
        #expect(counts.weight(inHandshake: false) == 1)
        let remote = try remote("192.0.2.1:1")
        #expect((0..<limit + 1).count { _ in counts.add(remote, weight: weight) } == count)
    }
}
