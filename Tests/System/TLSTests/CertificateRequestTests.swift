// Signing requests, checked with the openssl command.

import TLS
import TestSupport
import Testing

@testable import TLSSupport

struct CertificateRequestTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(permissions: 0o600) }

    @Test(arguments: SigningKey.Kind.allCases)
    func `contains the hosts and nothing else`(kind: SigningKey.Kind) throws {
        let key = try SigningKey(kind)
        let hosts = ["shop.example", "*.shop.example", "xn--bcher-kva.example"]
        try folder.write("request.der", CertificateRequest.der(for: hosts, key: key))
        let text = try OpenSSLCommand.run(
            "req", "-inform", "DER", "-in", "request.der", "-verify", "-noout", "-text", "-nameopt", "RFC2253",
            in: folder
        ).text
        #expect(text.contains("DNS:shop.example, DNS:*.shop.example, DNS:xn--bcher-kva.example\n"))
        #expect(text.contains("Subject: \n"))
        #expect(text.ranges(of: "X509v3 ").count == 1)
        try folder.write("key.pem", key.pem)
        let ours = try OpenSSLCommand.run("pkey", "-in", "key.pem", "-pubout", in: folder).text
        let theirs = try OpenSSLCommand.run(
            "req", "-inform", "DER", "-in", "request.der", "-noout", "-pubkey", in: folder)
        #expect(theirs.text == ours)
    }

    @Test(arguments: [
        [], [""], ["Shop.example"], ["a.example,DNS:b.example"], ["a.example\n"], ["*.*.example"], ["*"],
        ["a..example"], ["é.example"],
        ["a*.example"], Array(repeating: "a.example", count: 101),
    ])
    func `refuses invalid host lists`(hosts: [String]) throws {
        let key = try SigningKey(.p256)
        #expect(throws: TLSError.self) { try CertificateRequest.der(for: hosts, key: key) }
    }

    @Test func `accepts the maximum number of hosts`() throws {
        let hosts = (1...CertificateRequest.hostsMax).map { "h\($0).example" }
        #expect(try CertificateRequest.der(for: hosts, key: SigningKey(.p256)).count > 1000)
    }
}
