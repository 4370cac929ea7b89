// Connections: several requests in sequence, time limits, and tunnels through a proxy.

import Foundation
import Posix
import TLS
import TestSupport
import Testing

@testable import Client

struct ClientConnectionTests {
    private func request(_ address: SocketAddress, _ path: String = "/") -> FetchRequest {
        var request = FetchRequest(
            host: "shop.example", hostField: "shop.example", address: address, isSecure: false, path: path,
            userAgent: "test")
        request.keepsConnection = true
        return request
    }

    private func answer(_ body: String, _ fields: String = "") -> ScriptedServer.Answer {
        .keep(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)".utf8))
    }

    @Test func `sends several requests over one connection`() throws {
        let heads = Shared<[String]>([])
        let server = try ScriptedServer(certificates: nil) { head in
            heads.change { $0.append(head) }
            return self.answer(head.contains("/b") ? "two" : "one")
        }
        var connection = try ClientConnection(for: request(server.address), nil)
        #expect(try connection.send(request(server.address, "/a")).body.elementsEqual("one".utf8))
        let isReusable = connection.isReusable
        #expect(isReusable)
        var post = request(server.address, "/b")
        post.method = "POST"
        post.body = [UInt8](repeating: 0x61, count: 100_000)
        #expect(try connection.send(post).body.elementsEqual("two".utf8))
        #expect(
            heads.value.last?.hasSuffix("Content-Length: 100000\r\n\r\n" + String(repeating: "a", count: 100_000))
                == true)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ])
    func `is not reused after an answer that forbids it or has an unclear end`(text: String) throws {
        let server = try ScriptedServer(certificates: nil) { _ in .keep(Array(text.utf8)) }
        var connection = try ClientConnection(for: request(server.address), nil)
        #expect(try connection.send(request(server.address)).status == 200)
        let isReusable = connection.isReusable
        #expect(!isReusable)
    }

    @Test func `is not reused after the server has closed it`() throws {
        let server = try ScriptedServer(certificates: nil) { _ in .text("HTTP/1.1 204 No Content\r\n\r\n") }
        var connection = try ClientConnection(for: request(server.address), nil)
        _ = try connection.send(request(server.address))
        let end = Clock.monotonicMilliseconds() + 10_000
        while connection.isReusable, Clock.monotonicMilliseconds() < end { usleep(1_000) }
        let isReusable = connection.isReusable
        #expect(!isReusable)
    }

    @Test func `does not use a connection again on which a body is still to come`() throws {
        let server = try ScriptedServer(certificates: nil) { _ in
            .keep(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".utf8))
        }
        var request = request(server.address)
        (request.keepsConnection, request.readsBody) = (true, false)
        var connection = try ClientConnection(for: request, nil)
        #expect(try connection.send(request).status == 200)
        let isReusable = connection.isReusable
        #expect(!isReusable)
    }

    @Test func `times out a head that takes too long, even if the whole may take longer`() throws {
        let server = try ScriptedServer(certificates: nil) { _ in .stall(Array("HTTP/1.1 200 OK\r\n".utf8)) }
        var request = request(server.address)
        request.limits.milliseconds = 60_000
        request.limits.headMilliseconds = 50
        var connection = try ClientConnection(for: request, nil)
        let start = Clock.monotonicMilliseconds()
        let error = #expect(throws: FetchError.self) { try connection.send(request) }
        #expect(error?.isTimeOut == true)
        #expect(Clock.monotonicMilliseconds() - start < 30_000)
    }

    @Test func `times out a handshake with the limit of the connection`() throws {
        let server = try DrippingServer([0x16, 0x03, 0x03, 0x40, 0x00, 0x02])
        var request = request(server.address)
        request.isSecure = true
        request.limits.milliseconds = 60_000
        request.limits.connectMilliseconds = 50
        let context = try ClientContext(authorityFile: nil)
        let start = Clock.monotonicMilliseconds()
        let error = #expect(throws: FetchError.self) { _ = try ClientConnection(for: request, context) }
        #expect(error?.isTimeOut == true)
        #expect(Clock.monotonicMilliseconds() - start < 30_000)
    }

    @Test func `opens a tunnel to the server, with the proxy's credentials`() throws {
        let server = try ScriptedServer(certificates: nil) { _ in self.answer("behind") }
        let proxy = try TunnelServer(to: server.address)
        var request = request(proxy.address)
        request.tunnel = Tunnel(to: CheckedHost("shop.example")!, authorization: "Basic eA==")
        var connection = try ClientConnection(for: request, nil)
        #expect(try connection.send(request).body.elementsEqual("behind".utf8))
        #expect(
            proxy.heard.value == [
                "CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\nProxy-Authorization: Basic eA==\r\n\r\n"
            ])
    }

    @Test(arguments: [
        "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "SSH-2.0-x\r\n", "HTTP/1.1 302 Found\r\n\r\n",
    ])
    func `reports a proxy that refuses the tunnel`(answer: String) throws {
        let proxy = try TunnelServer(to: SocketAddress("127.0.0.1:1")!, answering: answer)
        var request = request(proxy.address)
        request.tunnel = Tunnel(to: CheckedHost("shop.example")!)
        #expect(throws: FetchError.self) { _ = try ClientConnection(for: request, nil) }
    }
}

extension ClientConnection {
    /// With the time limit of one request.
    fileprivate init(for request: FetchRequest, _ context: ClientContext?) throws(FetchError) {
        try self.init(for: request, context, Stopwatch(request.limits.milliseconds))
    }

    fileprivate mutating func send(_ request: FetchRequest) throws(FetchError) -> FetchedResponse {
        try send(request, Stopwatch(request.limits.milliseconds))
    }
}
