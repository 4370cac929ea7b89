// The parser against raw requests, each with the section that decides it.

import HTTP
import Testing

struct RequestParserTests {
    /// A request with the line or lines under test between a good request line and the end.
    private static func get(_ lines: String) -> String { "GET /a HTTP/1.1\r\n\(lines)\r\n" }

    @Test(arguments: [
        ("9112 §3", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("9112 §2.2 empty line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("9110 §2.5 later minor", "GET / HTTP/1.9\r\nHost: a\r\n\r\n"),
        ("9112 §3.2 1.0 without host", "GET / HTTP/1.0\r\n\r\n"),
        ("9110 §9.1 any token", "FROB!NICATE / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("9112 §3.2.2 absolute", "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("9112 §3.2.2 case", "GET HTTP://A/b HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("9112 §3.2.2 port", "GET https://a:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("9112 §3.2.2 query only", "GET http://a?q HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("9112 §3.2.3", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"),
        ("9112 §3.2.4", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("3986 §3.4", "GET /?a=/?&b={|}^` HTTP/1.1\r\nHost: a\r\n\r\n"), ("9112 §5 no space", get("Host:a\r\n")),
        ("9112 §5 tabs", get("Host:\ta\t\r\n")), ("9110 §5.1 case", get("hOST: a\r\n")),
        ("9110 §5.5 empty", get("Host: a\r\nX:\r\n")), ("9110 §5.5 only blanks", get("Host: a\r\nX: \t \r\n")),
        ("9110 §5.5 obs-text", get("Host: a\r\nX: caf\u{E9}\r\n")),
        ("9110 §5.5 tab inside", get("Host: a\r\nX: a\tb\r\n")),
        ("9110 §5.6.2 token", get("Host: a\r\n!#$%&'*+-.^_`|~09azAZ: v\r\n")),
        ("9110 §5.3 repeated", get("Host: a\r\nX: 1\r\nX: 2\r\n")), ("9112 §3.2 empty host", get("Host:\r\n")),
        ("9110 §7.2 port", get("Host: a:65535\r\n")), ("3986 §3.2.3 empty port", get("Host: a:\r\n")),
        ("9110 §7.2 trailing dot", get("Host: a.b.\r\n")), ("3986 §3.2.2 address", get("Host: [::1]:80\r\n")),
        ("9110 §8.6 leading zeros", get("Host: a\r\nContent-Length: 0005\r\n")),
        ("9112 §6.1 case", get("Host: a\r\nTransfer-Encoding: CHUNKED\r\n")),
        ("9110 §10.1.1 case", get("Host: a\r\nExpect: 100-Continue\r\n")),
        ("9110 §10.1.1 in 1.0", "GET / HTTP/1.0\r\nExpect: something\r\n\r\n"),
    ])
    func `accepts what the grammar allows`(section: String, request: String) {
        #expect(parse(request).0 == .accepted(bytes: octets(request).count), "RFC \(section)")
    }

    @Test(arguments: [
        ("9112 §3 leading space", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", Rejection.notHTTP),
        ("9112 §3 two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §3 two spaces", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §3 tab", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §3 trailing space", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §2.3 HTTP/0.9", "GET /\r\n\r\n", .malformedRequestLine),
        ("9112 §2.3 lower case", "GET / http/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §2.3 three digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §2.3 leading zero", "GET / HTTP/01.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §2.3 no minor", "GET / HTTP/1.\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §2.3 other name", "GET / FTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9110 §15.6.6", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", .unsupportedVersion),
        ("9110 §15.6.6", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", .unsupportedVersion),
        ("9113 §3.4 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .unsupportedVersion),
        ("9112 §3 no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("8446 §4 client hello", "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}", .notHTTP),
        ("9112 §2 bytes", "\u{80}\u{81}\r\n\r\n", .notHTTP),
        ("9110 §9.1 delimiter", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
        ("9112 §3.2 relative", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2 fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2 bytes", "GET /caf\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2 control", "GET /a\u{07} HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2 zero", "GET /a\u{00} HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2 back-slash", "GET /a\\b HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2 quotation", "GET /\"a HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2.4 GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2.3 GET", "GET a:443 HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2.2 scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9110 §4.2.4 user", "GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2.2 no host", "GET http:///b HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §3.2.2 disagrees", "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", .contradictingHost),
        ("3986 §2.1", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("3986 §2.1", "GET /%4g HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("3986 §2.1", "GET /%4 HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("3986 §2.1", "GET /% HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §2.2 bare LF", "GET / HTTP/1.1\nHost: a\n\n", .malformedLineEnd),
        ("9112 §2.2 one bare LF", get("Host: a\r\nX: b\nY: c\r\n"), .malformedLineEnd),
        ("9112 §2.2 LF LF", "GET / HTTP/1.1\r\nHost: a\n\n", .malformedLineEnd),
        ("9112 §2.2 bare CR", get("Host: a\r\nX: a\rb\r\n"), .malformedField),
        ("9112 §2.2 CR CR LF", get("Host: a\r\nX: a\r\r\n"), .malformedField),
        ("9112 §2.2 CR in line 1", "GET /\rX HTTP/1.1\r\nHost: a\r\n\r\n", .malformedTarget),
        ("9112 §5.1 space", get("Host : a\r\n"), .malformedField),
        ("9112 §5.1 tab", get("Host: a\r\nX\t: b\r\n"), .malformedField),
        ("9112 §5.1 inside", get("Host: a\r\nX Y: b\r\n"), .malformedField),
        ("9112 §5.2 fold", get("Host: a\r\nX: b\r\n c\r\n"), .foldedField),
        ("9112 §5.2 fold with a tab", get("Host: a\r\nX: b\r\n\tc\r\n"), .foldedField),
        ("9112 §5.2 fold on host", get("Host:\r\n a\r\n"), .foldedField),
        ("9112 §2.2 first line blank", get(" X: b\r\nHost: a\r\n"), .foldedField),
        ("9112 §5.2 only blanks", get("Host: a\r\n   \r\n"), .foldedField),
        ("9112 §5 no colon", get("Host: a\r\nNoColon\r\n"), .malformedField),
        ("9110 §5.1 empty name", get("Host: a\r\n: v\r\n"), .malformedField),
        ("9110 §5.1 bytes", get("Host: a\r\nX-\u{E9}: v\r\n"), .malformedField),
        ("9110 §5.1 delimiter", get("Host: a\r\nX(Y): v\r\n"), .malformedField),
        ("9110 §5.5 zero", get("Host: a\r\nX: a\u{00}b\r\n"), .malformedField),
        ("9110 §5.5 control", get("Host: a\r\nX: a\u{01}b\r\n"), .malformedField),
        ("9110 §5.5 delete", get("Host: a\r\nX: a\u{7F}b\r\n"), .malformedField),
        ("9112 §3.2 missing", get("X: a\r\n"), .missingHost),
        ("9112 §3.2 missing, absolute", "GET http://a/ HTTP/1.1\r\n\r\n", .missingHost),
        ("9112 §3.2 two", get("Host: a\r\nHost: a\r\n"), .repeatedHost),
        ("9112 §3.2 two in 1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .repeatedHost),
        ("9112 §3.2 list", get("Host: a, b\r\n"), .malformedHost),
        ("9112 §3.2 port", get("Host: a:x\r\n"), .malformedHost),
        ("9112 §3.2 port", get("Host: a:-1\r\n"), .malformedHost),
        ("9112 §3.2 port", get("Host: a:65536\r\n"), .malformedHost),
        ("9112 §3.2 port", get("Host: a:000080\r\n"), .malformedHost),
        ("9112 §3.2 open bracket", get("Host: [::1\r\n"), .malformedHost),
        ("9112 §3.2 after bracket", get("Host: [::1]x\r\n"), .malformedHost),
        ("9112 §3.2 in brackets", get("Host: [x]\r\n"), .malformedHost),
        ("9112 §3.2 user", get("Host: u@a\r\n"), .malformedHost),
        ("9112 §3.2 path", get("Host: a/b\r\n"), .malformedHost),
        ("9112 §3.2 space", get("Host: a b\r\n"), .malformedHost),
        ("9112 §3.2 bytes", get("Host: \u{E9}\r\n"), .malformedHost),
        ("9112 §3.2 percent", get("Host: a%2eb\r\n"), .malformedHost),
        ("9112 §3.2 back-slash", get("Host: a\\b\r\n"), .malformedHost),
        ("9112 §6.3 twice", get("Host: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n"), .ambiguousBodyLength),
        ("9112 §6.3 list", get("Host: a\r\nContent-Length: 5, 5\r\n"), .malformedContentLength),
        ("9112 §6.3 sign", get("Host: a\r\nContent-Length: +5\r\n"), .malformedContentLength),
        ("9112 §6.3 sign", get("Host: a\r\nContent-Length: -1\r\n"), .malformedContentLength),
        ("9112 §6.3 hex", get("Host: a\r\nContent-Length: 0x5\r\n"), .malformedContentLength),
        ("9112 §6.3 blank", get("Host: a\r\nContent-Length: 5 5\r\n"), .malformedContentLength),
        ("9112 §6.3 empty", get("Host: a\r\nContent-Length:\r\n"), .malformedContentLength),
        ("9110 §8.6 2^64", get("Host: a\r\nContent-Length: 18446744073709551616\r\n"), .bodyTooLong),
        ("9110 §8.6 2^64+5", get("Host: a\r\nContent-Length: 18446744073709551621\r\n"), .bodyTooLong),
        ("9112 §6.1 both", get("Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"), .ambiguousBodyLength),
        ("9112 §6.1 both", get("Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n"), .ambiguousBodyLength),
        ("9112 §6.1 in 1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .ambiguousBodyLength),
        (
            "9112 §6.1 two lines", get("Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n"),
            .ambiguousBodyLength
        ),
        ("9112 §6.1 gzip first", get("Host: a\r\nTransfer-Encoding: gzip, chunked\r\n"), .unsupportedTransferCoding),
        ("9112 §6.1 two first", get("Host: a\r\nTransfer-Encoding: x,\tgzip ,CHUNKED\r\n"), .unsupportedTransferCoding),
        (
            "9112 §6.1 with a length",
            get("Host: a\r\nTransfer-Encoding: gzip, chunked\r\nContent-Length: 5\r\n"), .ambiguousBodyLength
        ),
        ("9112 §6.1 unknown", get("Host: a\r\nTransfer-Encoding: xchunked\r\n"), .malformedTransferCoding),
        ("9112 §6.3 not last", get("Host: a\r\nTransfer-Encoding: chunked, gzip\r\n"), .malformedTransferCoding),
        ("9112 §7 twice", get("Host: a\r\nTransfer-Encoding: chunked, chunked\r\n"), .malformedTransferCoding),
        ("9112 §6.1 empty", get("Host: a\r\nTransfer-Encoding:\r\n"), .malformedTransferCoding),
        ("9110 §5.6.1 empty first", get("Host: a\r\nTransfer-Encoding: , chunked\r\n"), .malformedTransferCoding),
        ("9110 §5.6.1 empty last", get("Host: a\r\nTransfer-Encoding: chunked,\r\n"), .malformedTransferCoding),
        ("9112 §7 parameter", get("Host: a\r\nTransfer-Encoding: chunked;q=1\r\n"), .malformedTransferCoding),
        ("9112 §7 quoted", get("Host: a\r\nTransfer-Encoding: x;a=\"b, chunked\r\n"), .malformedTransferCoding),
        ("9112 §6.1 control", get("Host: a\r\nTransfer-Encoding: \u{0B}chunked\r\n"), .malformedField),
        ("9110 §10.1.1", get("Host: a\r\nExpect: 200-maybe\r\n"), .unknownExpectation),
    ])
    func `rejects requests that can be read in two ways`(section: String, request: String, reason: Rejection) {
        #expect(parse(request).0 == .rejected(reason), "RFC \(section)")
    }

    @Test func `reads the relevant fields of a head`() throws {
        let request = """
            HEAD /a%20b?c=d HTTP/1.1\r
            Host: Shop.Example.:8443\r
            Accept-Encoding: gzip;q=0.5\r
            If-None-Match: "x"\r
            If-None-Match: "y"\r
            If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r
            User-Agent: AASA-Bot/1.0.0\r
            Authorization: Bearer x\r
            Connection: close\r
            Content-Length: 7\r
            \r

            """
        let head = try #require(parse(request).1)
        #expect(head.method == .head)
        #expect(text(head.path, in: request) == "/a%20b")
        #expect(text(head.query, in: request) == "c=d")
        #expect(text(head.host, in: request) == "Shop.Example")
        #expect(text(head.acceptEncoding.range, in: request) == "gzip;q=0.5")
        #expect(text(head.userAgent.range, in: request) == "AASA-Bot/1.0.0")
        #expect(text(head.authorization.range, in: request) == "Bearer x")
        #expect(head.ifNoneMatch.isRepeated)
        #expect(!head.ifModifiedSince.isRepeated)
        #expect(!head.ifMatch.isPresent)
        #expect(!head.wantsKeepAlive)
        #expect(head.body == .length(7))
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: CLOSE\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive, close\r\n", false), ("HTTP/1.1", "Connection: x, keep-alive\r\n", true),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: keep-alive\r\n", true),
        ("HTTP/1.0", "Connection: close, keep-alive\r\n", false), ("HTTP/1.1", "Connection: closed\r\n", true),
    ])
    func `knows whether the connection stays open`(version: String, lines: String, stays: Bool) throws {
        let head = try #require(parse("GET / \(version)\r\nHost: a\r\n\(lines)\r\n").1)
        #expect(head.wantsKeepAlive == stays)
    }

    @Test(arguments: [
        "GET /.well-known/assetlinks.json?x HTTP/1.1\r\nHost: shop.example.com\r\nAccept: */*\r\n\r\n",
        "\r\nOPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    ])
    func `the result does not depend on how the bytes are split`(request: String) {
        let bytes = octets(request)
        let (whole, _) = parse(request)
        for cut in 0...bytes.count { #expect(parse(bytes, seen: [cut, bytes.count]).0 == whole, "split at \(cut)") }
        #expect(parse(bytes, seen: Array(0...bytes.count)).0 == whole, "byte by byte")
    }

    @Test func `does not read beyond the head`() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(parse(head + "GET").0 == .accepted(bytes: head.utf8.count))
    }

    @Test func `accepts a head up to its limit`() {
        let shortest = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n".utf8.count
        let limits = HeadLimits(headBytesMax: 1_024)
        func request(_ count: Int) -> String {
            "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: count - shortest))\r\n\r\n"
        }
        #expect(parse(request(1_024), limits: limits).0 == .accepted(bytes: 1_024))
        #expect(parse(request(1_025), limits: limits).0 == .rejected(.headTooLong))
        #expect(
            parse(String(request(1_030).dropLast(2)), limits: limits).0 == .rejected(.headTooLong), "without its end")
    }

    @Test func `accepts a request line up to its limit`() {
        let limits = HeadLimits(requestLineBytesMax: 256)
        func request(_ count: Int) -> String {
            let path = String(repeating: "a", count: count - "GET / HTTP/1.1".utf8.count)
            return "GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n"
        }
        #expect(parse(request(256), limits: limits).1 != nil)
        #expect(parse(request(257), limits: limits).0 == .rejected(.targetTooLong))
        #expect(
            parse("GET /" + String(repeating: "A", count: 257), limits: limits).0 == .rejected(.targetTooLong),
            "no end in sight")
    }

    @Test func `a request line that is all method has a method that is too long`() {
        let limits = HeadLimits(requestLineBytesMax: 256)
        for end in ["", " / HTTP/1.1\r\n", "\r\n"] {
            let line = String(repeating: "A", count: 257) + end
            #expect(parse(line, limits: limits).0 == .rejected(.methodTooLong))
        }
        #expect(parse(String(repeating: "A", count: 240) + " / HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits).1 != nil)
        let headOnly = HeadLimits(headBytesMax: 200, requestLineBytesMax: 256)
        #expect(parse(String(repeating: "A", count: 201), limits: headOnly).0 == .rejected(.methodTooLong))
    }

    // Each of these once had two results, depending on where the bytes were split.
    @Test(arguments: [
        // As long as the limit, for which the carriage return does not count.
        "GET /" + String(repeating: "a", count: 50) + " HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /" + String(repeating: "a", count: 51) + " HTTP/1.1\r\nHost: a\r\n\r\n",
        // Too long, and without a carriage return.
        "GET /" + String(repeating: "a", count: 60) + "\n",
        "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 200) + "\n",
        // Not HTTP, with a line end or without.
        "\u{16}\u{3}\u{1}\n", "\u{16}\u{3}\r\n",
    ])
    func `the result at a limit does not depend on how the bytes are split`(request: String) {
        let limits = HeadLimits(headBytesMax: 128, requestLineBytesMax: 64)
        let bytes = octets(request)
        let (whole, _) = parse(request, limits: limits)
        for cut in 0...bytes.count {
            #expect(parse(bytes, seen: [cut, bytes.count], limits: limits).0 == whole, "split at \(cut)")
        }
        #expect(parse(bytes, seen: Array(0...bytes.count), limits: limits).0 == whole, "byte by byte")
    }

    @Test func `accepts fields up to their limit`() {
        let limits = HeadLimits(fieldCountMax: 8)
        func request(_ count: Int) -> String {
            "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: count - 1))\r\n"
        }
        #expect(parse(request(8), limits: limits).1 != nil)
        #expect(parse(request(9), limits: limits).0 == .rejected(.tooManyFields))
    }

    @Test(arguments: [(4, true), (5, false)])
    func `ignores a few empty lines before a request`(count: Int, isAccepted: Bool) {
        let request = String(repeating: "\r\n", count: count) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect((parse(request).1 != nil) == isAccepted)
    }
}
