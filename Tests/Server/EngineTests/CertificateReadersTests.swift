// Handshakes whose certificate must be read first, and clients that do not wait for it.

import Catalogue
import Certificates
import Engine
import HTTP
import Posix
import Synchronization
import TLS
import Testing

struct CertificateReadersTests {
    /// An engine with one worker and no certificate in memory. That of `slow.example` takes until `release`.
    private struct SlowServer {
        let server: SecureEngine
        private let held: HeldUp

        init(adjust: (inout Limits) -> Void = { _ in }) throws {
            let held = try HeldUp()
            self.held = held
            server = try SecureEngine(workers: 1) {
                adjust(&$0.limits)
            } certificates: { hosts, authority in
                CertificateStore(
                    hostsPath: hosts, development: authority,
                    serves: { host in
                        if host == "slow.example" { held.stay() }
                        return host.hasSuffix(".example")
                    })
            }
        }

        /// Returns once the certificate of `slow.example` is being created.
        func waitUntilHeldUp() { held.isEntered.wait() }

        func release() { held.isLeft.signal() }

        func connect() throws -> TestClient { try TestClient(server.engine.secureAddresses[0]) }

        /// Fetches over separate connections; returns the statuses, or curl's error.
        func fetch(count: Int) throws -> String {
            try server.curl(
                "shop.example", "/doc?[1-\(count)]", "--header", "connection: close", "--no-sessionid", "--output",
                "/dev/null", "--write-out", "%{http_code} "
            ).text
        }
    }

    /// Blocks the first caller until it is released.
    private final class HeldUp: Sendable {
        private let isTaken = Atomic<Bool>(false)
        let isEntered: Posix.Semaphore
        let isLeft: Posix.Semaphore

        init() throws {
            isEntered = try Posix.Semaphore()
            isLeft = try Posix.Semaphore()
        }

        func stay() {
            if isTaken.exchange(true, ordering: .relaxed) { return }
            isEntered.signal()
            isLeft.wait()
        }
    }

    /// The first message of a client of TLS 1.3 in one record, for a host of less than 200 bytes.
    private static func hello(_ host: String) -> [UInt8] {
        func sized(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }
        func field(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] { [0, type] + sized(bytes) }
        let share: [UInt8] = [9] + Array(repeating: 0, count: 31)
        let fields =
            field(0, sized([0] + sized(Array(host.utf8)))) + field(10, sized([0, 0x1D]))
            + field(13, sized([4, 3, 8, 4])) + field(43, [2, 3, 4]) + field(51, sized([0, 0x1D] + sized(share)))
        let random = [UInt8](repeating: 7, count: 32)
        let body = [3, 3] + random + [0] + sized([0x13, 1]) + [1, 0] + sized(fields)
        return [22, 3, 1] + sized([1, 0] + sized(body))
    }

    @Test func `a certificate that is slow to read does not delay others`() throws {
        let server = try SlowServer()
        var slow = try server.connect()
        try slow.send(CertificateReadersTests.hello("slow.example"))
        server.waitUntilHeldUp()
        #expect(try server.fetch(count: 20) == String(repeating: "200 ", count: 20))
        server.release()
        // A record of the handshake, which comes first if everything is well. A false record ends it.
        try slow.send([99, 3, 3, 0, 1, 0])
        #expect(try slow.rest().first == 22)
    }

    @Test func `reads the bytes after the first message when the certificate is there`() throws {
        let server = try SlowServer { $0.handshakeTimeoutMilliseconds = 60_000 }
        var client = try server.connect()
        // A record of a type that does not exist: if it were lost, the server would wait for the next one.
        try client.send(CertificateReadersTests.hello("slow.example") + [99, 3, 3, 0, 1, 0])
        server.waitUntilHeldUp()
        server.release()
        let answer = try client.rest()
        #expect(answer.first == 22)
    }

    @Test func `several clients wait for the same reading`() throws {
        let server = try SlowServer()
        var first = try server.connect()
        var second = try server.connect()
        try first.send(CertificateReadersTests.hello("slow.example"))
        server.waitUntilHeldUp()
        try second.send(CertificateReadersTests.hello("SLOW.example."))
        // Answered after the second one was accepted, because the only worker accepts them in order.
        #expect(try server.fetch(count: 1) == "200 ")
        server.release()
        try first.send([99, 3, 3, 0, 1, 0])
        try second.send([99, 3, 3, 0, 1, 0])
        #expect(try first.rest().first == 22)
        #expect(try second.rest().first == 22)
    }

    @Test func `a client that leaves or times out while waiting leaves nothing behind`() throws {
        let server = try SlowServer { $0.handshakeTimeoutMilliseconds = 50 }
        var late = try server.connect()
        try late.send(CertificateReadersTests.hello("slow.example"))
        server.waitUntilHeldUp()
        #expect(try late.rest().isEmpty)
        do {
            let gone = try server.connect()
            try gone.send(CertificateReadersTests.hello("slow.example"))
        }
        server.release()
        #expect(try server.fetch(count: 2) == "200 200 ")
    }
}
