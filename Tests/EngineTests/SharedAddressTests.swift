// Two servers at one address: the connections of each, and the state after one stops.

import Foundation
import HTTP
import Posix
import Testing

@testable import Engine

struct SharedAddressTests {
    private static func server(_ address: SocketAddress, workers: Int) throws -> TestEngine {
        var limits = TestEngine.limits
        // Each worker has an equal share of the table, so a worker that gets all connections must refuse some.
        limits.connectionsMax = 100
        return try TestEngine(limits: limits, workers: workers, addresses: [address])
    }

    /// How many of this number of simultaneous clients are accepted.
    private static func admitted(_ count: Int, _ server: TestEngine) throws -> Int {
        var clients = ClientList()
        for _ in 0..<count { try clients.add(server.address, sending: get("/doc")) }
        return try clients.statuses().count { $0 == 200 }
    }

    /// Whether the kernel still steers connections at an address.
    private static func isLed(_ address: SocketAddress) throws -> Bool {
        let probe = try Listener(address, sharesPort: true)
        return probe.stopSteering()
    }

    @Test(arguments: [false, true])
    func `a new server with more workers than the old one uses all of them`(isBesideOnPurpose: Bool) throws {
        let first = try SharedAddressTests.server(try #require(SocketAddress("127.0.0.1:0")), workers: 1)
        let second = try SharedAddressTests.server(first.address, workers: 2)
        if isBesideOnPurpose {
            // No process has gone, so nothing changes.
            second.engine.checkOtherProcesses()
            #expect(try exchange(second, get("/doc"))?.status == 200)
        }
        first.engine.stop()
        second.engine.checkOtherProcesses()
        // Each worker runs a round, and so notices the request.
        for _ in 0..<50 { #expect(try exchange(second, get("/doc"))?.status == 200) }
        #expect(try !SharedAddressTests.isLed(first.address))
        // Of 60 more than 50 come to one of two workers once in ten million times, of 40 more than 25 to one of four.
        #expect(try SharedAddressTests.admitted(60, second) == 60)
        let third = try SharedAddressTests.server(first.address, workers: 4)
        second.engine.stop()
        third.engine.checkOtherProcesses()
        for _ in 0..<100 { #expect(try exchange(third, get("/doc"))?.status == 200) }
        #expect(try !SharedAddressTests.isLed(first.address))
        #expect(try SharedAddressTests.admitted(40, third) == 40)
    }

    @Test func `the newer of two servers can stop without harm to the older`() throws {
        let older = try SharedAddressTests.server(try #require(SocketAddress("127.0.0.1:0")), workers: 2)
        let newer = try SharedAddressTests.server(older.address, workers: 1)
        newer.engine.stop()
        // The older process gets no message and needs none.
        #expect(try SharedAddressTests.admitted(60, older) == 60)
    }

    @Test func `finds its place among the sockets`() throws {
        let own = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: true)
        var alone = SharedAddress(address: own.address, own: [own.inode], olderSockets: [])
        #expect(alone.otherSockets().isEmpty)
        let other = try Listener(own.address, sharesPort: true)
        #expect(alone.otherSockets() == 1..<2)
        var newer = SharedAddress(address: own.address, own: [other.inode], olderSockets: [own.inode, 1])
        #expect(newer.hasOlderSockets)
        #expect(newer.otherSockets() == 0..<1)
        var left = SharedAddress(address: own.address, own: [other.inode], olderSockets: [1])
        left.refresh()
        #expect(!left.hasOlderSockets)
    }

    @Test func `one connection does not wake all workers of a shared socket`() throws {
        let folder = try TemporaryFolder()
        let workers = 8
        let server = try TestEngine(
            workers: workers, addresses: [try #require(SocketAddress("unix:\(folder.path)/s"))])
        for _ in 0..<10 { #expect(try exchange(server, get("/doc"))?.status == 200) }
        let rounds = 300
        let before = try SharedAddressTests.timesWorkersSlept()
        for _ in 0..<rounds { #expect(try exchange(server, get("/doc"))?.status == 200) }
        // One wakes for each, and sometimes a second one; waking all would be 2,400.
        #expect(try SharedAddressTests.timesWorkersSlept() - before < rounds * workers / 2)
    }

    /// How often the serving threads of this process have waited.
    private static func timesWorkersSlept() throws -> Int {
        var total = 0
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            guard let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8),
                text.hasPrefix("Name:\tworker ")
            else { continue }
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            total += line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? 0
        }
        return total
    }
}
