// The client of the commands: a complete answer in time, or a reason.

import Glibc
import Posix
import TestSupport
import Testing

@testable import Administration

struct AdminClientTests {
    @Test func `returns the answer and its status`() throws {
        let bench = try AdminBench(token: "0123456789abcdef")
        let token = try AdminToken("0123456789abcdef".utf8)
        let ready = try AdminClient.get("/readyz", from: bench.address, token: nil, timeoutMilliseconds: 5_000)
        #expect(ready.status == 200)
        #expect(ready.body.elementsEqual("ready\n".utf8))
        #expect(
            try AdminClient.get("/status", from: bench.address, token: nil, timeoutMilliseconds: 5_000).status == 401)
        let status = try AdminClient.get("/status", from: bench.address, token: token, timeoutMilliseconds: 5_000)
        #expect(status.body == Samples.status.json)
    }

    @Test func `gets the served hosts once for each digest`() throws {
        let bench = try AdminBench()
        let all = try AdminClient.get("/served", from: bench.address, token: nil, timeoutMilliseconds: 5_000)
        let served = try #require(ServedHosts(json: all.body))
        #expect(served == Samples.served)
        let same = try AdminClient.get(
            "/served/\(served.digest)", from: bench.address, token: nil, timeoutMilliseconds: 5_000)
        #expect(same.status == 204)
        #expect(same.body.isEmpty)
    }

    @Test func `returns no answer where no server listens`() throws {
        let address: SocketAddress
        do { address = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false).address }
        #expect {
            _ = try AdminClient.get("/readyz", from: address, token: nil, timeoutMilliseconds: 1_000)
        } throws: {
            "\($0)" == "no answer from \(address): connect: connection refused"
        }
        #expect {
            try AdminClient.ping(address, timeoutMilliseconds: 1_000)
        } throws: {
            "\($0)" == "no answer from \(address): connect: connection refused"
        }
    }

    @Test func `gives up in time on a server that sends single bytes`() throws {
        let server = try DrippingServer(Array("HTTP/1.1 200 OK\r\nx: ".utf8))
        let address = server.address
        let began = Clock.monotonicMilliseconds()
        #expect(throws: AdminClient.Failure.self) {
            _ = try AdminClient.get("/readyz", from: address, token: nil, timeoutMilliseconds: 300)
        }
        #expect {
            try AdminClient.ping(address, timeoutMilliseconds: 200)
        } throws: {
            "\($0)".hasPrefix("no answer from \(address): recv: ")
        }
        #expect(Clock.monotonicMilliseconds() - began < 5_000)
    }

    @Test func `counts any success as an answer to a ping`() throws {
        try serve("HTTP/1.1 204 No Content\r\n\r\n") { try AdminClient.ping($0, timeoutMilliseconds: 5_000) }
    }

    @Test(arguments: ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "SSH-2.0-x\r\n", ""])
    func `does not count any other status as an answer to a ping`(answer: String) throws {
        try serve(answer) { address in
            #expect(throws: AdminClient.Failure.self) { try AdminClient.ping(address, timeoutMilliseconds: 5_000) }
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab",
        "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 abc\r\ncontent-length: 0\r\n\r\n", "\r\n\r\n", "SSH-2.0-x\r\n\r\n",
    ])
    func `refuses an incomplete answer`(text: String) throws {
        try serve(text) { address in
            #expect {
                _ = try AdminClient.get("/readyz", from: address, token: nil, timeoutMilliseconds: 5_000)
            } throws: {
                "\($0)" == "\(address) sends no complete answer; check that associated listens there"
            }
        }
    }

    /// Answers one connection with fixed bytes.
    private func serve(_ answer: String, _ body: (SocketAddress) throws -> Void) throws {
        let server = try ScriptedServer(certificates: nil) { _ in .text(answer) }
        try body(server.address)
    }
}
