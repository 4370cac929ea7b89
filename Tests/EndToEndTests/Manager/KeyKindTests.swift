// Certificates for two kinds of key from a test authority, as clients see them.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: AuthorityLab.isInstalled, AuthorityLab.absence))
struct KeyKindTests {
    @Test func `a client gets the certificate for the signatures that it knows`() throws {
        let lab = try AuthorityLab(hosts: ["a.example"], "key: ['p256', 'rsa2048'],")
        try lab.expect("1 issued")
        for (algorithm, key) in [("RSA-PSS+SHA256", "rsaEncryption"), ("ECDSA+SHA256", "id-ecPublicKey")] {
            #expect(try eventually { try certificate(lab, algorithm).contains("Public Key Algorithm: \(key)\n") })
        }
        // A client that knows both gets the shorter one.
        let usual = try certificate(lab, "ECDSA+SHA256:RSA-PSS+SHA256")
        #expect(usual.contains("id-ecPublicKey") && usual.contains("DNS:a.example"), "\(usual)")
    }

    private func certificate(_ lab: AuthorityLab, _ algorithms: String) throws -> String {
        let place = try #require(lab.server.addresses.first { $0.hasPrefix("https://") }).dropFirst("https://".count)
        let script = """
            openssl s_client -connect \(place) -servername a.example -sigalgs \(algorithms) </dev/null 2>/dev/null \
            | openssl x509 -noout -text
            """
        let run = try Subject.run(URL(fileURLWithPath: "/bin/bash"), ["-c", script])
        return run.output + run.errors
    }
}
