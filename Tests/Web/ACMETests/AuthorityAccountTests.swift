// Requests and responses about accounts and revocation.

import SourceJSON
import TLS
import Testing

@testable import ACME
@testable import ACMESupport

struct AuthorityAccountTests {
    private let key: AccountKey
    private let session: AuthoritySession
    private let account: AuthorityAccount

    init() throws {
        key = AccountKey(try SigningKey(.p256))
        let authority = ScriptedAuthority(key, try OrderRunner.issuer.get())
        session = AuthoritySession(
            try authority.directory, key: key, account: try address("https://ca.example/account/1"))
        account = try AuthorityAccount(
            reading: .json(200, #"{"status": "valid"}"#, [("Location", "https://ca.example/account/1")]))
    }

    /// The message of a call, as the authority receives it.
    private func sent(_ call: SignedCall, _ session: AuthoritySession? = nil) throws -> ReceivedMessage {
        var (call, session) = (call, session ?? self.session)
        _ = try call.request(&session)
        _ = try call.take(.json(200, "", [("replay-nonce", "n")]), &session)
        let request = try call.request(&session)
        let message = ReceivedMessage(request.body ?? [])
        #expect(request.method == .post && message.head("url") == request.url.text && message.head("nonce") == "n")
        return message
    }

    private func text(_ message: ReceivedMessage) -> String { String(decoding: message.payload, as: UTF8.self) }

    @Test func `registers a key`() throws {
        let contact = ["mailto:admin@shop.example"]
        let message = try sent(AuthorityAccount.registration(session, contact: contact))
        #expect(message.head("url") == "https://ca.example/account" && message.head("kid") == nil)
        #expect(message.thumbprint == key.thumbprint && message.isSigned(by: key.key))
        #expect(text(message) == #"{"termsOfServiceAgreed":true,"contact":["mailto:admin@shop.example"]}"#)
        let least = try sent(AuthorityAccount.registration(session, contact: []))
        #expect(text(least) == #"{"termsOfServiceAgreed":true}"#)
    }

    @Test func `registers a key with an external account`() throws {
        let external = try #require(ExternalAccount(keyID: "kid-1", key: "c2VjcmV0"))
        let message = try sent(AuthorityAccount.registration(session, contact: [], binding: external))
        let binding = try #require(message.object.member(named: "externalAccountBinding"))
        #expect(ReceivedMessage(SourceWriter.minified(binding)).head("kid") == "kid-1")
        #expect(ReceivedMessage(SourceWriter.minified(binding)).head("url") == "https://ca.example/account")
    }

    @Test func `looks for an account without making one`() throws {
        let message = try sent(AuthorityAccount.search(session))
        #expect(text(message) == #"{"onlyReturnExisting":true}"#)
        #expect(message.head("url") == "https://ca.example/account" && message.thumbprint == key.thumbprint)
    }

    @Test func `changes the contact of an account`() throws {
        let update = try sent(account.update(contact: ["mailto:a@shop.example", "mailto:b@shop.example"]))
        #expect(text(update) == #"{"contact":["mailto:a@shop.example","mailto:b@shop.example"]}"#)
        #expect(update.head("url") == account.url.text && update.head("kid") == account.url.text)
    }

    @Test func `reads an account`() throws {
        let body = #"{"status": "valid", "contact": ["mailto:a@shop.example", 7], "orders": "x", "new": {}}"#
        let location = (name: "Location", value: "https://ca.example/account/9")
        let account = try AuthorityAccount(reading: .json(201, body, [location]))
        #expect(account.url.text == "https://ca.example/account/9")
        #expect(account.contact == ["mailto:a@shop.example"])
    }

    @Test(arguments: [
        AuthorityResponse.json(200, #"{"status": "valid"}"#),
        .json(200, "[]", [("Location", "https://ca.example/account/9")]),
        .json(200, #"{"status": "valid"}"#, [("Location", "http://ca.example/account/9")]),
    ])
    func `refuses responses without an account`(response: AuthorityResponse) {
        #expect(problem { () throws(AuthorityProblem) in try AuthorityAccount(reading: response) }?.kind == .unusable)
    }

    @Test func `revokes with the account or with the certificate's own key`() throws {
        let runner = try OrderRunner()
        let chain = try #require(try runner.run().chain)
        let byAccount = try sent(try #require(Revocation.call(chain, .superseded, session)))
        #expect(text(byAccount) == #"{"certificate":"\#(Base64URL.text(chain.leaf))","reason":4}"#)
        #expect(byAccount.head("kid") == account.url.text && byAccount.head("url") == "https://ca.example/revoke")
        let own = try SigningKey(reading: runner.start.key)
        let byKey = try sent(try #require(Revocation.call(chain, .keyCompromise, session, signedBy: own)))
        #expect(byKey.thumbprint == AccountKey(own).thumbprint && byKey.isSigned(by: own))
        #expect(text(byKey).hasSuffix(#""reason":1}"#))
    }

    @Test func `returns no call where the authority does not support it`() throws {
        let body =
            #"{"newNonce": "https://a.example/n", "newAccount": "https://a.example/a", "newOrder": "https://a.example/o"}"#
        let session = AuthoritySession(
            try AuthorityDirectory(reading: .json(200, body)), key: key, account: account.url)
        let runner = try OrderRunner()
        #expect(Revocation.call(try #require(try runner.run().chain), .unspecified, session) == nil)
    }
}
