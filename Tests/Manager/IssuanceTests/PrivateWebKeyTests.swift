// Keys as JSON Web Keys, against keys that OpenSSL has made, and RFC 7515 Appendix A.3.

import ACME
import COpenSSL
import SourceJSON
import TestSupport
import Testing

@testable import Issuance
@testable import TLS

struct PrivateWebKeyTests {
    /// RFC 7515 Appendix A.3.
    private static let members = [
        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
    ]

    private func text(_ members: [String: String]) -> [UInt8] {
        SourceWriter.minified(.object(members.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }

    private func key(_ members: [String: String]) throws -> SigningKey {
        try SigningKey(reading: PrivateWebKey.der(text(members)))
    }

    @Test func `reads a published key`() throws {
        let key = try key(Self.members)
        let numbers = try [Self.members["x"], Self.members["y"]].map { try #require($0.flatMap(Base64URL.bytes)) }
        #expect(key.publicNumbers == .p256(x: numbers[0], y: numbers[1]) && key.isConsistent)
    }

    /// The arguments of openssl, and the private numbers that a JSON Web Key of this kind has.
    @Test(arguments: [
        (["EC", "-pkeyopt", "ec_paramgen_curve:P-256"], ["d": "priv", "x": "qx", "y": "qy"], "P-256", 32),
        (["EC", "-pkeyopt", "ec_paramgen_curve:P-384"], ["d": "priv", "x": "qx", "y": "qy"], "P-384", 48),
        (
            ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
            [
                "n": "n", "e": "e", "d": "d", "p": "rsa-factor1", "q": "rsa-factor2", "dp": "rsa-exponent1",
                "dq": "rsa-exponent2", "qi": "rsa-coefficient1",
            ], "", 0
        ),
    ])
    func `reads what openssl has generated`(arguments: [String], names: [String: String], curve: String, bytes: Int)
        throws
    {
        let made = try Command(["openssl", "genpkey", "-algorithm"] + arguments).run()
        #expect(made.status == 0, "\(made.errors)")
        let original = try SigningKey(reading: made.bytes)
        var members = curve.isEmpty ? ["kty": "RSA"] : ["kty": "EC", "crv": curve]
        for (name, parameter) in names {
            let number = original.key.exported(parameter, bytes: bytes)
            members[name] = Base64URL.text(try #require(number))
        }
        let copy = try key(members)
        #expect(copy.pem == original.pem && copy.isConsistent)
        #expect(AccountKey(copy).thumbprint == AccountKey(original).thumbprint)
        // A number of another key.
        let other = try SigningKey(reading: Command(["openssl", "genpkey", "-algorithm"] + arguments).run().bytes)
        let secret = other.key.exported(names["d"] ?? "", bytes: bytes)
        members["d"] = Base64URL.text(try #require(secret))
        #expect(try !key(members).isConsistent)
    }

    @Test(arguments: [
        ("", "it is not a JSON object"), ("-----BEGIN PRIVATE KEY-----", "it is not a JSON object"),
        ("[]", "it is not a JSON object"), ("{\"kty\": \"EC\"", "it is not a JSON object"),
        ("{}", "it has no `kty`, so it is not a JSON Web Key"),
        ("{\"kty\": \"OKP\"}", "its type is \"OKP\"; only RSA and EC are supported"),
        ("{\"kty\": \"EC\", \"crv\": \"P-521\"}", "its curve is \"P-521\"; only P-256 and P-384 are supported"),
        ("{\"kty\": \"EC\"}", "its curve is \"\"; only P-256 and P-384 are supported"),
        ("{\"kty\": \"RSA\", \"n\": \"AQAB\"}", "it has no `e`, so it is not a whole private key"),
        ("{\"kty\": \"RSA\", \"n\": 7}", "it has no `n`, so it is not a whole private key"),
        ("{\"kty\": \"RSA\", \"n\": \"?\"}", "its `n` is not a number of such a key"),
        ("{\"kty\": \"RSA\", \"n\": \"\"}", "its `n` is not a number of such a key"),
    ])
    func `says what is wrong with other text`(text: String, problem: String) {
        #expect(throws: WebKeyProblem(problem)) { try PrivateWebKey.der(Array(text.utf8)) }
    }

    @Test(arguments: ["x", "y", "d"]) func `needs each number, of the right length`(name: String) throws {
        var members = Self.members
        members[name] = nil
        #expect(throws: WebKeyProblem.self) { try key(members) }
        members[name] = Base64URL.text([UInt8](repeating: 1, count: 33))
        #expect(throws: WebKeyProblem("its `\(name)` is not a number of such a key")) { try key(members) }
    }
}

extension PrivateKey {
    /// A number of the key, padded to a number of bytes unless that is zero.
    fileprivate func exported(_ name: String, bytes count: Int) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return nil }
        defer { BN_clear_free(number) }
        let size = count > 0 ? count : Int(BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: size)
        return BN_bn2binpad(number, &bytes, Int32(size)) == Int32(size) ? bytes : nil
    }
}
