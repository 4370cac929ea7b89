// One connection without a listener: how much it reads at a time, and how long it may take.

import Glibc
import HTTP
import Testing

@testable import Administration

struct AdminConnectionTests {
    /// The two ends of a connection: the listener's and the client's.
    private static func pair() throws -> (Int32, Int32) {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        return (pair[0], pair[1])
    }

    private static let request = Array("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8)

    @Test func `each head has a deadline from its first byte, which further bytes do not move`() throws {
        let limits = AdminLimits()
        let (server, client) = try Self.pair()
        defer { close(client) }
        let connection = AdminConnection(takingOwnershipOf: server, limits: limits, now: 0)
        #expect(connection.deadline == limits.headMilliseconds, "a silent client has it too")
        var now: Int64 = 0
        for start in [1_000, 100_000] as [Int64] {
            for (index, byte) in Self.request.enumerated() {
                now = start + Int64(index)
                #expect(write(client, [byte], 1) == 1)
                connection.proceed(now: now, isLast: false) { _, _ in (AdminResponse(.ok, lines: ["alive"]), true) }
                let isWhole = index == Self.request.count - 1
                #expect(
                    connection.deadline == (isWhole ? now + limits.idleMilliseconds : start + limits.headMilliseconds))
            }
        }
    }

    @Test func `interrupts a client that sends without end, and continues it later`() throws {
        let (server, client) = try Self.pair()
        defer { close(client) }
        let connection = AdminConnection(takingOwnershipOf: server, limits: AdminLimits(), now: 0)
        let request = Array("GET /healthz HTTP/1.0\r\n\r\n".utf8)
        #expect(write(client, request, request.count) == request.count)
        // As much as fits, like a client that sends without end.
        let filling = [UInt8](repeating: 0x78, count: 16_384)
        while write(client, filling, filling.count) > 0 {}
        var answers = 0
        var byte: UInt8 = 0
        func proceed() {
            connection.proceed(now: 0, isLast: false) { _, _ in
                answers += 1
                return (AdminResponse(.ok, lines: ["alive"]), true)
            }
        }
        func isTaken() -> Bool { recv(server, &byte, 1, Int32(MSG_PEEK)) < 0 }
        proceed()
        #expect(answers == 1)
        #expect(!isTaken())
        for _ in 0..<100 where !isTaken() { proceed() }
        #expect(isTaken())
        #expect(answers == 1)
        #expect(connection.phase == .lingering)
    }
}
