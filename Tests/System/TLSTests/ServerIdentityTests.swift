// What a client gets of an identity.

import COpenSSL
import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct ServerIdentityTests {
    /// One whose certificate is for a name.
    private func identity(_ name: String, _ key: TestAuthority.Key = .ecdsa) throws -> ServerIdentity {
        let (folder, authority) = (try TemporaryFolder(permissions: 0o600), try TestAuthority.shared)
        try authority.install(try authority.issue([name], key: key), ".", in: folder)
        return try folder.identity()
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `sends its certificate and chain`(version: Int32) throws {
        let handshake = TestHandshake(TestServer(nil), try identity("a.example"), version: version)
        #expect(handshake.isComplete, "\(handshake.failure)")
        #expect(handshake.names == ["a.example"])
        #expect(handshake.certificateCount == 2)
    }

    @Test(arguments: [
        (TestAuthority.Key.ecdsa, "ECDSA+SHA256", true), (.rsa, "RSA-PSS+SHA256", true),
        (.ecdsa, "RSA-PSS+SHA256", false),
    ])
    func `serves a client that knows its kind of signature`(
        key: TestAuthority.Key, signatures: String, isComplete: Bool
    ) throws {
        let handshake = TestHandshake(TestServer(nil), try identity("a.example", key), signatures: signatures)
        #expect(handshake.isComplete == isComplete, "\(handshake.failure)")
    }

    @Test func `replaces one identity by another on the same context`() throws {
        let identities = [try identity("a.example"), try identity("b.example")]
        let server = TestServer(nil)
        for index in [0, 1, 0] {
            #expect(TestHandshake(server, identities[index]).names == [["a.example"], ["b.example"]][index])
        }
    }
}
