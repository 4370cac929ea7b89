// Reading pairs of files as users have them: from the openssl command, in and out of order, valid and broken.

import Foundation
import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct CredentialsTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority

    init() throws {
        folder = try TemporaryFolder(permissions: 0o600)
        authority = try TestAuthority.shared
    }

    @discardableResult
    private func load(_ certificate: String, _ key: String) throws -> ServerIdentity {
        try folder.write("fullchain.pem", certificate)
        try folder.write("privkey.pem", key)
        return try folder.identity()
    }

    @Test(arguments: [TestAuthority.Key.ecdsa, .rsa, .ed25519])
    func `reads a certificate, its chain and its key`(key: TestAuthority.Key) throws {
        let pair = try authority.issue(["shop.example.com", "*.Shop.example.com"], key: key)
        let identity = try load(pair.certificate + authority.intermediate, pair.key)
        #expect(identity.problems.isEmpty)
        #expect(identity.chain?.count == 1)
        let facts = identity.facts
        #expect(facts.names == ["shop.example.com", "*.shop.example.com"])
        #expect(facts.subject == "CN=shop.example.com,O=Test")
        #expect(facts.issuer == "CN=Test Intermediate")
        #expect(facts.notAfter - facts.notBefore == 90 * 86_400)
        #expect(!facts.isSelfSigned)
    }

    @Test func `a long name is cut off`() throws {
        let name = String(repeating: "é", count: 10_000)
        let pair = try authority.issueSelfSigned(["a.example"], subject: "/description=\(name)")
        let facts = try load(pair.certificate, pair.key).facts
        #expect(facts.subject == "description=" + String(name.prefix(122)) + "…")
    }

    /// An element of DER.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        return [tag] + (count < 0x80 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]) + content
    }

    /// The numbers of an RSA key in order (RFC 8017 A.1.2), each larger than the key's size allows.
    @Test(arguments: [
        (2, "e"), (3, "d"), (4, "rsa-factor1"), (5, "rsa-factor2"), (6, "rsa-exponent1"), (8, "rsa-coefficient1"),
    ])
    func `refuses a key whose numbers make handshakes slow`(index: Int, name: String) throws {
        let pair = try authority.issue(["a.example"], key: .rsa)
        try folder.write("rsa.pem", pair.key)
        _ = try OpenSSLCommand.run(
            "rsa", "-in", "rsa.pem", "-traditional", "-outform", "DER", "-out", "rsa.der", in: folder)
        var numbers = CredentialsTests.numbers(try folder.bytes("rsa.der"))
        #expect(numbers.count == 9)
        // A multiple of the right number would work too.
        numbers[index] = [0x01] + [UInt8](repeating: 0xA5, count: 5_000)
        let error = #expect(throws: CertificateProblem.self) { try load(pair.certificate, Self.pem(numbers)) }
        #expect(error?.kind == .malformedKey)
        #expect(error?.message.contains("`\(name)`") == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func `refuses a key without its prime numbers, which signs nothing`() throws {
        let pair = try authority.issue(["a.example"], key: .rsa)
        try folder.write("rsa.pem", pair.key)
        _ = try OpenSSLCommand.run(
            "rsa", "-in", "rsa.pem", "-traditional", "-outform", "DER", "-out", "rsa.der", in: folder)
        var numbers = CredentialsTests.numbers(try folder.bytes("rsa.der"))
        try load(pair.certificate, Self.pem(numbers))
        for index in 4...8 { numbers[index] = [0] }
        let error = #expect(throws: CertificateProblem.self) { try load(pair.certificate, Self.pem(numbers)) }
        #expect(error?.kind == .malformedKey)
        #expect(error?.message.contains("makes no signatures that fit its certificate") == true)
    }

    /// An RSA key of these numbers.
    private static func pem(_ numbers: [[UInt8]]) -> String {
        let key = element(0x30, numbers.flatMap { element(2, $0) })
        let text = Data(key).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN RSA PRIVATE KEY-----\n\(text)\n-----END RSA PRIVATE KEY-----\n"
    }

    /// The bytes of each number of a sequence with lengths of one or two bytes.
    private static func numbers(_ der: [UInt8]) -> [[UInt8]] {
        var place = 0
        func length() -> Int {
            place += 2
            let first = Int(der[place - 1])
            guard first >= 0x80 else { return first }
            defer { place += first - 0x80 }
            return der[place..<place + first - 0x80].reduce(0) { $0 << 8 | Int($1) }
        }
        _ = length()
        var numbers: [[UInt8]] = []
        while place < der.count {
            let count = length()
            numbers.append(Array(der[place..<place + count]))
            place += count
        }
        return numbers
    }

    @Test(arguments: ["ed448", "x25519"])
    func `does not decode a key of an unsupported type`(algorithm: String) throws {
        let pair = try authority.issue(["a.example"])
        for form in ["PEM", "DER"] {
            try OpenSSLCommand.run(
                "genpkey", "-algorithm", algorithm, "-outform", form, "-out", "privkey.pem", in: folder)
            try folder.write("fullchain.pem", pair.certificate)
            let error = #expect(throws: CertificateProblem.self) { try folder.identity() }
            // If it were decoded, it would be the key of another certificate.
            #expect(error?.kind == .malformedKey)
        }
    }

    @Test func `fingerprint and dates equal those of the openssl command`() throws {
        let pair = try authority.issue(["a.example"])
        let facts = try load(pair.certificate, pair.key).facts
        let said = try OpenSSLCommand.run(
            "x509", "-noout", "-fingerprint", "-sha256", "-in", "fullchain.pem", in: folder)
        let fingerprint = facts.fingerprint.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        #expect(said.text.hasSuffix("=\(fingerprint.joined(separator: ":"))\n"))
        let epoch = try OpenSSLCommand.run("x509", "-noout", "-checkend", "7775900", "-in", "fullchain.pem", in: folder)
        #expect(epoch.status == 0)
    }

    @Test(arguments: [
        ["pkey", "-in", "privkey.pem", "-out", "other.pem", "-traditional"],
        ["pkey", "-in", "privkey.pem", "-out", "other.pem", "-outform", "DER"],
        ["pkcs8", "-in", "privkey.pem", "-out", "other.pem", "-topk8", "-nocrypt"],
    ])
    func `reads every form of a key`(conversion: [String]) throws {
        for key in [TestAuthority.Key.ecdsa, .rsa] {
            let pair = try authority.issue(["a.example"], key: key)
            try load(pair.certificate, pair.key)
            try OpenSSLCommand.run(conversion, in: folder)
            #expect(throws: Never.self) { try folder.identity("fullchain.pem", "other.pem") }
        }
    }

    @Test func `reads as many certificates as a chain may have, and refuses more`() throws {
        let pair = try authority.issue(["a.example"])
        let longest = Array(repeating: pair.certificate, count: CertificateLimits.chainCertificatesMax).joined()
        #expect(throws: Never.self) { try load(longest, pair.key) }
        let problem = #expect(throws: CertificateProblem.self) { try load(longest + pair.certificate, pair.key) }
        #expect(problem?.kind == .malformedCertificate)
    }

    @Test func `reads a key after its curve's parameters, as ecparam writes it`() throws {
        try OpenSSLCommand.run("ecparam", "-name", "prime256v1", "-genkey", "-out", "ec.key", in: folder)
        try OpenSSLCommand.run(
            "req", "-x509", "-key", "ec.key", "-subj", "/CN=a", "-out", "ec.pem", "-days", "9", in: folder)
        #expect(throws: Never.self) { try folder.identity("ec.pem", "ec.key") }
    }

    @Test func `reads a certificate in DER`() throws {
        let pair = try authority.issue(["a.example"])
        try load(pair.certificate, pair.key)
        try OpenSSLCommand.run("x509", "-in", "fullchain.pem", "-outform", "DER", "-out", "der", in: folder)
        #expect(try folder.identity("der").facts.names == ["a.example"])
    }

    /// All forms that OpenSSL writes, and an encrypted key after a block of another kind.
    @Test(arguments: [
        ["pkey", "-aes256"], ["pkey", "-aes256", "-traditional"], ["pkcs8", "-topk8", "-scrypt"],
        ["pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES"], ["pkcs8", "-topk8", "-outform", "DER"],
    ])
    func `refuses an encrypted key and says how to decrypt it`(command: [String]) throws {
        let pair = try authority.issue(["a.example"])
        let locked = try OpenSSLCommand.run(
            command + ["-passout", "pass:word"], input: Array(pair.key.utf8), in: authority.folder
        ).output
        try folder.write("fullchain.pem", pair.certificate)
        let others = command.contains("DER") ? [[]] : [[], Array(authority.intermediate.utf8)]
        for other in others {
            try folder.write("privkey.pem", other + locked)
            let problem = #expect(throws: CertificateProblem.self) { try folder.identity() }
            #expect(problem?.kind == .encryptedKey)
            #expect(problem?.fix.contains("openssl pkey -in \(folder.path)/privkey.pem -out NEW") == true)
        }
    }

    @Test func `sends a chain in order, whatever the order in the file is`() throws {
        let pair = try authority.issue(["a.example"])
        let identity = try load(authority.root + authority.intermediate + pair.certificate, pair.key)
        #expect(identity.facts.names == ["a.example"])
        #expect(identity.chain?.count == 2)
        #expect(identity.chain?.isInOrder == true)
        #expect(identity.chain?.certificate(0).subject == "CN=Test Intermediate")
        #expect(Set(identity.problems.map(\.kind)) == [.chainOrder])
    }

    @Test func `leaves out a certificate that is not part of the chain`() throws {
        let (pair, other) = (try authority.issue(["a.example"]), try authority.issue(["b.example"]))
        let identity = try load(pair.certificate + other.certificate + authority.intermediate, pair.key)
        #expect(identity.chain?.count == 1)
        #expect(identity.problems.map(\.kind).contains(.strayCertificate))
    }

    @Test func `reports a key that does not belong to the certificate`() throws {
        let (pair, other) = (try authority.issue(["a.example"]), try authority.issue(["a.example"]))
        let problem = #expect(throws: CertificateProblem.self) { try load(pair.certificate, other.key) }
        #expect(problem?.kind == .keyMismatch)
        #expect(problem?.file == folder.path + "/privkey.pem")
    }

    @Test func `reports a file without a certificate or a key`() throws {
        let pair = try authority.issue(["a.example"])
        for text in ["", "hello", "-----BEGIN X-----\nAAAA\n-----END X-----\n", "-----BEGIN X-----\nMIIB"] {
            let texts = ["CERTIFICATE", "PRIVATE KEY"].map { text.replacing("X", with: $0) }
            let first = #expect(throws: CertificateProblem.self) { try load(texts[0], pair.key) }
            #expect(first?.kind == .malformedCertificate)
            let second = #expect(throws: CertificateProblem.self) { try load(pair.certificate, texts[1]) }
            #expect(second?.kind == .malformedKey)
        }
    }

    @Test func `reports a truncated file`() throws {
        let pair = try authority.issue(["a.example"])
        let (certificate, key) = (Array(pair.certificate.utf8), Array(pair.key.utf8))
        let endLineBytes = "-----END CERTIFICATE-----\n".utf8.count
        let firstEnd = try #require(certificate.firstRange(of: Array("-----END".utf8))).lowerBound
        for count in stride(from: 0, to: firstEnd, by: 23) {
            #expect(throws: CertificateProblem.self) {
                try load(String(decoding: certificate[..<count], as: UTF8.self), pair.key)
            }
        }
        for count in stride(from: 0, to: key.count - endLineBytes, by: 3) {
            #expect(throws: CertificateProblem.self) {
                try load(pair.certificate, String(decoding: key[..<count], as: UTF8.self))
            }
        }
    }

    @Test func `reports a file that cannot be read`() throws {
        let problem = #expect(throws: CertificateProblem.self) { try folder.identity() }
        #expect(problem?.kind == .unreadableFile)
        #expect(problem?.message == "the certificate cannot be read: no such file or directory")
    }

    @Test func `leaves OpenSSL's error queue empty after a failure`() throws {
        let pair = try authority.issue(["a.example"])
        _ = try? load("hello", "hello")
        _ = try? load(pair.certificate, "hello")
        #expect(OpenSSLFailure.drain().reasons.isEmpty)
    }
}
