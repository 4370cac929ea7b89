// Certificate chains from authorities.

import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct IssuedChainTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `reads each certificate`() throws {
        let authority = try TestAuthority.shared
        let pair = try authority.issue(["shop.example", "*.news.example"])
        let noise = "Subject: a certificate\r\n\(pair.key)\n"
        let chain = try IssuedChain(pem: Self.bytes(noise + pair.certificate + authority.intermediate))
        #expect(chain.certificates.count == 2)
        #expect(chain.facts.names == ["shop.example", "*.news.example"])
        #expect(chain.facts.notBefore < chain.facts.notAfter)
        #expect(chain.certificates[1].issuer == "CN=Test Root")
        #expect(chain.pem.hasPrefix("-----BEGIN CERTIFICATE-----\n") && !chain.pem.contains("PRIVATE"))
        #expect(try IssuedChain(pem: Self.bytes(chain.pem)) == chain)
        #expect(Digest.sha256(chain.leaf) == chain.facts.fingerprint)
        let key = try SigningKey(reading: Self.bytes(pair.key))
        #expect(chain.isFor(key))
        #expect(try !chain.isFor(SigningKey(.p256)))
    }

    @Test func `compares hosts and the last issuer`() throws {
        let authority = try TestAuthority.shared
        let pair = try authority.issue(["shop.example", "*.news.example"])
        let chain = try IssuedChain(pem: Self.bytes(pair.certificate + authority.intermediate))
        for host in ["shop.example", "*.news.example", "a.news.example"] { #expect(chain.covers(host)) }
        for host in ["news.example", "a.b.news.example", "*.shop.example", ""] { #expect(!chain.covers(host)) }
        #expect(chain.endsAt(issuer: "Test Root") && chain.endsAt(issuer: "CN=Test Root"))
        #expect(
            !chain.endsAt(issuer: "Test") && !chain.endsAt(issuer: "Test Intermediate") && !chain.endsAt(issuer: ""))
    }

    /// With the key identifier and serial number of RFC 9773 §4.1.
    @Test func `computes the renewal ID`() throws {
        let folder = try TemporaryFolder(permissions: 0o600)
        let new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        let identifier = "subjectKeyIdentifier=69885B6B87464041E1B37B847BA0AE2CDE01C8D4"
        let commands = [
            ["req", "-x509", "-subj", "/CN=Root", "-keyout", "root.key", "-out", "root.pem", "-addext", identifier]
                + new,
            ["req", "-subj", "/CN=a", "-keyout", "leaf.key", "-out", "leaf.csr"] + Array(new.dropLast(2)),
            [
                "x509", "-req", "-in", "leaf.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "0x87654321",
                "-extfile", try folder.write("extensions", "authorityKeyIdentifier=keyid:always\n"), "-out", "leaf.pem",
            ],
        ]
        for command in commands {
            let result = try OpenSSLCommand.attempt(command, in: folder)
            #expect(result.status == 0, "\(result.text)")
        }
        #expect(try IssuedChain(pem: folder.bytes("leaf.pem")).renewalID == "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE")
        // Without an authority key identifier.
        let root = try OpenSSLCommand.run(
            "req", "-x509", "-subj", "/CN=Root", "-key", "root.key", "-config", "/dev/null", "-addext",
            "basicConstraints=CA:TRUE", in: folder)
        #expect(try IssuedChain(pem: root.output).renewalID == nil)
    }

    @Test func `refuses other bytes`() throws {
        let authority = try TestAuthority.shared
        let one = authority.intermediate
        #expect(throws: TLSError.self) { try IssuedChain(pem: []) }
        #expect(throws: TLSError.self) { try IssuedChain(pem: Self.bytes(String(one.prefix(300)))) }
        #expect(throws: TLSError.self) { try IssuedChain(pem: Self.bytes(String(repeating: one, count: 17))) }
        #expect(try IssuedChain(pem: Self.bytes(String(repeating: one, count: 16))).certificates.count == 16)
        let long = one + String(repeating: "\n", count: 256 * 1024)
        #expect(throws: TLSError.self) { try IssuedChain(pem: Self.bytes(long)) }
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(throws: TLSError.self) { try IssuedChain(pem: Self.bytes(one + broken)) }
    }
}
