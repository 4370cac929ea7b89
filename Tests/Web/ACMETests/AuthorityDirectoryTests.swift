// Complete, minimal and unusable directories.

import Testing

@testable import ACME

struct AuthorityDirectoryTests {
    @Test func `reads everything that it knows`() throws {
        let directory = try AuthorityDirectory(
            reading: .json(
                200,
                """
                { "newNonce": "https://ca.example/nonce", "newAccount": "https://ca.example/account",
                  "newOrder": "https://ca.example/order", "newAuthz": "https://ca.example/authz",
                  "revokeCert": "https://ca.example/revoke", "keyChange": "https://ca.example/key",
                  "renewalInfo": "https://ca.example/renewal", "Yjc3ODIx": "https://ca.example/why-this-is-here",
                  "meta": { "termsOfService": "https://ca.example/terms.pdf", "website": "https://ca.example",
                    "caaIdentities": ["ca.example", 5, "other.example"], "externalAccountRequired": true,
                    "profiles": { "classic": "https://ca.example/classic", "tlsserver": "For servers", "other": 1 } } }
                """))
        #expect(directory.newNonce.text == "https://ca.example/nonce")
        #expect(directory.newAccount.text == "https://ca.example/account")
        #expect(directory.newOrder.text == "https://ca.example/order")
        #expect(directory.revokeCertificate?.text == "https://ca.example/revoke")
        #expect(directory.renewalInfo?.text == "https://ca.example/renewal")
        #expect(directory.caaIdentities == ["ca.example", "other.example"])
        #expect(
            directory.profiles == ["classic": "https://ca.example/classic", "tlsserver": "For servers", "other": ""])
    }

    private static let least = """
        { "newNonce": "https://a.example/n", "newAccount": "https://a.example/a", "newOrder": "https://a.example/o"
        """

    @Test(arguments: ["}", ", \"meta\": null}", ", \"meta\": [], \"renewalInfo\": \"http://a.example/r\"}"])
    func `accepts a minimal directory`(end: String) throws {
        let directory = try AuthorityDirectory(reading: .json(200, Self.least + end))
        #expect(directory.renewalInfo == nil)
        #expect(directory.profiles.isEmpty && directory.caaIdentities.isEmpty)
    }

    @Test(
        arguments: [
            (AuthorityResponse.json(200, least), .unusable), (.json(200, "{}"), .unusable), (.json(200, ""), .unusable),
            (.json(200, least.replacing("https://a.example/o", with: "http://a.example/o") + "}"), .unusable),
            (.json(503, least + "}"), .serverInternal), (.json(301, ""), .unknown),
            (AuthorityResponse(status: 200, fields: [], body: Array((least + "}").utf8), isTruncated: true), .unusable),
        ] as [(AuthorityResponse, AuthorityProblem.Kind)])
    func `refuses responses without a directory`(response: AuthorityResponse, kind: AuthorityProblem.Kind) {
        #expect(problem { () throws(AuthorityProblem) in try AuthorityDirectory(reading: response) }?.kind == kind)
    }

    @Test func `is fetched without a signature`() throws {
        let request = AuthorityDirectory.request(try address("https://ca.example/dir"))
        #expect(request.method == .get && request.body == nil && request.url.text == "https://ca.example/dir")
    }
}
