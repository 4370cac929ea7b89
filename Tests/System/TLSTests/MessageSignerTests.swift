// Signed messages, verified by the two openssl commands that users verify them with.

import Foundation
import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct MessageSignerTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority

    /// Line ends and other bytes that a mail program would change.
    static let document = Array("{\"applinks\":{\"details\":[]}}\n\r\n.\nFrom é\0".utf8)

    init() throws { (folder, authority) = (try TemporaryFolder(permissions: 0o600), try TestAuthority.shared) }

    private func identity(_ key: TestAuthority.Key) throws -> ServerIdentity {
        try authority.install(try authority.issue(["a.example"], key: key), ".", in: folder)
        return try folder.identity()
    }

    @Test(arguments: [TestAuthority.Key.rsa, .ecdsa], ["smime", "cms"])
    func `openssl verifies the message and returns the exact document`(key: TestAuthority.Key, command: String) throws {
        try folder.write("root.pem", authority.root)
        try folder.write("signed", try MessageSigner.sign(Self.document, with: try identity(key)))
        let verified = try OpenSSLCommand.run(
            command, "-verify", "-binary", "-inform", "DER", "-in", "signed", "-CAfile", "root.pem", "-purpose",
            "sslserver", in: folder)
        #expect(verified.output == Self.document)
    }

    @Test func `reads the signers and their keys`() throws {
        try folder.write("signed", try MessageSigner.sign(Self.document, with: try identity(.rsa)))
        let text = try OpenSSLCommand.run(
            "cms", "-cmsout", "-print", "-noout", "-inform", "DER", "-in", "signed", in: folder
        ).text
        #expect(text.contains("algorithm: sha256"))
        #expect(!text.contains("sha1"))
        #expect(text.contains("signedAttrs:\n          <ABSENT>"))
        #expect(text.components(separatedBy: "d.certificate:").count == 3)
    }

    @Test func `signs the same document with the same bytes with RSA`() throws {
        let identity = try identity(.rsa)
        #expect(
            try MessageSigner.sign(Self.document, with: identity) == MessageSigner.sign(Self.document, with: identity))
    }

    @Test func `signs an empty document`() throws {
        let signed = try MessageSigner.sign([], with: try identity(.ecdsa))
        #expect(SignedDocument.content(of: signed) == [])
    }

    @Test func `reports keys that cannot sign`() throws {
        let identity = try identity(.ed25519)
        let error = #expect(throws: TLSError.self) { try MessageSigner.sign(Self.document, with: identity) }
        #expect(error?.description.contains("its key is Ed25519; use a certificate for RSA or ECDSA") == true)
    }
}
