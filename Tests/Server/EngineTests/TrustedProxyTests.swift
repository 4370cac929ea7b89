// Clients behind trusted proxies, and clients that pretend to be behind one.

import Engine
import Foundation
import HTTP
import Posix
import Telemetry
import TestSupport
import Testing

/// Well-formed networks.
func networks(_ texts: String...) -> TrustedNetworks {
    var networks = TrustedNetworks()
    for text in texts {
        let isTaken = networks.add(text)
        precondition(isTaken, "\(text) is a network")
    }
    return networks
}

struct TrustedProxyTests {
    private static let loopback = "127.0.0.0/8"

    /// Version 2, for 192.0.2.7, with an unknown extension.
    private static let binary: [UInt8] =
        Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [0x21, 0x11, 0, 16] + [192, 0, 2, 7, 192, 0, 2, 1, 1, 2, 0, 80]
        + [0x04, 0, 1, 9]

    private static let headers: [[UInt8]] = [
        Array("PROXY TCP4 192.0.2.7 192.0.2.1 258 80\r\n".utf8), binary, Array("PROXY UNKNOWN\r\n".utf8),
        Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [0x20, 0, 0, 0],
    ]

    private static func engine(
        trust: String = loopback, _ adjust: (inout EngineSettings) throws -> Void
    ) throws -> TestEngine {
        try TestEngine(workers: 1) {
            $0.trustedProxies.networks = networks(trust)
            try adjust(&$0)
        }
    }

    /// The clients' addresses in the access log, after each of these was sent on its own connection.
    private func remotes(
        _ requests: [[UInt8]], trust: String = loopback, _ adjust: (inout EngineSettings) -> Void = { _ in }
    ) throws -> [String] {
        let folder = try TemporaryFolder()
        var accessLog: AccessLog?
        do {
            let engine = try TrustedProxyTests.engine(trust: trust) {
                let metrics = WorkerMetrics(workerCount: 1)
                accessLog = try AccessLog(.file("\(folder.path)/log"), .combined, metrics: metrics)
                ($0.metrics, $0.accessLog) = (metrics, accessLog)
                adjust(&$0)
            }
            for request in requests {
                var client = try TestClient(engine.address)
                try client.send(request)
                _ = try client.response()
            }
            engine.engine.stop()
        }
        accessLog?.end()
        let text = try String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)
        return text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    }

    private func request(_ lines: String...) -> [UInt8] { Array(get("/doc", lines.map { "\($0)\r\n" }.joined()).utf8) }

    @Test(arguments: headers) func `accepts a PROXY header at the beginning of a connection`(header: [UInt8]) throws {
        let engine = try TrustedProxyTests.engine { $0.expectProxyHeaders() }
        var client = try TestClient(engine.address)
        try client.send(header + request())
        #expect(try client.response()?.status == 200)
        // Once.
        try client.send(get("/doc"))
        #expect(try client.response()?.status == 200)
        try client.send(header + request())
        #expect(try client.response()?.status == 400)
    }

    @Test(arguments: headers) func `accepts a header that arrives in pieces`(header: [UInt8]) throws {
        let engine = try TrustedProxyTests.engine { $0.expectProxyHeaders() }
        for cut in header.indices {
            var client = try TestClient(engine.address)
            if cut > 0 { try client.send(Array(header[..<cut])) }
            try client.send(header[cut...] + request())
            #expect(try client.response()?.status == 200, "split at \(cut)")
        }
        var client = try TestClient(engine.address)
        for byte in header + request() { try client.send([byte]) }
        #expect(try client.response()?.status == 200)
    }

    @Test func `logs the client that the header names`() throws {
        let found = try remotes(TrustedProxyTests.headers.map { $0 + request() }) { $0.expectProxyHeaders() }
        #expect(found == ["192.0.2.7", "192.0.2.7", "127.0.0.1", "127.0.0.1"])
    }

    @Test func `ignores forwarding fields of a client that the header does not name as a proxy`() throws {
        let claim = request("X-Forwarded-For: 192.0.2.9")
        let found = try remotes(TrustedProxyTests.headers.map { $0 + claim }) { $0.expectProxyHeaders() }
        #expect(found == ["192.0.2.7", "192.0.2.7", "127.0.0.1", "127.0.0.1"])
        #expect(try remotes([claim]) == ["192.0.2.9"])
    }

    /// 84 bytes after the fixed ones, with a checksum and padding, as AWS's load balancer writes it.
    private static func loadBalancer(
        _ command: UInt8, _ address: [UInt8], checksum: [UInt8], _ more: [UInt8] = []
    ) -> [UInt8] {
        let facts = address + [0x03, 0, 4] + checksum + more
        let filling = 84 - facts.count - 3
        return Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [command, 0x11, 0, 84] + facts + [0x04, 0, UInt8(filling)]
            + [UInt8](repeating: 0, count: filling)
    }

    @Test func `understands the headers of a network load balancer: health checks, clients, private links`() throws {
        let client: [UInt8] = [192, 0, 2, 7, 192, 0, 2, 1, 1, 2, 1, 0xBB]
        // Its own fact, 0xEA: the endpoint that the client came by.
        let endpoint = [0xEA, 0, 23, 1] + Array("vpce-08d2bf15fac5001c9".utf8)
        let headers = [
            // A check claims to be over TCP but has no addresses: the length shows where it ends.
            TrustedProxyTests.loadBalancer(0x20, [], checksum: [0xBC, 0xE5, 0x95, 0x1F]),
            TrustedProxyTests.loadBalancer(0x21, client, checksum: [0x31, 0x52, 0x97, 0x3C]),
            TrustedProxyTests.loadBalancer(0x21, client, checksum: [0x7A, 0xAB, 0xFE, 0x28], endpoint),
        ]
        let found = try remotes(headers.map { $0 + request() }) { $0.expectProxyHeaders() }
        #expect(found == ["127.0.0.1", "192.0.2.7", "192.0.2.7"])
        // A check that connects and leaves does not count as a refused client.
        let engine = try TrustedProxyTests.engine { $0.expectProxyHeaders() }
        for bytes in [[], headers[0]] {
            var probe = try TestClient(engine.address)
            try probe.send(bytes)
            probe.finishSending()
            #expect(try probe.rest().isEmpty)
        }
        #expect(engine.engine.metrics.total(.connectionsRefused(.notFromTrustedProxy)) == 0)
    }

    @Test func `closes connections that do not come from a trusted proxy where a header is required`() throws {
        let engine = try TrustedProxyTests.engine(trust: "192.0.2.0/24") { $0.expectProxyHeaders() }
        for bytes in [TrustedProxyTests.binary + request(), request()] {
            var client = try TestClient(engine.address)
            // It may be closed before it has sent anything.
            try? client.send(bytes)
            #expect((try? client.rest())?.isEmpty != false)
        }
        #expect(engine.engine.metrics.total(.connectionsRefused(.notFromTrustedProxy)) == 2)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "PROXY TCP4 nonsense\r\n", "\u{16}\u{3}\u{1}"])
    func `closes a connection without the header`(text: String) throws {
        let engine = try TrustedProxyTests.engine { $0.expectProxyHeaders() }
        var client = try TestClient(engine.address)
        try client.send(text)
        #expect((try? client.rest())?.isEmpty != false)
    }

    @Test(arguments: ["", "PROXY TCP4 192.0.2.7", "PROXY UNKNOWN\r\n"])
    func `applies one deadline to header and request head`(text: String) throws {
        let engine = try TrustedProxyTests.engine {
            ($0.limits.headTimeoutMilliseconds, $0.limits.idleTimeoutMilliseconds) = (50, 50)
            $0.expectProxyHeaders()
        }
        var client = try TestClient(engine.address)
        try client.send(text)
        #expect(try client.rest().isEmpty)
    }

    @Test func `reads a header only on the listeners configured for it`() throws {
        let engine = try TestEngine(addresses: [SocketAddress("127.0.0.1:0")!]) {
            $0.trustedProxies.networks = networks(TrustedProxyTests.loopback)
            try $0.listen(at: SocketAddress("[::1]:0")!, isSecure: false, expectsProxyHeader: true)
        }
        #expect(try exchange(engine, get("/doc"))?.status == 200)
        var client = try TestClient(engine.address)
        try client.send(TrustedProxyTests.binary + request())
        #expect(try client.response()?.status == 400)
    }

    @Test func `counts clients, not their proxy`() throws {
        let engine = try TrustedProxyTests.engine {
            $0.limits.connectionsPerAddressMax = 1
            $0.expectProxyHeaders()
        }
        func client(_ address: String) throws -> TestClient {
            let client = try TestClient(engine.address)
            try client.send("PROXY TCP4 \(address) 192.0.2.1 1 2\r\n\(get("/doc"))")
            return client
        }
        var first = try client("198.51.100.1")
        #expect(try first.response()?.status == 200)
        var second = try client("198.51.100.1")
        #expect(try second.response()?.status == 503)
        var other = try client("198.51.100.2")
        #expect(try other.response()?.status == 200)
    }

    @Test func `frees the place of a client that leaves`() throws {
        let engine = try TrustedProxyTests.engine {
            $0.limits.connectionsPerAddressMax = 1
            $0.expectProxyHeaders()
        }
        func status() throws -> Int? {
            var client = try TestClient(engine.address)
            try client.send("PROXY TCP4 198.51.100.1 192.0.2.1 1 2\r\n\(get("/doc"))")
            return try client.response()?.status
        }
        #expect(try status() == 200)
        // The server may notice the end of the previous one a moment later.
        #expect(try eventually { try status() == 200 })
    }

    @Test func `takes the client's address from a trusted proxy only`() throws {
        let requests = [
            request("X-Forwarded-For: 1.1.1.1, 203.0.113.7"), request("Forwarded: for=203.0.113.8"), request(),
            request("X-Forwarded-For: nonsense"), request("X-Forwarded-For: 2001:db8::7"),
        ]
        #expect(try remotes(requests) == ["203.0.113.7", "127.0.0.1", "127.0.0.1", "127.0.0.1", "2001:db8::7"])
        #expect(try remotes(requests, trust: "192.0.2.0/24") == Array(repeating: "127.0.0.1", count: 5))
        #expect(
            try remotes(requests) { $0.trustedProxies.fields = .forwarded }
                == ["127.0.0.1", "203.0.113.8", "127.0.0.1", "127.0.0.1", "127.0.0.1"])
    }

    @Test func `believes fields behind a header only if the header names a trusted proxy`() throws {
        func bytes(_ client: String) -> [UInt8] {
            Array("PROXY TCP4 \(client) 192.0.2.1 1 2\r\n".utf8) + request("X-Forwarded-For: 203.0.113.7")
        }
        let found = try remotes([bytes("127.0.0.9"), bytes("192.0.2.9")]) { $0.expectProxyHeaders() }
        #expect(found == ["203.0.113.7", "192.0.2.9"])
    }

    @Test(arguments: [(true, 200), (false, 404)])
    func `takes the host from a proxy only where that is configured`(readsForwardedHost: Bool, status: Int) throws {
        let engine = try TrustedProxyTests.engine { $0.trustedProxies.readsForwardedHost = readsForwardedHost }
        let named = get("/doc", host: "inside.example", "X-Forwarded-Host: shop.example\r\n")
        #expect(try exchange(engine, named)?.status == status)
        let malformed = get("/doc", "X-Forwarded-Host: a b\r\n")
        #expect(try exchange(engine, malformed)?.status == (readsForwardedHost ? 400 : 200))
        let stranger = try TrustedProxyTests.engine(trust: "192.0.2.0/24") {
            $0.trustedProxies.readsForwardedHost = readsForwardedHost
        }
        #expect(try exchange(stranger, named)?.status == 404)
        #expect(try exchange(stranger, malformed)?.status == 200)
    }

    @Test func `trusts all or none of the clients of a Unix-domain socket`() throws {
        let folder = try TemporaryFolder()
        for (trust, expected) in [("unix:", "203.0.113.7"), ("127.0.0.0/8", "unix:")] {
            let log = "\(folder.path)/\(expected.prefix(2))"
            let metrics = WorkerMetrics(workerCount: 2)
            let accessLog = try AccessLog(.file(log), .combined, metrics: metrics)
            do {
                // In a server, the parent has the socket, whose file goes with its owner.
                var listeners: [ListenerGroup] = []
                let engine = try TestEngine(addresses: [SocketAddress("unix:\(folder.path)/socket")!]) {
                    listeners = $0.listeners
                    $0.trustedProxies.networks = networks(trust)
                    ($0.metrics, $0.accessLog) = (metrics, accessLog)
                }
                #expect(try exchange(engine, get("/doc", "X-Forwarded-For: 203.0.113.7\r\n"))?.status == 200)
                engine.engine.stop()
                #expect(listeners.count == 1)
            }
            accessLog.end()
            #expect(try String(contentsOfFile: log, encoding: .utf8).hasPrefix("\(expected) "))
        }
    }
}
