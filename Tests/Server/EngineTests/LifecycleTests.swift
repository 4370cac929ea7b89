// Starting, limits on clients, and stopping.

import Foundation
import HTTP
import Posix
import Testing

@testable import Engine

struct LifecycleTests {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func `listens on each kind of address`(text: String) throws {
        let server = try TestEngine(addresses: [try #require(SocketAddress(text))])
        #expect(try exchange(server, get("/doc"))?.status == 200)
    }

    @Test func `listens on a Unix-domain path with several workers`() throws {
        let folder = try TemporaryFolder()
        // The file is removed with the last owner of the socket that made it.
        var listeners: [ListenerGroup] = []
        let server = try TestEngine(workers: 3, addresses: [try #require(SocketAddress("unix:\(folder.path)/socket"))])
        {
            listeners = $0.listeners
        }
        for _ in 0..<20 { #expect(try exchange(server, get("/doc"))?.status == 200) }
        withExtendedLifetime(listeners) {}
    }

    @Test(arguments: [1, 2, 3, 4, 5], [1, 2, 3, 4])
    func `each socket of a group has a worker, and all workers have equally many`(sockets: Int, workers: Int) {
        let shares = (0..<workers).map { ListenerGroup.share(of: sockets, worker: $0, workerCount: workers) }
        #expect(Set(shares.joined()) == Set(0..<sockets))
        #expect(Set(shares.map(\.count)).count == 1)
    }

    @Test(arguments: [1, 3, 5])
    func `serves clients with more or fewer sockets than workers`(count: Int) throws {
        let server = try TestEngine(workers: 2, addresses: []) {
            try $0.listen(at: SocketAddress("127.0.0.1:0")!, isSecure: false, socketCount: count)
        }
        for _ in 0..<40 { #expect(try exchange(server, get("/doc"))?.status == 200) }
    }

    @Test func `closes a silent connection`() throws {
        let server = try TestEngine { $0.limits.idleTimeoutMilliseconds = 50 }
        var client = try TestClient(server.address)
        try client.send(get("/doc"))
        #expect(try client.response()?.status == 200)
        #expect(try client.rest().isEmpty)
    }

    @Test func `closes when a body does not arrive in time`() throws {
        let server = try TestEngine { $0.limits.bodyTimeoutMilliseconds = 50 }
        var client = try TestClient(server.address)
        try client.send(get("/doc", "Content-Length: 5\r\n") + "he")
        #expect(try client.rest().isEmpty)
    }

    @Test func `resets a client that never reads, so that the kernel frees its memory too`() throws {
        let server = try TestEngine {
            $0.limits.idleTimeoutMilliseconds = 50
            $0.limits.lingerTimeoutMilliseconds = 50
        }
        var client = try TestClient(server.address)
        // Enough to fill this client's buffer, but little enough for the kernel to accept all of it from the server.
        try client.send(String(repeating: get("/medium"), count: 8))
        // Others are served for longer than its deadline; then it finds the reset after the bytes that had arrived.
        let until = Clock.monotonicMilliseconds() + 500
        while Clock.monotonicMilliseconds() < until { #expect(try exchange(server, get("/doc"))?.status == 200) }
        #expect(throws: (any Error).self) { while try client.response() != nil {} }
    }

    @Test func `closes a connection after its maximum of requests`() throws {
        let server = try TestEngine { $0.limits.requestsPerConnectionMax = 3 }
        var client = try TestClient(server.address)
        try client.send(get("/doc") + get("/doc") + get("/doc") + get("/doc"))
        #expect(try client.response()?["connection"] == nil)
        #expect(try client.response()?["connection"] == nil)
        #expect(try client.response()?["connection"] == "close")
        #expect(try client.rest().isEmpty)
    }

    @Test func `answers 503 when all connections are busy, and serves the others`() throws {
        let server = try TestEngine(workers: 1) { $0.limits.connectionsMax = 16 }
        var guests = ClientList()
        for _ in 0..<16 { try guests.add(server.address, sending: get("/doc")) }
        // All sixteen are accepted once each has an answer.
        #expect(try guests.statuses() == Array(repeating: 200, count: 16))
        try guests.send(get("/doc") + get("/doc", "Content-Length: 2\r\n") + "a")
        #expect(try guests.statuses() == Array(repeating: 200, count: 16))
        #expect(try exchange(server, get("/doc"))?.status == 503)
        try guests.send("b")
        #expect(try guests.statuses() == Array(repeating: 200, count: 16))
    }

    @Test(arguments: [
        ("[2001:db8:1:2::3]:1", "[2001:db8:1:2:ffff::]:9", true), ("[2001:db8:1:2::3]:1", "[2001:db8:1:3::3]:1", false),
        ("[::ffff:192.0.2.1]:1", "192.0.2.1:1", true), ("192.0.2.1:1", "192.0.2.2:1", false),
        ("[::1]:1", "127.0.0.9:1", true),
    ])
    func `counts an IPv6 network as one address`(first: String, second: String, isSame: Bool) throws {
        let keys = try [first, second].map { RemoteAddress(try #require(SocketAddress($0))).networkKey }
        #expect((keys[0] == keys[1]) == isSame)
    }

    /// A closed socket would answer with a reset, which destroys an answer that the client has not read yet.
    @Test(arguments: [
        get("/doc", "Connection: close\r\n"), "GET /doc HTTP/1.0\r\nHost: shop.example\r\n\r\n", "?\r\n\r\n",
        // More than the kernel takes at once.
        get("/large", host: "large.example", "Connection: close\r\n"),
    ])
    func `takes what a client sends after its last request`(request: String) throws {
        let server = try TestEngine()
        var client = try TestClient(server.address)
        try client.send(request + get("/doc"))
        #expect(try client.response() != nil)
        #expect(try client.rest().isEmpty)
        // A reset would arrive between two of these, and make the next one fail.
        for _ in 0..<3 {
            try client.send(get("/doc"))
            #expect(try client.rest().isEmpty)
        }
    }

    @Test func `limits the bytes of a connection`() throws {
        let server = try TestEngine { $0.limits.bytesPerConnectionMax = 100 }
        var client = try TestClient(server.address)
        try client.send(get("/doc"))
        #expect(try client.response()?["connection"] == nil)
        try client.send(get("/doc", "X: \(String(repeating: "x", count: 100))\r\n"))
        #expect(try client.response()?["connection"] == "close")
    }

    @Test func `answers a request that is under way when the server stops`() throws {
        let server = try TestEngine(workers: 1) { $0.limits.drainIdleMilliseconds = 2_000 }
        var client = try TestClient(server.address)
        try client.send(get("/doc"))
        #expect(try client.response()?.status == 200)
        let stopping = try Thread(name: "stop") { [engine = server.engine] in engine.stop() }
        // Until the stop has begun, answers do not announce the end.
        var last: String?
        while last == nil {
            try client.send(get("/doc"))
            last = try #require(try client.response())["connection"]
        }
        #expect(last == "close")
        #expect(try exchange(server, get("/doc"))?["connection"] == "close", "new ones are still accepted for a moment")
        stopping.join()
    }

    @Test func `finishes answers under way when the server stops`() throws {
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
        let server = try TestEngine(workers: 1) { $0.limits.drainTimeoutMilliseconds = 100 }
        let stuck = try TestClient(server.address)
        try stuck.send("GET /doc HTTP/1.1\r\n")
        #expect(try exchange(server, get("/doc"))?.status == 200)
        let start = Clock.monotonicMilliseconds()
        server.engine.stop()
        #expect(Clock.monotonicMilliseconds() - start < 5_000)
    }

    @Test(arguments: [false, true])
    func `serves or closes a silent new connection when the server stops, and never resets it`(speaks: Bool) throws {
        var limits = Limits()
        limits.drainTimeoutMilliseconds = 60_000
        let server = try TestEngine(limits: limits, workers: 1)
        let address = server.address
        var client = try TestClient(address)
        let stopping = try Thread(name: "stop") { [engine = server.engine] in engine.stop() }
        if speaks {
            try client.send(get("/doc"))
            let answer = try #require(try client.response())
            #expect(answer.status == 200)
        }
        // A reset would be an error here.
        #expect(try client.rest().isEmpty)
        stopping.join()
        #expect(throws: SystemError.self) { _ = try TestClient(address) }
    }
}

/// Several clients at once; clients are noncopyable, so an array cannot contain them.
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

    func send(_ text: String) throws { for box in boxes { try box.client.send(text) } }

    func statuses() throws -> [Int?] { try boxes.map { try $0.client.response()?.status } }
}
