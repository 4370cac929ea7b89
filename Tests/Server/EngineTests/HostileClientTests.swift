// An honest client among many hostile ones: it is accepted and answered soon, and the memory of all is limited.

import Certificates
import HTTP
import Posix
import TLS
import Telemetry
import Testing

@testable import Engine

struct HostileClientTests {
    private let folder: TemporaryFolder
    private let store: CertificateStore

    init() throws {
        folder = try TemporaryFolder()
        store = CertificateStore(
            hostsPath: "\(folder.path)/hosts", development: try DevelopmentAuthority(directory: folder.path))
    }

    private func rig(_ adjust: (inout Limits) -> Void) throws -> WorkerRig {
        var limits = Limits()
        adjust(&limits)
        return try WorkerRig(TestEngine.sites, limits: limits, certificates: store)
    }

    /// A connection that has sent these bytes.
    private func connect(_ address: SocketAddress, _ bytes: [UInt8] = []) throws -> ClientSocket {
        let socket = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
        if !bytes.isEmpty { try socket.send(bytes) }
        return socket
    }

    private func isAnswered(_ rig: WorkerRig) throws -> Bool {
        var client = try TestClient(rig.plainAddress)
        try client.send(get("/doc"))
        rig.runUntilIdle()
        return try client.response()?.status == 200
    }

    private func handshake(_ rig: WorkerRig) -> RandomClient {
        let context = RandomClient.makeContext(version: nil)
        defer { RandomClient.free(context) }
        let request = RandomClient.Exchange(request: Array(get("/doc").utf8), body: Array(TestEngine.document.utf8))
        return RandomClient(rig.secureAddress, context, host: "shop.example", [request], bufferBytes: nil)
    }

    /// Whether an honest client is answered over TLS.
    private func isAnsweredSecurely(_ rig: WorkerRig) -> Bool {
        let client = handshake(rig)
        defer { client.close() }
        _ = eventually {
            client.send(.max)
            rig.turn()
            client.read(65_536)
            return client.answers > 0 || !client.isOpen
        }
        return client.answers == 1
    }

    @Test(arguments: [[], Array("G".utf8), Array("GET /doc HTTP/1.1\r\nHost: shop.ex".utf8)] as [[UInt8]])
    func `an honest client is served despite many silent ones`(bytes: [UInt8]) throws {
        let rig = try rig { $0.connectionsMax = 16 }
        var silent: [Shared] = []
        for _ in 0..<20 {
            for _ in 0..<20 { silent.append(Shared(try connect(rig.plainAddress, bytes))) }
            rig.runUntilIdle()
            #expect(try isAnswered(rig))
            #expect(rig.contradiction == nil)
        }
        #expect(rig.metrics.total(.connectionsClosed(.evicted)) > 380)
        #expect(rig.metrics.total(.connectionsRefused(.tooManyConnections)) == 0)
    }

    @Test(arguments: [[0x16], [0x16, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]] as [[UInt8]])
    func `an honest handshake succeeds despite many silent ones`(bytes: [UInt8]) throws {
        let rig = try rig { $0.handshakesMax = 16 }
        var silent: [Shared] = []
        for _ in 0..<10 {
            for _ in 0..<20 { silent.append(Shared(try connect(rig.secureAddress, bytes))) }
            rig.runUntilIdle()
            #expect(isAnsweredSecurely(rig))
            #expect(rig.contradiction == nil)
        }
        #expect(rig.metrics.total(.connectionsRefused(.tooManyHandshakes)) == 0)
    }

    @Test func `keeps handshakes with a complete first message, and closes the others`() throws {
        let rig = try rig { $0.handshakesMax = 16 }
        // Older than all the silent ones.
        let honest = handshake(rig)
        defer { honest.close() }
        _ = eventually {
            honest.send(.max)
            rig.turn()
            return rig.worker.table.deadlines.count(.handshake) > 0
        }
        try #require(rig.worker.table.deadlines.count(.handshake) == 1)
        let silent = try (0..<100).map { _ in Shared(try connect(rig.secureAddress, [0x16])) }
        rig.runUntilIdle()
        #expect(rig.worker.acceptor.handshakeCount == 16)
        _ = eventually {
            honest.read(65_536)
            honest.send(.max)
            rig.turn()
            return honest.answers > 0 || !honest.isOpen
        }
        #expect(honest.answers == 1)
        #expect(silent.count == 100)
    }

    @Test func `a handshake has one deadline, whenever its first message was complete`() throws {
        let rig = try rig { _ in }
        let early = handshake(rig)
        defer { early.close() }
        rig.runUntilIdle()
        rig.turn(after: 4_000)
        let late = handshake(rig)
        defer { late.close() }
        // The later one sends its first message first.
        for client in [late, early] {
            let count = rig.worker.table.deadlines.count(.handshake)
            for _ in 0..<200 where rig.worker.table.deadlines.count(.handshake) == count {
                client.send(.max)
                rig.turn()
            }
        }
        #expect(rig.worker.table.deadlines.count(.handshake) == 2)
        rig.turn(after: 6_001)
        #expect(rig.connectionCount == 1)
        #expect(rig.slot(ofPort: late.port) != nil, "the later one has more time")
        rig.turn(after: 4_001)
        #expect(rig.connectionCount == 0)
    }

    @Test func `idle connections make room for new ones, the oldest first`() throws {
        let rig = try rig { $0.connectionsMax = 16 }
        let guests = try (0..<16).map { _ in Shared(try connect(rig.plainAddress, Array(get("/doc").utf8))) }
        rig.runUntilIdle()
        #expect(rig.worker.table.deadlines.count(.idle) == 16)
        #expect(try isAnswered(rig))
        #expect(rig.connectionCount == 16)
        #expect(rig.metrics.total(.connectionsClosed(.evicted)) == 1)
        for (index, guest) in guests.enumerated() {
            _ = try guest.socket.receive()
            try guest.socket.send(Array(get("/doc").utf8))
            rig.runUntilIdle()
            #expect(try (guest.socket.receive().isEmpty) == (index == 0))
        }
    }

    @Test func `a few new silent connections stay while many are idle`() throws {
        let rig = try rig { $0.connectionsMax = 16 }
        var slow = try TestClient(rig.plainAddress)
        try slow.send("GET /doc HTTP/1.1\r\n")
        rig.runUntilIdle()
        let guests = try (0..<40).map { _ in
            let guest = Shared(try connect(rig.plainAddress, Array(get("/doc").utf8)))
            rig.runUntilIdle()
            return guest
        }
        try slow.send("Host: shop.example\r\n\r\n")
        rig.runUntilIdle()
        #expect(try slow.response()?.status == 200)
        #expect(guests.count == 40)
    }

    @Test(arguments: [false, true])
    func `limits the memory of all clients, and serves an honest one`(isSecure: Bool) throws {
        let rig = try rig { $0.heldBytesMax = Limits.heldBytesMin }
        let head = Array(
            ("GET /doc HTTP/1.1\r\nHost: shop.example\r\nX: " + String(repeating: "x", count: 15_000)).utf8)
        var hostile: [Shared] = []
        for round in 0..<10 {
            for _ in 0..<60 {
                let address = isSecure ? rig.secureAddress : rig.plainAddress
                hostile.append(Shared(try connect(address, isSecure ? [0x16] : head)))
            }
            rig.runUntilIdle()
            #expect(rig.worker.table.heldBytes <= Limits.heldBytesMin, "round \(round)")
            #expect(try isAnswered(rig))
            #expect(isAnsweredSecurely(rig))
            #expect(rig.contradiction == nil)
        }
        #expect(rig.worker.table.heldBytes > Limits.heldBytesMin / 2, "the budget is used")
        #expect(rig.metrics.heldBytes == UInt64(rig.worker.table.heldBytes))
        #expect(rig.metrics.total(.connectionsClosed(.evicted)) > 0)
    }

    @Test func `a client with many pipelined requests does not delay others`() throws {
        let rig = try rig { _ in }
        var many = try TestClient(rig.plainAddress)
        try many.send(String(repeating: get("/doc"), count: 150))
        var one = try TestClient(rig.plainAddress)
        try one.send(get("/doc"))
        for _ in 0..<3 { rig.turn() }
        // Both were accepted; the many have had some turns, and the one its only turn.
        #expect(rig.metrics.latency.count <= 3 * UInt64(Worker.requestsPerTurnMax) + 1)
        #expect(try one.response()?.status == 200)
        #expect(rig.contradiction == nil)
        rig.runUntilIdle()
        for _ in 0..<150 { #expect(try many.response()?.status == 200) }
        #expect(rig.contradiction == nil)
    }

    @Test func `serves an honest client despite ten thousand silent ones`() throws {
        let count = min(10_000, DescriptorLimit.raise() / 2)
        var limits = TestEngine.limits
        limits.connectionsMax = 64
        limits.handshakesMax = 32
        let server = try TestEngine(limits: limits) { settings in
            try settings.listen(at: SocketAddress("127.0.0.1:0")!, isSecure: true)
            settings.secure = SecureSettings(certificates: store, tickets: try TicketKeys())
        }
        var silent: [Shared] = []
        for index in 0..<count {
            let isSecure = index % 2 == 0
            silent.append(
                Shared(
                    try connect(
                        isSecure ? server.engine.secureAddresses[0] : server.address,
                        isSecure ? [0x16] : [UInt8(ascii: "G")])))
            if index % 100 == 99 { #expect(try exchange(server, get("/doc"))?.status == 200) }
        }
        #expect(server.engine.metrics.openConnections <= 64)
        #expect(silent.count == count)
    }
}
