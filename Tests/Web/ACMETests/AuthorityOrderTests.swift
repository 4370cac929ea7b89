// Orders and authorizations with unknown and missing members.

import Testing

@testable import ACME

struct AuthorityOrderTests {
    private static func order(_ status: String, _ more: String = "") -> AuthorityResponse {
        .json(
            200,
            """
            { "status": \(status), "identifiers": [{ "type": "dns", "value": "SHOP.example" }], "notBefore": null,
              "authorizations": ["https://ca.example/authz/1"], "finalize": "https://ca.example/finalize/1"\(more) }
            """)
    }

    @Test(arguments: [
        ("\"pending\"", AuthorityOrder.Status.pending), ("\"ready\"", .ready), ("\"processing\"", .processing),
        ("\"valid\"", .valid),
        ("\"invalid\"", .invalid), ("\"paused\"", .unknown), ("7", .unknown),
    ])
    func `reads the status`(status: String, expected: AuthorityOrder.Status) throws {
        let order = try AuthorityOrder(reading: Self.order(status), hosts: ["shop.example"])
        #expect(order.status == expected && order.certificate == nil && order.problem == nil)
        #expect(order.authorizations.map(\.text) == ["https://ca.example/authz/1"])
    }

    @Test func `reads the certificate's address and the problem`() throws {
        let more = """
            , "certificate": "https://ca.example/certificate/1",
              "error": { "type": "urn:ietf:params:acme:error:caa", "detail": "no" }
            """
        let order = try AuthorityOrder(reading: Self.order("\"invalid\"", more), hosts: ["shop.example"])
        #expect(order.certificate?.text == "https://ca.example/certificate/1" && order.problem?.kind == .caa)
        let odd = try AuthorityOrder(
            reading: Self.order("\"valid\"", #", "certificate": "http://a.example/", "error": "no""#),
            hosts: ["shop.example"])
        #expect(odd.certificate == nil && odd.problem == nil)
    }

    private static func authorization(_ challenges: String, _ more: String = "") -> AuthorityResponse {
        .json(
            200,
            """
            { "status": "pending", "identifier": { "type": "dns", "value": "shop.example" }, "expires": 5,
              "challenges": \(challenges)\(more) }
            """)
    }

    private static func challenge(_ type: String, _ token: String, _ url: String = "https://ca.example/c/1") -> String {
        #"{ "type": "\#(type)", "url": "\#(url)", "status": "pending", "token": "\#(token)" }"#
    }

    @Test func `ignores unknown challenge types`() throws {
        let token = "DGyRejmCefe7v4NfDGDKfA"
        let kinds = ["tls-alpn-01", "http-01", "dns-account-01", "dns-01", "dns-persist-01"]
        let list = kinds.map { Self.challenge($0, token) } + [#"{ "type": "onion-csr-01" }"#, "7", "{}"]
        let authorization = try HostAuthorization(
            reading: Self.authorization("[\(list.joined(separator: ","))]"), hosts: ["shop.example"])
        #expect(authorization.host == "shop.example" && authorization.status == .pending)
        #expect(authorization.challenges.map(\.kind) == [.http, .dns])
        #expect(authorization.challenges.allSatisfy { $0.isPending && $0.token == token })
        #expect(authorization.offered == kinds + ["onion-csr-01"])
    }

    /// Tokens become part of a path and a file name.
    @Test(arguments: [
        ("0123456789abcdef", true), ("0123456789abcde", false), (String(repeating: "a", count: 128), true),
        (String(repeating: "a", count: 129), false), ("../../../etc/passwd", false), ("0123456789abcdef/", false),
        ("0123456789abcdef%2F", false), ("0123456789abcdefé", false), ("0123456789abcdef\\n", false),
    ])
    func `accepts only tokens that are safe in a path`(token: String, isToken: Bool) throws {
        let authorization = try HostAuthorization(
            reading: Self.authorization("[\(Self.challenge("http-01", token))]"), hosts: ["shop.example"])
        #expect(authorization.challenges.count == (isToken ? 1 : 0))
    }

    @Test func `ignores challenges without an https URL`() throws {
        let list = "[\(Self.challenge("http-01", "0123456789abcdef", "http://ca.example/c/1"))]"
        #expect(try HostAuthorization(reading: Self.authorization(list), hosts: ["shop.example"]).challenges.isEmpty)
    }

    @Test(arguments: ["null", "{}", "\"none\"", "[]"]) func `accepts an authorization without challenges`(
        challenges: String
    ) throws {
        let found = try HostAuthorization(reading: Self.authorization(challenges), hosts: ["shop.example"])
        #expect(found.challenges.isEmpty && found.offered.isEmpty)
        #expect(found.problem.description == "shop.example: the authorization is pending")
    }

    @Test func `returns the wildcard that was ordered`() throws {
        let found = try HostAuthorization(
            reading: Self.authorization("[]", ", \"wildcard\": true"), hosts: ["shop.example", "*.shop.example"])
        #expect(found.host == "*.shop.example")
    }

    @Test func `computes record name and record value of an answer`() throws {
        let answer = OrderAnswer(
            kind: .dns, host: "*.shop.example", token: "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA",
            keyAuthorization: "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI")
        #expect(answer.recordName == "_acme-challenge.shop.example")
        // printf %s … | openssl dgst -sha256 -binary | basenc --base64url
        #expect(answer.recordValue == "lCM7cZyQXcVHK2nnW3jjAhNT3Fvm18UN-kWZZknKoYM")
    }
}
