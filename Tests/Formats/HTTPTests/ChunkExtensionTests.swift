// The grammar of chunk extensions, RFC 9112 §7.1.1.

import HTTP
import Testing

struct ChunkExtensionTests {
    private func drain(_ extensions: String) -> BodyReader.Outcome? {
        let body = octets("1\(extensions)\r\nx\r\n0\(extensions)\r\n\r\n")
        guard var drain = BodyReader(.chunked, bytesMax: 1_000) else { return nil }
        let outcome = drain.drain(body.span)
        return outcome == .complete(bytes: body.count) ? .complete(bytes: 0) : outcome
    }

    @Test(arguments: [
        "", ";a", ";a=b", ";a;b", ";a=b;c=d", "; a", ";\ta", ";a =b", ";a= b", ";a = \"b\"", ";a=\"\"", ";a=\"b;c\"",
        ";a=\"b\\\"c\"", ";a=\"\\\\\"", ";a=\"b\" ;c", ";a=b ;c", ";a=\"caf\u{E9}\"", ";!#$%&'*+-.^_`|~=1",
    ])
    func `skips valid chunk extensions`(extensions: String) {
        #expect(drain(extensions) == .complete(bytes: 0))
    }

    @Test(arguments: [
        ";", ";;", ";a;", ";=b", ";a=", ";a=;b", ";a=\"", ";a=\"b", ";a=\"b\\\"", ";a=\"b\"c", ";a=b c", ";a b",
        ";a=b\"",
        ";(", ";a=(", ";a=\"\u{01}\"", ";a=\"\\\u{01}\"", ";a=\"\u{7F}\"", "a=b", " ;a", " ", ",a", ";a\r", ";a=b ",
        ";a ",
    ])
    func `refuses invalid chunk extensions`(extensions: String) {
        #expect(drain(extensions) == .rejected(.malformedChunk))
    }
}
