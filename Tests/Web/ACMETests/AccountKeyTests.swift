// Thumbprints against RFC 7638, and the messages that a key signs.

import SourceJSON
import TLS
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport

struct AccountKeyTests {
    /// RFC 7638 §3.1.
    @Test func `computes the published thumbprint of an RSA key`() throws {
        let modulus = try #require(
            Base64URL.bytes(
                "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiF"
                    + "V4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZg"
                    + "nYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBni"
                    + "Iqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"))
        let webKey = AccountKey.webKey(.rsa(modulus: modulus, exponent: [1, 0, 1]))
        #expect(AccountKey.thumbprint(webKey) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    /// The key of RFC 7515 Appendix A.3 in the form of RFC 7638 §3.2.
    @Test func `writes the public numbers of P-256`() throws {
        let (x, y) = ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        let numbers = try [x, y].map { try #require(Base64URL.bytes($0)) }
        let webKey = AccountKey.webKey(.p256(x: numbers[0], y: numbers[1]))
        let text = String(decoding: SourceWriter.minified(webKey), as: UTF8.self)
        #expect(text == "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x)\",\"y\":\"\(y)\"}")
    }

    @Test(arguments: [(SigningKey.Kind.p256, "ES256"), (.rsa2048, "RS256")])
    func `signs a request by key or by account`(kind: SigningKey.Kind, algorithm: String) throws {
        let key = AccountKey(try SigningKey(kind))
        let (url, account) = try (address("https://ca.example/order"), address("https://ca.example/account/7"))
        for name in [nil, account] {
            let message = ReceivedMessage(
                SourceWriter.minified(try key.sign(Array("{\"a\":1}".utf8), for: url, nonce: "n-1", account: name)))
            #expect(message.isSigned(by: key.key))
            #expect(message.payload == Array("{\"a\":1}".utf8))
            #expect(
                message.head("alg") == algorithm && message.head("url") == url.text && message.head("nonce") == "n-1")
            #expect(message.head("kid") == name?.text && message.thumbprint == (name == nil ? key.thumbprint : nil))
        }
        let inner = ReceivedMessage(SourceWriter.minified(try key.sign([], for: url, nonce: nil, account: nil)))
        #expect(inner.head("nonce") == nil && inner.payload == [] && inner.isSigned(by: key.key))
    }

    @Test func `signs with a key on P-384, and writes its numbers`() throws {
        let made = try Command(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]).run()
        let key = AccountKey(try SigningKey(reading: made.bytes))
        let url = try address("https://ca.example/order")
        let message = ReceivedMessage(
            SourceWriter.minified(try key.sign([1], for: url, nonce: "n-1", account: nil)))
        #expect(message.isSigned(by: key.key) && message.signature.count == 96)
        #expect(message.head("alg") == "ES384" && message.thumbprint == key.thumbprint)
        guard case .p384(let x, let y) = key.key.publicNumbers else {
            Issue.record("a key on P-384 has two numbers")
            return
        }
        #expect(
            String(decoding: SourceWriter.minified(key.publicKey), as: UTF8.self)
                == "{\"crv\":\"P-384\",\"kty\":\"EC\",\"x\":\"\(Base64URL.text(x))\",\"y\":\"\(Base64URL.text(y))\"}")
    }

    @Test func `answers a challenge with the token and the thumbprint`() throws {
        let key = AccountKey(try SigningKey(.p256))
        #expect(key.keyAuthorization("token-1") == "token-1." + key.thumbprint)
        #expect(Base64URL.bytes(key.thumbprint)?.count == 32)
    }

    @Test func `binds an account to an external account`() throws {
        let account = AccountKey(try SigningKey(.p256))
        let external = try #require(ExternalAccount(keyID: "kid-1", key: "c2VjcmV0IGtleQ=="))
        let url = try address("https://ca.example/account")
        let message = ReceivedMessage(SourceWriter.minified(external.binding(of: account, at: url)))
        #expect(message.head("alg") == "HS256" && message.head("kid") == "kid-1" && message.head("url") == url.text)
        #expect(message.head("nonce") == nil)
        #expect(message.payload == SourceWriter.minified(account.publicKey))
        #expect(message.signature == MessageCode.hs256.code(of: message.signedBytes, key: Array("secret key".utf8)))
    }

    @Test(arguments: [("", "c2VjcmV0"), ("kid", ""), ("kid", "not base64!")])
    func `refuses a binding without a name or a key`(keyID: String, key: String) {
        #expect(ExternalAccount(keyID: keyID, key: key) == nil)
    }
}
