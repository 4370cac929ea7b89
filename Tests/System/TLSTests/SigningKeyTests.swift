// Generated keys and signatures, checked with the openssl command and with RFC 7515 Appendix A.3.

import COpenSSL
import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct SigningKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(permissions: 0o600) }

    @Test(arguments: [(SigningKey.Kind.p256, "NIST CURVE: P-256"), (.rsa2048, "Private-Key: (2048 bit")])
    func `generates keys that openssl can read`(kind: SigningKey.Kind, words: String) throws {
        let key = try SigningKey(kind)
        try folder.write("key.pem", key.pem)
        #expect(try OpenSSLCommand.run("pkey", "-in", "key.pem", "-noout", "-text", in: folder).text.contains(words))
        let again = try SigningKey(reading: key.pem)
        #expect(again.publicNumbers == key.publicNumbers && again.pem == key.pem)
        #expect(try SigningKey(kind).publicNumbers != key.publicNumbers)
    }

    @Test(arguments: SigningKey.Kind.allCases)
    func `makes signatures that openssl verifies`(kind: SigningKey.Kind) throws {
        let key = try SigningKey(kind)
        try folder.write("key.pem", key.pem)
        try OpenSSLCommand.run("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem", in: folder)
        // About one in 128 signatures has a number with a leading zero.
        for number in 0..<(kind == .p256 ? 300 : 1) {
            let message = Array("message \(number)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == (kind == .p256 ? 64 : 256))
            #expect(Signatures.isValid(signature, of: message, by: key))
            #expect(!Signatures.isValid(signature, of: message + [0], by: key))
            guard number == 0 else { continue }
            try folder.write("signature", kind == .p256 ? Signatures.der(of: signature) : signature)
            try OpenSSLCommand.run(
                "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", input: message, in: folder)
        }
    }

    @Test func `reads a key on P-384 and signs with SHA-384`() throws {
        try OpenSSLCommand.run(
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", "key.pem", in: folder)
        try OpenSSLCommand.run("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem", in: folder)
        let key = try SigningKey(reading: folder.bytes("key.pem"))
        #expect(key.kindName == "p384" && key.isConsistent)
        let message = Array("message".utf8)
        let signature = try key.sign(message)
        #expect(signature.count == 96)
        #expect(Signatures.isValid(signature, of: message, by: key))
        try folder.write("signature", Signatures.der(of: signature))
        try OpenSSLCommand.run(
            "dgst", "-sha384", "-verify", "public.pem", "-signature", "signature", input: message, in: folder)
    }

    @Test(arguments: [(SigningKey.Kind.p256, "p256"), (.rsa2048, "rsa2048")])
    func `names the kind of a generated key, which is consistent`(kind: SigningKey.Kind, name: String) throws {
        let key = try SigningKey(kind)
        #expect(key.kindName == name && key.isConsistent)
    }

    @Test func `notices a public key that does not belong to the private one`() throws {
        let (one, other) = (try SigningKey(.p256), try SigningKey(.p256))
        guard case .p256(let x, let y) = one.publicNumbers, case .p256(let otherX, let otherY) = other.publicNumbers
        else {
            Issue.record("a key on P-256 has two numbers")
            return
        }
        try folder.write("one.pem", one.pem)
        var der = try OpenSSLCommand.run("pkey", "-in", "one.pem", "-outform", "DER", in: folder).output
        let place = try #require(der.firstRange(of: x + y))
        der.replaceSubrange(place, with: otherX + otherY)
        let mixed = try SigningKey(reading: der)
        #expect(mixed.publicNumbers == other.publicNumbers && !mixed.isConsistent)
    }

    /// RFC 7515 Appendix A.3.
    @Test func `reads the published key and verifies the published signature`() throws {
        let (x, y, d) = (
            "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
        )
        let numbers = try [x, y, d].map { try #require(Base64URL.bytes($0)) }
        // RFC 5915 §3: version, private key, name of the curve, public key.
        let curve: [UInt8] = [0xA0, 0x0A, 6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
        let point: [UInt8] = [0xA1, 0x44, 3, 0x42, 0, 4] + numbers[0] + numbers[1]
        let key = try SigningKey(reading: [0x30, 0x77, 2, 1, 1, 4, 32] + numbers[2] + curve + point)
        #expect(key.publicNumbers == .p256(x: numbers[0], y: numbers[1]))
        let message =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
            + "Ijp0cnVlfQ"
        let published = try #require(
            Base64URL.bytes("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
        #expect(Signatures.isValid(published, of: Array(message.utf8), by: key))
        #expect(Signatures.isValid(try key.sign(Array(message.utf8)), of: Array(message.utf8), by: key))
    }

    @Test func `refuses other keys`() throws {
        #expect(throws: TLSError.self) { try SigningKey(reading: []) }
        #expect(throws: TLSError.self) { try SigningKey(reading: [UInt8](repeating: 65, count: 40_000)) }
        for arguments in [["rsa:1024"], ["ed25519"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"]] {
            let command = ["req", "-x509", "-nodes", "-keyout", "other.pem", "-subj", "/CN=a", "-newkey"] + arguments
            #expect(try OpenSSLCommand.attempt(command, in: folder).status == 0)
            #expect(throws: TLSError.self) { try SigningKey(reading: folder.bytes("other.pem")) }
        }
        try OpenSSLCommand.run(
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes256", "-pass", "pass:a", "-out",
            "locked.pem", in: folder)
        #expect(throws: TLSError.self) { try SigningKey(reading: folder.bytes("locked.pem")) }
    }
}

/// Verifies signatures with OpenSSL, which needs DER for P-256.
enum Signatures {
    static func isValid(_ signature: [UInt8], of message: [UInt8], by key: SigningKey) -> Bool {
        defer { OpenSSLFailure.forget() }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = signature
        var method = EVP_sha256()
        switch key.publicNumbers {
        case .p256: signature = der(of: signature)
        case .p384: (signature, method) = (der(of: signature), EVP_sha384())
        case .rsa: break
        }
        return EVP_DigestVerifyInit(context, nil, method, nil, key.key.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    static func der(of raw: [UInt8]) -> [UInt8] {
        let signature = ECDSA_SIG_new()
        defer { ECDSA_SIG_free(signature) }
        let half = raw.count / 2
        let (first, second) = (Array(raw[..<half]), Array(raw[half...]))
        guard raw.count == 64 || raw.count == 96,
            ECDSA_SIG_set0(
                signature, BN_bin2bn(first, Int32(half), nil), BN_bin2bn(second, Int32(second.count), nil)) == 1
        else { return [] }
        var der = [UInt8](repeating: 0, count: Int(i2d_ECDSA_SIG(signature, nil)))
        der.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            _ = i2d_ECDSA_SIG(signature, &end)
        }
        return der
    }
}
