// The lines of responses.

import HTTP
import Testing

struct ResponseHeadTests {
    @Test func `writes a status line`() {
        #expect(String(decoding: StatusLine.bytes(.notFound), as: UTF8.self) == "HTTP/1.1 404 Not Found\r\n")
    }

    @Test func `writes fields in order`() {
        var fields = FieldLines()
        fields.add("etag", "\"x\"")
        fields.add("vary", "accept-encoding")
        #expect(String(decoding: fields.bytes, as: UTF8.self) == "etag: \"x\"\r\nvary: accept-encoding\r\n")
    }

    @Test func `traps on a line break in a field`() async {
        await #expect(processExitsWith: .failure) {
            var fields = FieldLines()
            fields.add("location", "/a\r\nset-cookie: x")
        }
    }
}
