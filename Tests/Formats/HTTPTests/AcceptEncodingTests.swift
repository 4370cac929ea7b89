// Choosing between the plain and the gzip form.

import HTTP
import Testing

struct AcceptEncodingTests {
    private func choose(_ lines: String) throws -> ContentCoding? {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n"
        let head = try #require(parse(request).1)
        let bytes = octets(request)
        return AcceptEncoding.choose(head.acceptEncoding, in: bytes.span)
    }

    @Test(arguments: [
        ("", ContentCoding.identity), ("Accept-Encoding: gzip\r\n", .gzip), ("Accept-Encoding: GZIP\r\n", .gzip),
        ("Accept-Encoding: x-gzip\r\n", .gzip), ("Accept-Encoding: gzip, deflate, br, zstd\r\n", .gzip),
        ("Accept-Encoding:\r\n", .identity), ("Accept-Encoding: identity\r\n", .identity),
        ("Accept-Encoding: br\r\n", .identity), ("Accept-Encoding: *\r\n", .gzip),
        ("Accept-Encoding: gzip;q=0\r\n", .identity), ("Accept-Encoding: gzip;q=0.000\r\n", .identity),
        ("Accept-Encoding: gzip ; q=0\r\n", .identity), ("Accept-Encoding: gzip;q=0, *\r\n", .identity),
        ("Accept-Encoding: gzip;q=0.5, identity;q=1\r\n", .identity),
        ("Accept-Encoding: gzip;q=0.5, identity;q=0.5\r\n", .gzip), ("Accept-Encoding: gzip;q=0.001\r\n", .gzip),
        ("Accept-Encoding: identity;q=0, gzip\r\n", .gzip), ("Accept-Encoding: gzip;q=abc\r\n", .identity),
        ("Accept-Encoding: gzip;q=1.5\r\n", .identity), ("Accept-Encoding: xgzipx\r\n", .identity),
        ("Accept-Encoding: br\r\nX: gzip\r\nAccept-Encoding: gzip\r\n", .gzip),
        ("Accept-Encoding: br\r\nX: gzip\r\nAccept-Encoding: zstd\r\n", .identity),
        ("Accept-Encoding: ,, gzip ,\r\n", .gzip),
    ])
    func `chooses the form that the client prefers`(lines: String, expected: ContentCoding) throws {
        #expect(try choose(lines) == expected)
    }

    @Test(arguments: ["identity;q=0", "*;q=0", "*;q=0, gzip;q=0", "br, *;q=0"])
    func `reports that no form is acceptable`(list: String) throws {
        #expect(try choose("Accept-Encoding: \(list)\r\n") == nil)
    }
}
