// A whole service on a socket: no client and no handler delays the quick answers.

import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Posix
@testable import Service

struct ServiceTests {
    /// A service with a quick route, and one whose handlers wait until the test lets them go.
    private final class Bench: Sendable {
        let service: Service
        let gate: Gate

        final class Gate: Sendable {
            let permits: Posix.Semaphore
            let waiting = Atomic(0)

            init() throws { permits = try Posix.Semaphore() }

            func pass() {
                waiting.add(1, ordering: .sequentiallyConsistent)
                permits.wait()
            }
        }

        init(
            _ limits: ServiceLimits = ServiceLimits(), at address: String = "127.0.0.1:0",
            on socket: ListeningSocket? = nil
        ) throws {
            let gate = try Gate()
            let router = Router([
                Route(.get, "/quick", nil, isQuick: true) { _ in ServiceResponse(.ok, lines: ["quick"]) },
                Route(.put, "/slow", nil, bodyBytesMax: 1 << 20) { request in
                    gate.pass()
                    return ServiceResponse(.ok, lines: ["\(request.body.count)"])
                },
            ]) { _ in nil }
            let socket = try socket ?? ListeningSocket(try #require(SocketAddress(address)), sharesPort: false)
            service = try Service("test", router, on: socket, limits: limits)
            self.gate = gate
        }

        deinit { service.stop() }

        func client() throws -> ClientSocket { try ClientSocket(to: service.address, timeoutMilliseconds: 20_000) }

        func sendPut(_ client: borrowing ClientSocket, _ count: Int) throws {
            let head = "PUT /slow HTTP/1.1\r\nhost: a\r\ncontent-length: \(count)\r\nconnection: close\r\n\r\n"
            try client.send(Array(head.utf8) + [UInt8](repeating: 0x61, count: count))
        }

        /// Milliseconds until a probe is answered.
        func probe() throws -> Int64 {
            let began = Clock.monotonicMilliseconds()
            let client = try client()
            try client.send(Array("GET /quick HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n".utf8))
            #expect(try text(client).hasSuffix("\r\n\r\nquick\n"))
            return Clock.monotonicMilliseconds() - began
        }

        /// Everything until the end of the connection.
        func text(_ client: borrowing ClientSocket) throws -> String {
            var bytes: [UInt8] = []
            while true {
                let more = try client.receive()
                if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
                bytes += more
            }
        }
    }

    private final class Held {
        let socket: ClientSocket

        init(_ socket: consuming ClientSocket) { self.socket = socket }
    }

    @Test func `answers at a socket as soon as that listens`() throws {
        let folder = try TemporaryFolder()
        let socket = try ListeningSocket(laterAt: "\(folder.path)/s")
        let bench = try Bench(on: socket)
        try socket.listen(permissions: 0o600)
        _ = try bench.probe()
    }

    @Test func `handlers that do not return, and all who wait for them, delay no probe`() throws {
        var limits = ServiceLimits()
        limits.waitingMax = 2
        let bench = try Bench(limits)
        // Two are in a handler, two wait, and the others are refused.
        var clients: [Held] = []
        for number in 0..<7 {
            let client = Held(try bench.client())
            try bench.sendPut(client.socket, number)
            clients.append(client)
            if number < 2 {
                #expect(eventually { bench.gate.waiting.load(ordering: .sequentiallyConsistent) == number + 1 })
            }
        }
        var slowest: Int64 = 0
        for _ in 0..<20 { slowest = max(slowest, try bench.probe()) }
        #expect(slowest < 1_000)
        for _ in clients { bench.gate.permits.signal() }
        let answers = try clients.map { try bench.text($0.socket) }
        #expect(answers.count { $0.hasPrefix("HTTP/1.1 200 ") } == 4)
        #expect(answers.count { $0.hasPrefix("HTTP/1.1 503 ") } == 3)
        #expect(answers[0].hasSuffix("\r\n\r\n0\n") && answers[1].hasSuffix("\r\n\r\n1\n"))
    }

    @Test func `nobody waits for a client that has gone`() throws {
        let folder = try TemporaryFolder()
        let bench = try Bench(at: "unix:\(folder.path)/socket")
        var clients: [Held] = []
        for number in 0..<2 {
            clients.append(Held(try bench.client()))
            try bench.sendPut(clients[number].socket, 1)
            #expect(eventually { bench.gate.waiting.load(ordering: .sequentiallyConsistent) == number + 1 })
        }
        let waiting = bench.service.control.handlers
        for _ in 0..<10 { clients.append(Held(try bench.client())) }
        for client in clients.dropFirst(2) { try bench.sendPut(client.socket, 1) }
        #expect(eventually { waiting.waitingCount == 12 })
        clients.removeLast(10)
        #expect(eventually { waiting.waitingCount == 2 })
        let last = try bench.client()
        try bench.sendPut(last, 3)
        for _ in 0..<3 { bench.gate.permits.signal() }
        #expect(try bench.text(last).hasSuffix("\r\n\r\n3\n"))
        #expect(bench.gate.waiting.load(ordering: .sequentiallyConsistent) == 3)
        for client in clients { #expect(try bench.text(client.socket).hasSuffix("\r\n\r\n1\n")) }
    }

    @Test func `a large body arrives whole, a larger one is refused`() throws {
        let bench = try Bench()
        bench.gate.permits.signal()
        let client = try bench.client()
        try bench.sendPut(client, 1 << 20)
        #expect(try bench.text(client).hasSuffix("\r\n\r\n1048576\n"))
        let other = try bench.client()
        try other.send(Array("PUT /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 1048577\r\n\r\n".utf8))
        #expect(try bench.text(other).hasPrefix("HTTP/1.1 413 "))
    }

    @Test func `silent and slow clients make room for a probe`() throws {
        let bench = try Bench()
        var held: [Held] = []
        for number in 0..<200 {
            let client = Held(try bench.client())
            if number % 2 == 1 {
                try client.socket.send(Array("PUT /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\na".utf8))
            }
            held.append(client)
            if number % 20 == 19 { #expect(try bench.probe() < 1_000) }
        }
        #expect(try held[0].socket.receive().isEmpty)
    }
}
