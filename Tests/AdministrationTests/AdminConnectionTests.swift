// One connection without a listener: how much it reads at a time.

import Glibc
import HTTP
import Testing

@testable import Administration

struct AdminConnectionTests {
    @Test func `interrupts a client that sends without end, and continues it later`() throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        let client = pair[1]
        defer { close(client) }
        let connection = AdminConnection(takingOwnershipOf: pair[0], limits: AdminLimits(), now: 0)
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
        func isTaken() -> Bool { recv(pair[0], &byte, 1, Int32(MSG_PEEK)) < 0 }
        proceed()
        #expect(answers == 1)
        #expect(!isTaken())
        for _ in 0..<100 where !isTaken() { proceed() }
        #expect(isTaken())
        #expect(answers == 1)
        #expect(connection.phase == .lingering)
    }
}
