// Header fields and bodies of responses.

import Testing

@testable import ACME

struct AuthorityResponseTests {
    private func response(_ fields: [(name: String, value: String)], retryAfter: Int64? = nil) -> AuthorityResponse {
        AuthorityResponse(status: 200, fields: fields, body: [], retryAfterSeconds: retryAfter)
    }

    @Test func `finds fields in any case`() throws {
        let found = response([("Replay-Nonce", "abc-_9"), ("LOCATION", "https://ca.example/account/1"), ("x", "y")])
        #expect(found.nonce == "abc-_9")
        #expect(try found.location == address("https://ca.example/account/1"))
        #expect(response([("location", "http://ca.example/account/1")]).location == nil)
    }

    /// RFC 8555 §6.5.1: invalid nonces must be ignored.
    @Test(arguments: ["", "a b", "a+b", "a=", "é", String(repeating: "a", count: 257)])
    func `ignores invalid nonces`(nonce: String) {
        #expect(response([("replay-nonce", nonce)]).nonce == nil)
    }

    @Test(
        arguments: [
            ("<https://ca.example/cert/1/1>;rel=\"alternate\"", ["https://ca.example/cert/1/1"]),
            (
                "<https://ca.example/1>; rel=alternate, <https://ca.example/2> ;REL=\"alternate\"",
                ["https://ca.example/1", "https://ca.example/2"]
            ),
            ("<https://ca.example/1>; title=\"a, b; c\"; rel=\"index alternate\"", ["https://ca.example/1"]),
            ("<https://ca.example/dir>;rel=\"index\"", []), ("<http://ca.example/1>;rel=\"alternate\"", []),
            ("</cert/1>;rel=\"alternate\"", []), ("<https://ca.example/1>", []), ("<<<>>>;;,,rel=", []), ("<", []),
            (">;rel=alternate<", []),
            ("<https://ca.example/1>;rel", []), ("", []),
        ] as [(String, [String])])
    func `finds the links with a relation`(value: String, expected: [String]) {
        #expect(response([("Link", value)]).links("alternate").map(\.text) == expected)
    }

    @Test func `reads links from several fields, up to a limit`() {
        let lines = (1...40).map { (name: "link", value: "<https://ca.example/\($0)>;rel=\"alternate\"") }
        #expect(response(lines).links("alternate").count == AuthorityLimits.linksMax)
        let long = "<https://ca.example/1>;rel=\"alternate\"" + String(repeating: " ", count: 9000)
        #expect(response([("link", long)]).links("alternate").isEmpty)
    }

    @Test(arguments: [(nil, nil), (-5, 0), (0, 0), (60, 60), (.max, 8 * 86_400)] as [(Int64?, Int64?)])
    func `limits Retry-After`(said: Int64?, expected: Int64?) {
        #expect(response([], retryAfter: said).retryAfterSeconds == expected)
    }

    @Test func `drops truncated and long bodies`() {
        let longest = [UInt8](repeating: 65, count: AuthorityLimits.bodyBytesMax)
        #expect(AuthorityResponse(status: 200, fields: [], body: longest).body == longest)
        let tooLong = AuthorityResponse(status: 200, fields: [], body: longest + [65])
        #expect(tooLong.body.isEmpty && tooLong.isTruncated)
        #expect(AuthorityResponse(status: 200, fields: [], body: [65], isTruncated: true).body.isEmpty)
    }

    @Test(arguments: [
        ("{\"a\": 1}", true), ("{}", true), ("[]", false), ("1", false), ("", false), ("{\"a\": 1", false),
        ("{a: 1}", false),
        ("<html>", false), (String(repeating: "{\"a\":", count: 40) + "1" + String(repeating: "}", count: 40), false),
    ])
    func `reads JSON objects only`(body: String, isObject: Bool) {
        #expect((AuthorityResponse.json(200, body).object != nil) == isObject)
    }
}
