// Which URLs of an authority are accepted.

import ACME
import Testing

struct AuthorityURLTests {
    @Test(arguments: [
        "https://ca.example", "https://ca.example/", "https://ca.example:14000/order/1?a=b&c=%20",
        "https://[2001:db8::1]/a",
        "https://127.0.0.1:14000/dir", "https://ca.example?a", "https://ca.example/~user/a'b(c)*;=,@!$",
    ])
    func `accepts https`(text: String) {
        #expect(AuthorityURL(text)?.text == text)
    }

    @Test(arguments: [
        "", "https", "https://", "https:///a", "https://?a", "https://:443/", "http://ca.example/",
        "HTTPS://ca.example/",
        "ftp://ca.example/", "//ca.example/", "/order/1", "https://user@ca.example/",
        "https://ca.example@evil.example/",
        "https://ca.example/a b", "https://ca.example/a\r\nHost: b", "https://ca.example/\u{7F}",
        "https://ca.example/é",
        "https://ca.example/#a", "https://ca.example/<a>", "https://ca.example/\"a\"",
        "https://ca.example\\@b.example/",
    ])
    func `refuses everything else`(text: String) {
        #expect(AuthorityURL(text) == nil)
    }

    @Test func `limits the length`() {
        let start = "https://ca.example/"
        let longest = start + String(repeating: "a", count: 2048 - start.utf8.count)
        #expect(AuthorityURL(longest) != nil)
        #expect(AuthorityURL(longest + "a") == nil)
    }
}
