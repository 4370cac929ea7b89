// What a head gives to the access log, whether it was understood or not.

import HTTP
import Testing

struct RequestParserLoggingTests {
    private func soFar(_ text: String) -> (RequestHead, [UInt8]) {
        let bytes = octets(text)
        var parser = RequestParser()
        _ = parser.parse(bytes.span, limits: HeadLimits())
        return (parser.headSoFar, bytes)
    }

    private func text(_ range: ByteRange, _ bytes: [UInt8]) -> String? {
        range.isPresent ? String(decoding: bytes[range.range], as: UTF8.self) : nil
    }

    @Test func `a complete head has method, referer and user agent as written`() {
        let (head, bytes) = soFar(
            "PROPFIND /a?b HTTP/1.1\r\nHost: shop.example\r\nReferer: https://x/y\r\nUser-Agent: me/1\r\n\r\n")
        #expect(text(head.methodName, bytes) == "PROPFIND")
        #expect(text(head.referer.range, bytes) == "https://x/y")
        #expect(text(head.userAgent.range, bytes) == "me/1")
        #expect(text(head.host, bytes) == "shop.example")
    }

    @Test(arguments: [
        ("GET /a?b HTTP/1.1\r\nHost: h\r\nUser-Agent: me\r\nbad field\r\n\r\n", "GET", "/a", "h", "me"),
        ("GET /a HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", "GET", "/a", "h", nil),
        ("GET http://x/a HTTP/1.1\r\nHost: h\r\n\r\n", "GET", "/a", "x", nil),
        ("GET /a HTTP/1.1\r\n\r\n", "GET", "/a", nil, nil), ("GET /a HTTP/1.1\r\nHost: h", "GET", "/a", nil, nil),
        ("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", "GET", "/%zz", nil, nil),
        ("GET /a HTTP/2.0\r\nHost: h\r\n\r\n", "GET", nil, nil, nil), ("GET /a\"b HTTP/1.1\r\n", "GET", nil, nil, nil),
        ("G@T / HTTP/1.1\r\n\r\n", nil, nil, nil, nil), ("\u{16}\u{03}\u{01}", nil, nil, nil, nil),
        ("", nil, nil, nil, nil),
    ])
    func `a refused or incomplete head has the parts that were understood`(
        request: String, method: String?, path: String?, host: String?, agent: String?
    ) {
        let (head, bytes) = soFar(request)
        #expect(text(head.methodName, bytes) == method)
        #expect(text(head.path, bytes) == path)
        #expect(text(head.host, bytes) == host)
        #expect(text(head.userAgent.range, bytes) == agent)
    }
}
