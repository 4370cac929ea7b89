// The deadlines of connections, with the test's own clock.

import Catalogue
import HTTP
import TLS
import Testing

@testable import Engine

struct DeadlinesTests {
    private let rig: WorkerRig

    init() throws { rig = try WorkerRig() }

    @Test func `a client that always has a part of the next request sent is not late`() throws {
        let request = get("/doc")
        let middle = request.index(request.startIndex, offsetBy: 20)
        var client = try TestClient(rig.plainAddress)
        try client.send(String(request[..<middle]))
        for _ in 0..<5 {
            rig.runUntilIdle()
            rig.turn(after: 6_000)
            try client.send(String(request[middle...] + request[..<middle]))
            rig.runUntilIdle()
            #expect(try client.response()?.status == 200)
        }
        // It is ten seconds after the last one began.
        rig.turn(after: 10_001)
        #expect(try client.response()?.status == 408)
    }

    @Test func `gives a slow but steady reader the time that it needs`() throws {
        var limits = Limits()
        limits.writeTimeoutMilliseconds = 10_000
        limits.writeBytesPerSecondMin = 100
        let body = Array(repeating: UInt8(ascii: "a"), count: 2_000_000)
        let site = PreparedSite(host: "slow.example", answers: [("/large", TestEngine.answer(.bytes(body)))])
        let rig = try WorkerRig([site], limits: limits)
        let request = Array("GET /large HTTP/1.1\r\nHost: slow.example\r\n\r\n".utf8)
        let client = RandomClient(
            rig.plainAddress, nil, host: "slow.example", [RandomClient.Exchange(request: request, body: body)],
            bufferBytes: 4_096, isNarrow: true)
        rig.runUntilIdle()
        rig.pinch(client)
        client.send(request.count)
        rig.runUntilIdle()
        for _ in 0..<20 {
            // The kernel opens its window in steps.
            for _ in 0..<4 {
                client.read(8_000)
                rig.runUntilIdle()
            }
            rig.turn(after: 4_000)
            try #require(client.problem == nil && rig.connectionCount == 1)
        }
        for _ in 0..<3 { rig.turn(after: 10_001) }
        #expect(rig.connectionCount == 0, "a client that receives nothing gets no more time")
        client.close()
    }

    @Test func `incoming bytes do not count as progress of an answer`() throws {
        let asked = Array(get("/medium").utf8)
        let client = RandomClient(
            rig.plainAddress, nil, host: "shop.example",
            [RandomClient.Exchange(request: asked, body: nil)], bufferBytes: 2_048)
        rig.runUntilIdle()
        client.send(.max)
        rig.runUntilIdle()
        #expect(rig.worker.table.slot(0).connection.outgoing == nil, "the kernel has all of the answer")
        client.sendUnexpected(Array("POST /doc HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 60000\r\n\r\n".utf8))
        for _ in 0..<60 where rig.connectionCount > 0 {
            client.sendUnexpected([UInt8(ascii: "x")])
            rig.turn()
            rig.turn(after: 1_000)
        }
        #expect(rig.connectionCount == 0)
        client.close()
    }

    @Test func `reads on from a refused client that still sends, so that it is not reset`() throws {
        var client = try TestClient(rig.plainAddress)
        try client.send("nonsense\r\n\r\n" + String(repeating: "more", count: 50_000))
        rig.runUntilIdle()
        #expect(try client.response()?.status == 400)
        client.finishSending()
        rig.runUntilIdle()
        #expect(try client.rest().isEmpty)
        #expect(rig.connectionCount == 0)
    }

    @Test func `bytes of a head do not extend its deadline`() throws {
        var client = try TestClient(rig.plainAddress)
        for byte in get("/doc").prefix(11) {
            try client.send(String(byte))
            rig.runUntilIdle()
            rig.turn(after: 1_000)
        }
        #expect(try client.response()?.status == 408)
    }
}
