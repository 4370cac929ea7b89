// Requests and the bytes of their answers, without a socket.

import Catalogue
import HTTP
import Testing

@testable import Engine

struct ResponseWriterTests {
    private static let now: Int64 = 784_111_777
    private let catalogue: Catalogue

    init() {
        let pattern = LinkPattern(Array("/p/*".utf8))
        let landing = PreparedLanding(
            rules: [LinkRule(path: pattern)], head: TestEngine.answer(.bytes([]), modified: nil),
            segments: [
                LandingSegment(Array("<a href='".utf8), then: .attribute),
                LandingSegment(Array("'> ".utf8), then: .route), LandingSegment(Array(" ".utf8), then: .listItem),
                LandingSegment(Array(".".utf8), then: .none),
            ])
        let answers = [
            ("/doc", TestEngine.answer(.bytes(Array("0123456789".utf8)), gzip: [0x7A])),
            ("/large", TestEngine.answer(.bytes([UInt8](repeating: 0x61, count: 16_385)))),
        ]
        catalogue = TestEngine.catalogue(
            ["a", "tls"].map { PreparedSite(host: $0, answers: answers, landings: [landing]) })
    }

    /// The head that is written for a request, and the body that follows. Lines end in line feeds here.
    private func written(_ request: String, isSecure: Bool = false, redirectsPages: Bool = false) -> (String, Body) {
        var settings = EngineSettings(listeners: [], workerCount: 1)
        settings.strictTransportSeconds = 60
        settings.publicSecurePort = 8443
        var writer = ResponseWriter(settings)
        writer.setDate(Self.now)
        let bytes = Array(request.utf8)
        var parser = RequestParser()
        guard case .complete(let head, _) = parser.parse(bytes.span, limits: HeadLimits()) else {
            return ("no request", .none)
        }
        let channel = ConnectionFacts(redirectsPages: redirectsPages)
        var response = Responder.respond(to: head, bytes.span, catalogue.view, channel, now: Self.now) {
            $0.equals("tls")
        }
        response.closes = !head.wantsKeepAlive
        response.announcesKeepAlive = head.minorVersion == 0 && !response.closes
        let body = writer.write(response, isSecure: isSecure, request: bytes.span)
        let text = String(decoding: writer.output.bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        if let end = text.firstRange(of: "\n\n") {
            let count = text[end.upperBound...].utf8.count + body.count
            #expect(writer.bodyBytes(of: response) == count, "records the number of written bytes")
        }
        return (text, body)
    }

    private static func get(_ target: String, host: String = "a", _ lines: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n"
    }

    private static let date = "date: Sun, 06 Nov 1994 08:49:37 GMT\n"
    private static let shared = """
        etag: "t"
        last-modified: Sun, 06 Nov 1994 08:49:37 GMT
        vary: accept-encoding

        """
    private static let type = "content-type: application/json\n"

    @Test(arguments: [
        (get("/doc"), "200 OK", shared + type + "content-length: 10\n\n0123456789"),
        (
            get("/doc", "Accept-Encoding: gzip\r\n"), "200 OK",
            shared.replacing("\"t\"", with: "\"t-gzip\"") + type + "content-encoding: gzip\ncontent-length: 1\n\nz"
        ),
        ("HEAD /doc HTTP/1.1\r\nHost: a\r\n\r\n", "200 OK", shared + type + "content-length: 10\n\n"),
        (get("/doc", "If-None-Match: \"t\"\r\n"), "304 Not Modified", shared + "\n"),
        (get("/doc", "If-Match: \"u\"\r\n"), "412 Precondition Failed", "content-length: 0\n\n"),
        (
            get("/doc", "Range: bytes=2-3\r\n"), "206 Partial Content",
            shared + type + "content-range: bytes 2-3/10\ncontent-length: 2\n\n23"
        ),
        (
            get("/doc", "Range: bytes=10-\r\n"), "416 Range Not Satisfiable",
            "content-range: bytes */10\ncontent-length: 0\n\n"
        ),
        (get("/none"), "404 Not Found", "content-length: 0\n\n"),
        (get("/none", "Connection: close\r\n"), "404 Not Found", "content-length: 0\nconnection: close\n\n"),
        (
            "GET /none HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", "404 Not Found",
            "content-length: 0\nconnection: keep-alive\n\n"
        ),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "204 No Content", "allow: GET, HEAD, OPTIONS\n\n"),
        (
            get("/p/&,?q='"), "200 OK",
            "etag: \"t\"\nvary: accept-encoding\n" + type
                + "content-length: 69\n\n<a href='a/p/&amp;,?q=&#39;'> /p/&amp;,?q=&#39; a/p/&amp;%2C?q=&#39;."
        ),
        (get("/p/" + String(repeating: "&", count: 1_400)), "414 URI Too Long", "content-length: 0\n\n"),
    ])
    func `answers a request with exactly these bytes`(request: String, status: String, rest: String) {
        let (text, body) = written(request)
        #expect(text == "HTTP/1.1 \(status)\n\(Self.date)\(rest)")
        #expect(body.count == 0)
    }

    @Test(arguments: [
        (get("/doc?q", host: "tls"), "308 Permanent Redirect", "location: https://tls:8443/doc?q\n"),
        (get("http://tls", host: "tls"), "308 Permanent Redirect", "location: https://tls:8443/\n"),
        (get("/.well-known/x", host: "tls"), "404 Not Found", ""), (get("/none"), "404 Not Found", ""),
    ])
    func `redirects pages to TLS where there is a certificate`(request: String, status: String, location: String) {
        let (text, _) = written(request, redirectsPages: true)
        #expect(text == "HTTP/1.1 \(status)\n\(Self.date)content-length: 0\n\(location)\n")
    }

    @Test func `sends Strict-Transport-Security over TLS`() {
        let (text, _) = written(Self.get("/none"), isSecure: true)
        let lines = "content-length: 0\nstrict-transport-security: max-age=60\n"
        #expect(text == "HTTP/1.1 404 Not Found\n\(Self.date)\(lines)\n")
    }

    @Test func `sends a large body without copying it`() {
        let (text, body) = written(Self.get("/large"))
        #expect(text.hasSuffix("content-length: 16385\n\n"))
        #expect(body.count == 16_385)
    }

    @Test func `an answer that is not in the catalogue has the given fields`() {
        var writer = ResponseWriter(EngineSettings(listeners: [], workerCount: 1))
        writer.setDate(Self.now)
        Array("ab".utf8).withUnsafeBytes { body in
            for isHeadOnly in [false, true] {
                writer.write(
                    Response(status: .ok, isHeadOnly: isHeadOnly, closes: true), fields: "x: y\r\n", body: body,
                    isSecure: true)
            }
        }
        let head = "HTTP/1.1 200 OK\n\(Self.date)x: y\ncontent-length: 2\nconnection: close\n\n"
        let text = String(decoding: writer.output.bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        #expect(text == head + "ab" + head)
    }
}
