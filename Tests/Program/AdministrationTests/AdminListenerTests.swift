// The admin listener: each endpoint, who may use it, and that no client can block others.

import Foundation
import Posix
import Service
import Testing

@testable import Administration

struct AdminListenerTests {
    private static let token = "0123456789abcdef-token"
    private static let authorized = "authorization: Bearer \(token)\r\n"

    @Test func `healthz and readyz answer independently`() throws {
        let bench = try AdminBench()
        #expect(try bench.ask("/healthz").body == "alive\n")
        #expect(try bench.ask("/readyz").body == "ready\n")
        bench.set(HealthReport(waits: ["draining: finishing what is in flight"], notes: ["1 host waits"]))
        #expect(try bench.ask("/healthz").status == 200)
        let waiting = try bench.ask("/readyz")
        #expect(waiting.status == 503)
        #expect(waiting.body == "draining: finishing what is in flight\n1 host waits\n")
        bench.set(HealthReport(failures: ["worker 1 is stuck"]))
        let stuck = try bench.ask("/healthz")
        #expect(stuck.status == 503)
        #expect(stuck.body == "worker 1 is stuck\n")
        #expect(try bench.ask("/readyz").status == 503)
    }

    @Test func `a probe without the token gets no reasons`() throws {
        let bench = try AdminBench(token: AdminListenerTests.token)
        bench.set(HealthReport(notes: ["1 host on its last good version"]))
        #expect(try bench.ask("/readyz").body == "ready\n")
        #expect(try bench.ask("/readyz", Self.authorized).body == "ready\n1 host on its last good version\n")
        bench.set(HealthReport(failures: ["worker 1 is stuck"], waits: ["draining"]))
        for (path, body) in [("/healthz", "not alive\n"), ("/readyz", "not ready\n")] {
            let answer = try bench.ask(path)
            #expect(answer.status == 503 && answer.body == body)
        }
        #expect(try bench.ask("/healthz", Self.authorized).body == "worker 1 is stuck\n")
    }

    @Test func `sends metrics and status with their types, and forbids caching`() throws {
        let bench = try AdminBench()
        let metrics = try bench.ask("/metrics")
        #expect(metrics.field("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        #expect(metrics.field("cache-control") == "no-store")
        #expect(metrics.field("content-length") == "\(metrics.body.utf8.count)")
        #expect(metrics.body.contains("\nassociated_hosts 388\n"))
        let status = try bench.ask("/status")
        #expect(status.field("content-type") == "application/json")
        #expect(Array(status.body.utf8) == Samples.status.json)
        #expect(try Array(bench.ask("/status/Shop.example.com").body.utf8) == Samples.host.json)
        #expect(try bench.ask("/status/other.example.com").status == 404)
        #expect(try bench.ask("/status/shpo.example.com").body.hasSuffix("\ndid you mean shop.example.com?\n"))
        #expect(
            try bench.ask("/status/new.example.com").body == "this host is not served\na.json: error[APP-046]\n")
        #expect(try Array(bench.ask("/hosts").body.utf8) == Samples.hosts.json)
        #expect(try Array(bench.ask("/hosts/unfetched").body.utf8) == Samples.unfetched.json)
        #expect(try Array(bench.ask("/expiring/86400").body.utf8) == Samples.expiring(86_400).json)
        for seconds in ["-1", "", "x", "99999999999999999999"] {
            #expect(try bench.ask("/expiring/\(seconds)").status == 404)
        }
        #expect(try bench.ask("/").status == 404)
        #expect(try bench.ask("/metrics?a=b").status == 200)
    }

    @Test func `requires a token everywhere except for the probes`() throws {
        let bench = try AdminBench(token: AdminListenerTests.token)
        #expect(try bench.ask("/healthz").status == 200)
        #expect(try bench.ask("/readyz").status == 200)
        for path in ["/metrics", "/status", "/hosts", "/status/shop.example.com", "/", "/else"] {
            let refused = try bench.ask(path)
            #expect(refused.status == 401)
            #expect(refused.field("www-authenticate") == "Bearer realm=\"associated\"")
            #expect(!refused.body.contains("388"))
        }
        #expect(try bench.ask("/metrics", Self.authorized).status == 200)
        #expect(try bench.ask("/metrics", "Authorization: bearer  \(AdminListenerTests.token)\r\n").status == 200)
    }

    @Test(arguments: [
        "authorization: Bearer 0123456789abcdef-tokeN", "authorization: Bearer 0123456789abcdef-toke",
        "authorization: Bearer 0123456789abcdef-tokenx", "authorization: Basic 0123456789abcdef-token",
        "authorization: 0123456789abcdef-token", "authorization: Bearer", "authorization: Bearer ", "authorization:",
        "authorization: Bearer 0123456789abcdef-token\r\nauthorization: Bearer 0123456789abcdef-token",
        "x-authorization: Bearer 0123456789abcdef-token",
    ])
    func `refuses anything but the exact token`(line: String) throws {
        #expect(try AdminBench(token: AdminListenerTests.token).ask("/status", "\(line)\r\n").status == 401)
    }

    @Test(arguments: ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"])
    func `refuses an address that other machines can reach without a token`(address: String) throws {
        let place = try #require(SocketAddress(address))
        #expect(AdminSettings(address: place).objection?.contains("so a token is required") == true)
        #expect(AdminSettings(address: place, token: try AdminToken("0123456789abcdef".utf8)).objection == nil)
    }

    @Test func `listens on every address with a token`() throws {
        let bench = try AdminBench("0.0.0.0:0", token: AdminListenerTests.token)
        let address = bench.address.reachable
        let client = try ClientSocket(to: address, timeoutMilliseconds: 5_000)
        try client.send(Array("GET /metrics HTTP/1.1\r\nhost: \(address)\r\nconnection: close\r\n\r\n".utf8))
        #expect(try Answer(client).status == 401)
    }

    @Test(arguments: [
        ("localhost", 200), ("LOCALHOST:9464", 200), ("127.0.0.1:1", 200), ("[::1]:9464", 200), ("10.1.2.3", 200),
        ("metrics.example", 200), ("Metrics.Example:80", 200), ("node.example", 200), ("Node.example", 200),
        ("attacker.example", 421),
        ("localhost.attacker.example", 421),
        ("127.0.0.1.attacker.example", 421), ("1.2.3.256", 421), ("127.0.0.1a", 421),
    ])
    func `refuses other host names`(host: String, status: Int) throws {
        let bench = try AdminBench(hosts: ["metrics.example", "Node.Example"])
        #expect(try bench.ask("/healthz", host: host).status == status)
        #expect(try bench.ask("/status", host: host).status == status)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "TRACE", "get"])
    func `accepts only GET and HEAD`(method: String) throws {
        let answer = try AdminBench().ask("/status", method: method)
        #expect(answer.status == 405)
        #expect(answer.field("allow") == "GET, HEAD, OPTIONS")
    }

    @Test func `answers HEAD with the length and no body`() throws {
        let bench = try AdminBench()
        let whole = try bench.ask("/metrics")
        let head = try bench.ask("/metrics", method: "HEAD")
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(head.field("content-length") == whole.field("content-length"))
    }

    @Test(arguments: [
        ("GET /healthz HTTP/1.1\r\n\r\n", 400), ("GET /healthz HTTP/1.1\nhost: localhost\n\n", 400),
        ("GET  /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n", 400), ("\u{16}\u{3}\u{1}", 400),
        ("GET /\(String(repeating: "a", count: 3_000)) HTTP/1.1\r\nhost: localhost\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nhost: localhost\r\na: \(String(repeating: "b", count: 9_000))\r\n\r\n", 431),
        ("GET /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\n\r\nabc", 200),
        ("GET /healthz HTTP/1.0\r\n\r\n", 200),
    ])
    func `refuses a request that can be read in two ways, and closes`(request: String, status: Int) throws {
        let answer = try AdminBench().send(request)
        #expect(answer.status == status)
        #expect(answer.field("connection") == "close")
    }

    @Test func `keeps a connection for several requests, however they are split`() throws {
        let bench = try AdminBench()
        let request = Array("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8)
        let client = try ClientSocket(to: bench.address, timeoutMilliseconds: 10_000)
        for cut in 1..<request.count {
            try client.send(Array(request[..<cut]))
            try client.send(Array(request[cut...]))
            var received: [UInt8] = []
            while !received.suffix(6).elementsEqual("alive\n".utf8) {
                let more = try client.receive()
                try #require(!more.isEmpty)
                received += more
            }
        }
        // Two at once are answered one after the other.
        try client.send(request + Array("GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".utf8))
        let rest = try Answer(client)
        #expect(rest.body.hasPrefix("alive\nHTTP/1.1 200 OK\r\n"))
        #expect(rest.body.hasSuffix("\r\n\r\nready\n"))
    }

    @Test func `silent and slow clients do not block others`() throws {
        var limits = ServiceLimits()
        limits.connectionsMax = 4
        limits.headMilliseconds = 60_000
        let bench = try AdminBench(limits: limits)
        var silent: [Held] = []
        for count in 0..<12 {
            let client = Held(try ClientSocket(to: bench.address, timeoutMilliseconds: 10_000))
            if count % 2 == 1 { try client.socket.send(Array("GET /hea".utf8)) }
            silent.append(client)
            #expect(try bench.ask("/healthz").status == 200)
        }
        // The oldest have made room.
        #expect(try silent[0].socket.receive().isEmpty)
        #expect(try silent[7].socket.receive().isEmpty)
    }

    private final class Held {
        let socket: ClientSocket

        init(_ socket: consuming ClientSocket) { self.socket = socket }
    }

    @Test func `a client that never reads its answers does not affect others`() throws {
        let bench = try AdminBench()
        let greedy = try ClientSocket(to: bench.address, timeoutMilliseconds: 200)
        let filling = String(repeating: "x", count: 6_000)
        let request = Array("GET /metrics HTTP/1.1\r\nhost: localhost\r\nx: \(filling)\r\n\r\n".utf8)
        var asked = 0
        // Until both buffers are full: the server does not read on before the client receives its answer.
        while (try? greedy.send(request)) != nil { asked += 1 }
        #expect(asked > 20)
        for _ in 0..<10 { #expect(try bench.ask("/readyz").body == "ready\n") }
        #expect(try greedy.receive(bytesMax: 17).elementsEqual("HTTP/1.1 200 OK\r\n".utf8))
    }

    @Test func `does not wait for a head that is not complete in time`() throws {
        var limits = ServiceLimits()
        limits.headMilliseconds = 50
        let bench = try AdminBench(limits: limits)
        let client = try ClientSocket(to: bench.address, timeoutMilliseconds: 10_000)
        try client.send(Array("GET /healthz HT".utf8))
        #expect(try client.receive().isEmpty)
        let silent = try ClientSocket(to: bench.address, timeoutMilliseconds: 10_000)
        #expect(try silent.receive().isEmpty)
    }

    @Test(arguments: [false, true])
    func `leaves the address to the server that takes over, and ends its connections`(isUnix: Bool) throws {
        let path = NSTemporaryDirectory() + "b\(UInt32.random(in: .min ... .max)).sock"
        let old = try AdminBench(isUnix ? "unix:\(path)" : "127.0.0.1:0")
        old.set(HealthReport(notes: ["old"]))
        let client = try ClientSocket(to: old.address, timeoutMilliseconds: 10_000)
        try client.send(Array("GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8))
        #expect(String(decoding: try client.receive(), as: UTF8.self).hasSuffix("ready\nold\n"))
        let new = try AdminBench("\(old.address)", sharing: old)
        new.set(HealthReport(notes: ["new"]))
        old.listener.stopAccepting()
        // It ends the connections that it has, so it has stopped by then.
        while try !client.receive().isEmpty {}
        for _ in 0..<50 { #expect(try old.ask("/readyz").body == "ready\nnew\n") }
        old.listener.stop()
        for _ in 0..<50 { #expect(try new.ask("/readyz").body == "ready\nnew\n") }
    }
}
