// The client of the commands: a complete answer in time, or a reason.

import Posix
import Service
import Synchronization
import TestSupport
import Testing

@testable import Administration

struct AdminClientTests {
    @discardableResult
    private static func get(_ path: String, _ address: SocketAddress, token: AdminToken? = nil) throws
        -> AdminClient.Response
    {
        try AdminClient.get(path, from: address, token: token, timeoutMilliseconds: 5_000)
    }

    @Test func `returns the answer and its status`() throws {
        let bench = try AdminBench(token: "0123456789abcdef")
        let token = try AdminToken("0123456789abcdef".utf8)
        let ready = try Self.get("/readyz", bench.address)
        #expect(ready.status == 200)
        #expect(ready.body.elementsEqual("ready\n".utf8))
        #expect(try Self.get("/status", bench.address).status == 401)
        let status = try Self.get("/status", bench.address, token: token)
        #expect(status.body == Samples.status.json)
    }

    @Test func `over the link, a manager says how it is and gets the served hosts once for each digest`() throws {
        let folder = try TemporaryFolder()
        let sources = AdminBench.Answers()
        let socket = try ListeningSocket(replacing: "\(folder.path)/link.sock", permissions: 0o600)
        let listener = try Service(link: sources, on: socket)
        defer { listener.stop() }
        let address = try #require(SocketAddress("unix:\(folder.path)/link.sock"))
        let report = ManagerReport(problem: "the disk is full")
        for _ in 0..<2 {
            #expect(try AdminClient.put(report, to: address, timeoutMilliseconds: 5_000).status == 204)
        }
        #expect(sources.reports.withLock { $0 } == [report, report])
        let all = try Self.get("/served", address)
        let served = try #require(ServedHosts(json: all.body))
        #expect(served == Samples.served)
        let same = try Self.get("/served/\(served.digest)", address)
        #expect(same.status == 204)
        #expect(same.body.isEmpty)
        #expect(sources.reports.withLock { $0.count } == 2)
    }

    @Test func `returns no answer where no server listens`() throws {
        let address: SocketAddress
        do { address = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false).address }
        for attempt in [
            { _ = try Self.get("/readyz", address) }, { try AdminClient.ping(address, timeoutMilliseconds: 1_000) },
        ] {
            let error = #expect(throws: AdminClient.Failure.self) { try attempt() }
            #expect(error?.description == "no answer from \(address): connect: connection refused")
        }
    }

    @Test func `gives up in time on a server that sends single bytes`() throws {
        let server = try DrippingServer(Array("HTTP/1.1 200 OK\r\nx: ".utf8))
        let address = server.address
        let began = Clock.monotonicMilliseconds()
        #expect(throws: AdminClient.Failure.self) {
            _ = try AdminClient.get("/readyz", from: address, token: nil, timeoutMilliseconds: 300)
        }
        let error = #expect(throws: AdminClient.Failure.self) {
            try AdminClient.ping(address, timeoutMilliseconds: 200)
        }
        #expect(error?.description.hasPrefix("no answer from \(address): recv: ") == true)
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
            let error = #expect(throws: AdminClient.Failure.self) { try Self.get("/readyz", address) }
            #expect(error?.description == "\(address) sends no complete answer; check that associated listens there")
        }
    }

    /// Answers one connection with fixed bytes.
    private func serve(_ answer: String, _ body: (SocketAddress) throws -> Void) throws {
        let server = try ScriptedServer(certificates: nil) { _ in .text(answer) }
        try body(server.address)
    }
}
