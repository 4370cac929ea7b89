// Skipping bodies: both framings, split anywhere, within limits.

import HTTP
import Testing

struct BodyReaderTests {
    private func drain(_ body: RequestHead.Body, _ text: String, steps: [Int]? = nil, max: UInt64 = 1_000) -> BodyReader
        .Outcome?
    {
        guard var drain = BodyReader(body, bytesMax: max) else { return nil }
        let bytes = octets(text)
        var used = 0
        for count in steps ?? [bytes.count] {
            switch drain.drain(bytes.span.extracting(used..<count)) {
            case .incomplete: used = count
            case .complete(let last): return .complete(bytes: used + last)
            case .rejected(let reason): return .rejected(reason)
            }
        }
        return .incomplete
    }

    @Test func `drains nothing without a body`() { #expect(drain(.none, "") == nil) }

    @Test(arguments: [
        ("5\r\nhello\r\n0\r\n\r\n", "9112 §7.1"), ("0\r\n\r\n", "no chunks"), ("0000\r\n\r\n", "§7.1 several zeros"),
        ("A\r\n0123456789\r\n0\r\n\r\n", "upper-case size"), ("5;a=b\r\nhello\r\n0\r\n\r\n", "§7.1.1 extension"),
        ("5;a=\"b;c\"\r\nhello\r\n0\r\n\r\n", "§7.1.1 quoted"), ("0\r\nX: y\r\nZ: \r\n\r\n", "§7.1.2 trailers"),
    ])
    func `drains a chunked body to its end, however it is split`(body: String, section: String) {
        let count = body.utf8.count
        let next = body + "GET / HTTP/1.1\r\n"
        #expect(drain(.chunked, next) == .complete(bytes: count), "\(section)")
        for cut in 0...count {
            #expect(
                drain(.chunked, next, steps: [cut, next.utf8.count]) == .complete(bytes: count), "\(section) at \(cut)")
        }
        #expect(drain(.chunked, next, steps: Array(0...count)) == .complete(bytes: count))
    }

    @Test(arguments: [
        "zz\r\n", "-1\r\n", "0x5\r\n", "+5\r\n", " 5\r\n", "\r\n", ";a\r\n", "1_0\r\n", "5\n", "5\r\nhelloXX",
        "5\r\nhello\rX",
        "3\r\nhello\r\n",
        "5;\nxxx\r\n", "5;a\u{01}\r\n", "5\rhello", "10000000000000005\r\n", "FFFFFFFFFFFFFFFFF\r\n",
        "0\r\nbad trailer\r\n",
        "0\r\n: v\r\n", "0\r\nX: a\u{00}\r\n", "0\r\nX: a\n", "0\r\n\rX", "5\r\nhello\r\nGET / HTTP/1.1\r\n",
    ])
    func `refuses invalid chunk syntax`(body: String) {
        #expect(drain(.chunked, body) == .rejected(.malformedChunk))
    }

    @Test func `drains a body of known length and no byte more`() {
        #expect(drain(.length(5), "helloGET") == .complete(bytes: 5))
        #expect(drain(.length(5), "helloGET", steps: [1, 3, 8]) == .complete(bytes: 5))
        #expect(drain(.length(6), "hello") == .incomplete)
    }

    @Test func `refuses an announced length that is too long at once`() throws {
        #expect(try #require(BodyReader(.length(10), bytesMax: 10)).isTooLong == false)
        #expect(try #require(BodyReader(.length(11), bytesMax: 10)).isTooLong)
    }

    @Test func `counts the framing of a chunked body too`() {
        let body = "5\r\nhello\r\n0\r\n\r\n"
        let count = UInt64(body.utf8.count)
        #expect(drain(.chunked, body, max: count) == .complete(bytes: body.utf8.count))
        for most in 0..<count { #expect(drain(.chunked, body, max: most) == .rejected(.bodyTooLong), "\(most)") }
    }

    @Test func `limits the length of a chunk line`() {
        #expect(drain(.chunked, "5;" + String(repeating: "a", count: 5_000), max: 10_000) == .rejected(.malformedChunk))
    }
}
