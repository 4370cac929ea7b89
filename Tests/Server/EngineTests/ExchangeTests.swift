// What an exchange keeps of a request, also after the receive buffer is gone.

import HTTP
import Posix
import Testing

@testable import Engine

struct ExchangeTests {
    private func texts(_ exchange: Exchange) -> [String?] {
        [exchange.method, exchange.host, exchange.path, exchange.query, exchange.userAgent, exchange.referer].map {
            range in
            let bytes = exchange.bytes(range)
            return bytes.baseAddress == nil ? nil : String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Lends an exchange about a request that was parsed as far as possible.
    private func with<Result>(_ request: String, _ body: (Exchange) throws -> Result) rethrows -> Result {
        let bytes = Array(request.utf8)
        var parser = RequestParser()
        _ = parser.parse(bytes.span, limits: HeadLimits())
        return try bytes.withUnsafeBytes { raw in
            let span = Span<UInt8>(_unsafeBytes: raw)
            return try body(Exchange(parser.headSoFar, span, from: .unknown, at: 7))
        }
    }

    @Test(arguments: [
        ("GET /a?b HTTP/1.1\r\nHost: h:80\r\nUser-Agent: u\r\nReferer: r\r\n\r\n", ["GET", "h", "/a", "b", "u", "r"]),
        ("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", ["OPTIONS", "h", "*", nil, nil, nil]),
        ("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", ["CONNECT", "h", "h:443", nil, nil, nil]),
        ("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n", ["GET", "h", "", nil, nil, nil]),
        ("GET /a? HTTP/1.0\r\n\r\n", ["GET", nil, "/a", "", nil, nil]),
        (
            "GET /a HTTP/1.1\r\nUser-Agent: one\r\nCookie: secret\r\nUser-Agent: two\r\n",
            ["GET", nil, "/a", nil, "one", nil]
        ), ("GE", [nil, nil, nil, nil, nil, nil]), ("GET /a HTTP/4.0\r\n", ["GET", nil, nil, nil, nil, nil]),
    ])
    func `keeps a request as it was written`(request: String, expected: [String?]) {
        #expect(with(request) { texts($0) } == expected)
    }

    @Test func `a held exchange copies everything that it refers to`() {
        var held = HeldExchanges()
        for (index, request) in [
            "GET /first HTTP/1.1\r\nHost: h\r\n\r\n", "GET /second?q HTTP/1.1\r\nHost: h\r\nUser-Agent: u\r\n\r\n",
        ].enumerated() {
            with(request) { exchange in
                var list = Exchanges()
                if held.count > 0 { list.resume(held) }
                list.append(exchange)
                if index == 0 { list.answer(status: 200, bodyBytes: 10) }
                // The request's own memory is gone, so only the copy is left.
                held = list.takeAll()
            }
        }
        #expect(held.count == 2)
        #expect(texts(held[0])[2] == "/first" && held[0].isAnswered && held[0].bodyBytes == 10)
        #expect(texts(held[1]) == ["GET", "h", "/second", "q", "u", nil] && !held[1].isAnswered)
        held.release()
    }

    @Test func `subtracts unsent bytes from the last answers`() {
        var list = Exchanges()
        for bytes in [100, 0, 50] {
            list.append(Exchange(from: .unknown, at: 0))
            list.answer(status: 200, bodyBytes: bytes)
        }
        list.append(Exchange(from: .unknown, at: 0))
        var (isOpen, count) = (list.isOpen, list.answeredCount)
        #expect(isOpen && count == 3)
        list.subtract(70)
        #expect([list[0].bodyBytes, list[1].bodyBytes, list[2].bodyBytes] == [80, 0, 0])
        list.subtract(.max)
        #expect([list[0].bodyBytes, list[1].bodyBytes, list[2].bodyBytes] == [0, 0, 0])
        list.removeAnswered()
        (isOpen, count) = (list.isOpen, list.count)
        #expect(isOpen && count == 1)
        list.removeAll()
        count = list.count
        #expect(count == 0)
    }
}
