// Decoding paths, once.

import HTTP
import Testing

struct PercentEncodingTests {
    private func decode(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: path.utf8.count)
        let bytes = octets(path)
        return target.withUnsafeMutableBytes { buffer in
            PercentEncoding.decode(bytes.span, into: buffer).map { String(decoding: buffer[..<$0], as: UTF8.self) }
        }
    }

    @Test(arguments: [
        ("/a", "/a"), ("/%61%2Db", "/a-b"), ("/caf%C3%A9", "/café"), ("/%252e", "/%2e"), ("/%2e%2E/", "/../"), ("", ""),
    ])
    func `decodes each escape once`(path: String, decoded: String) {
        #expect(decode(path) == decoded)
    }

    @Test(arguments: ["/a%2fb", "/a%2Fb", "/a%00", "/%", "/%4", "/%zz"])
    func `refuses escapes that must not become part of a name`(path: String) { #expect(decode(path) == nil) }
}
