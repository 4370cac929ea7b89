// Starting, limits on clients, and stopping.

import Engine
import Foundation
import HTTP
import Posix
import Testing

struct LifecycleTests {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func `listens on each kind of address`(text: String) throws {
        let server = try TestEngine(addresses: [try #require(SocketAddress(text))])
        #expect(try exchange(server, get("/doc"))?.status == 200)
    }

    @Test func `listens on a Unix-domain path with several workers`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8)).sock")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try TestEngine(workers: 3, addresses: [try #require(SocketAddress("unix:\(path)"))])
        for _ in 0..<20 { #expect(try exchange(server, get("/doc"))?.status == 200) }
    }

    @Test func `says what to do when an address is in use`() throws {
        let taken = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false)
        let address = taken.address
        #expect {
            _ = try TestEngine(addresses: [address])
        } throws: {
            "\($0)".hasPrefix("cannot listen on \(address): address already in use; ")
        }
        #expect(taken.address.port == address.port)
    }

    @Test func `cuts off a head that does not come in time, and says so`() throws {
        var limits = Limits()
        limits.headTimeoutMilliseconds = 50
        let server = try TestEngine(limits: limits)
        var client = try TestClient(server.address)
        try client.send("GET /doc HTTP/1.1\r\nHost: shop.exa")
        #expect(try client.response()?.status == 408)
    }

    @Test func `closes a connection that stays silent`() throws {
        var limits = Limits()
        limits.idleTimeoutMilliseconds = 50
        let server = try TestEngine(limits: limits)
        var client = try TestClient(server.address)
        try client.send(get("/doc"))
        #expect(try client.response()?.status == 200)
        #expect(try client.rest().isEmpty)
    }

    @Test func `cuts off a body that does not come in time`() throws {
        var limits = Limits()
        limits.bodyTimeoutMilliseconds = 50
        let server = try TestEngine(limits: limits)
        var client = try TestClient(server.address)
        try client.send(get("/doc", "Content-Length: 5\r\n") + "he")
        #expect(try client.rest().isEmpty)
    }

    @Test func `cuts off a client that does not read`() throws {
        var limits = Limits()
        limits.writeTimeoutMilliseconds = 50
        let server = try TestEngine(limits: limits)
        var client = try TestClient(server.address)
        try client.send(get("/large", host: "large.example"))
        // Others are served for longer than the deadline before this client reads what is in its buffers.
        let until = Clock.monotonicMilliseconds() + 500
        while Clock.monotonicMilliseconds() < until { #expect(try exchange(server, get("/doc"))?.status == 200) }
        let count = (try? client.rest().count) ?? 0
        #expect(count < TestEngine.largeBody.count)
    }

    @Test func `closes a connection after its share of requests`() throws {
        var limits = Limits()
        limits.requestsPerConnectionMax = 3
        let server = try TestEngine(limits: limits)
        var client = try TestClient(server.address)
        try client.send(get("/doc") + get("/doc") + get("/doc") + get("/doc"))
        #expect(try client.response()?["connection"] == nil)
        #expect(try client.response()?["connection"] == nil)
        #expect(try client.response()?["connection"] == "close")
        #expect(try client.rest().isEmpty)
    }

    @Test func `a full house says so, and those inside are served`() throws {
        var limits = Limits()
        limits.connectionsMax = 16
        let server = try TestEngine(limits: limits, workers: 1)
        var guests = ClientList()
        for _ in 0..<16 { try guests.add(server.address, sending: get("/doc")) }
        // All sixteen are inside once each has been answered.
        #expect(try guests.statuses() == Array(repeating: 200, count: 16))
        #expect(try exchange(server, get("/doc"))?.status == 503)
        try guests.send(get("/doc"))
        #expect(try guests.statuses() == Array(repeating: 200, count: 16))
    }

    @Test func `stopping finishes what is in flight`() throws {
        let server = try TestEngine(workers: 1)
        let address = server.address
        var slow = try TestClient(address)
        try slow.send(get("/large", host: "large.example"))
        var half = try TestClient(address)
        try half.send("GET /doc HTTP/1.1\r\nHost: shop.example\r\n")
        #expect(try exchange(server, get("/doc"))?.status == 200)
        let stopping = try Thread(name: "stop") { [engine = server.engine] in engine.stop() }
        #expect(try slow.response()?.body == TestEngine.largeBody)
        try half.send("\r\n")
        let last = try #require(try half.response())
        #expect(last.status == 200)
        #expect(last["connection"] == "close")
        stopping.join()
        #expect(throws: SystemError.self) { _ = try TestClient(address) }
    }

    @Test func `stopping does not wait longer than the drain time`() throws {
        var limits = Limits()
        limits.drainTimeoutMilliseconds = 100
        let server = try TestEngine(limits: limits, workers: 1)
        let stuck = try TestClient(server.address)
        try stuck.send("GET /doc HTTP/1.1\r\n")
        #expect(try exchange(server, get("/doc"))?.status == 200)
        let start = Clock.monotonicMilliseconds()
        server.engine.stop()
        #expect(Clock.monotonicMilliseconds() - start < 5_000)
    }
}

/// Several clients at once; an array cannot hold what cannot be copied.
struct ClientList {
    private final class Box {
        var client: TestClient
        init(_ client: consuming TestClient) { self.client = client }
    }

    private var boxes: [Box] = []

    mutating func add(_ address: SocketAddress, sending text: String) throws {
        let client = try TestClient(address)
        try client.send(text)
        boxes.append(Box(client))
    }

    func send(_ text: String) throws {
        for box in boxes { try box.client.send(text) }
    }

    func statuses() throws -> [Int?] { try boxes.map { try $0.client.response()?.status } }
}
