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
        ("ECDSA+SHA256", ["ecdsa.example"]), ("RSA-PSS+SHA256", ["rsa.example"]),
        ("ECDSA+SHA256:RSA-PSS+SHA256", ["ecdsa.example"]),
    ])
    func `sends each client a certificate that it supports`(signatures: String, names: [String]) throws {
        try bench.install("a.example", names: ["ecdsa.example"])
        try bench.install("a.example", names: ["rsa.example"], key: .rsa, suffix: ".rsa")
        let handshake = TestHandshake(TestServer(nil), try bench.identity("a.example"), signatures: signatures)
        #expect(handshake.isComplete, "\(handshake.failure)")
        #expect(handshake.names == names)
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
