// What a client gets of an identity.

import COpenSSL
import TestSupport
import Testing

@testable import TLS

struct ServerIdentityTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `sends its certificate and chain`(version: Int32) throws {
        try bench.install("a.example", names: ["a.example"])
        let handshake = TestHandshake(TestServer(nil), try bench.identity("a.example"), version: version)
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
        try bench.install("a.example", names: ["a.example"], key: key)
        let handshake = TestHandshake(TestServer(nil), try bench.identity("a.example"), signatures: signatures)
        #expect(handshake.isComplete == isComplete, "\(handshake.failure)")
    }

    @Test func `replaces one identity by another on the same context`() throws {
        try bench.install("a.example", names: ["a.example"])
        try bench.install("b.example", names: ["b.example"])
        let server = TestServer(nil)
        for host in ["a.example", "b.example", "a.example"] {
            #expect(TestHandshake(server, try bench.identity(host)).names == [host])
        }
    }
}
