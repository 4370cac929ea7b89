// The bytes of requests, and fields of answers.

import Posix
import Testing

@testable import Client

struct FetchRequestTests {
    private func request() -> FetchRequest {
        FetchRequest(host: "a.example", hostField: "a.example", address: .unknown, path: "/x", userAgent: "test")
    }

    @Test func `writes the lines of a request in order`() throws {
        var request = request()
        #expect(
            try String(decoding: request.bytes(), as: UTF8.self)
                == "GET /x HTTP/1.1\r\nHost: a.example\r\nUser-Agent: test\r\nAccept: */*\r\nConnection: close\r\n\r\n")
        request.method = "POST"
        request.userAgent = nil
        request.keepsConnection = true
        request.fields = [.init(name: "Content-Type", value: "application/jose+json")]
        request.body = Array("{}".utf8)
        #expect(
            try String(decoding: request.bytes(), as: UTF8.self)
                == "POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/jose+json\r\nContent-Length: 2\r\n\r\n{}"
        )
    }

    @Test(arguments: ["a\r\nb: c", "a\n", "\u{0}"]) func `rejects values that would start a new line`(text: String) {
        let changes: [(inout FetchRequest) -> Void] = [
            { $0.path = text }, { $0.hostField = text }, { $0.userAgent = text }, { $0.method = text },
            { $0.fields = [.init(name: "x", value: text)] }, { $0.fields = [.init(name: text, value: "x")] },
        ]
        for change in changes {
            var request = request()
            change(&request)
            #expect(throws: FetchError.self) { try request.bytes() }
        }
    }

    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("99999999999999999999", 31_622_400), ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
            ("Sun, 06 Nov 1994 08:48:00 GMT", 0), ("Sun, 06 Nov 2044 08:49:37 GMT", 31_622_400), ("-1", nil),
            ("1.5", nil),
            ("soon", nil), ("", nil),
        ] as [(String, Int64?)])
    func `reads Retry-After`(text: String, seconds: Int64?) {
        let response = FetchedResponse(
            status: 429, statusLine: "", fields: [.init(name: "retry-after", value: text)], body: [],
            isTruncated: false, firstByteMilliseconds: 0, totalMilliseconds: 0, peer: nil, handshakeMilliseconds: 0)
        #expect(response.retryAfterSeconds(now: 784_111_740) == seconds)
    }
}
