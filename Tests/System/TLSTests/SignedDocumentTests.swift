// Reading messages that were signed by others, with the usual commands.

import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct SignedDocumentTests {
    private let folder: TemporaryFolder
    private static let document = Array("{\"applinks\":{}}".utf8)

    init() throws {
        let authority = try TestAuthority.shared
        folder = try TemporaryFolder(permissions: 0o600)
        try authority.install(try authority.issue(["a.example"]), ".", in: folder)
        try folder.write("plain", Self.document)
        try folder.write("chain.pem", authority.intermediate)
    }

    @Test(arguments: [
        ["smime", "-sign", "-nodetach"], ["smime", "-sign", "-nodetach", "-noattr", "-binary", "-stream"],
        ["cms", "-sign", "-nodetach", "-binary", "-md", "sha256"], ["cms", "-sign", "-nodetach", "-keyid"],
    ])
    func `finds the document in a message of openssl`(recipe: [String]) throws {
        let files = ["-in", "plain", "-out", "signed", "-signer", "fullchain.pem", "-inkey", "privkey.pem"]
        try OpenSSLCommand.run(recipe + files + ["-outform", "DER", "-certfile", "chain.pem"], in: folder)
        let message = try #require(SignedDocument(der: try folder.bytes("signed")))
        #expect(message.content == Self.document)
        #expect(message.isIntact)
        #expect(message.signers.map(\.names) == [["a.example"]])
    }

    @Test func `detects a document that was changed after signing`() throws {
        var signed = try MessageSigner.sign(Self.document, with: try folder.identity())
        let place = try #require(signed.indices.first { signed[$0...].starts(with: Self.document) })
        signed[place + 2] ^= 1
        let message = try #require(SignedDocument(der: signed))
        #expect(!message.isIntact)
        #expect(message.content != Self.document)
    }

    @Test func `a detached signature has no document`() throws {
        try OpenSSLCommand.run(
            "cms", "-sign", "-in", "plain", "-out", "signed", "-outform", "DER", "-signer", "fullchain.pem", "-inkey",
            "privkey.pem", in: folder)
        #expect(SignedDocument.content(of: try folder.bytes("signed")) == nil)
    }

    @Test func `returns nil for anything else and never traps`() throws {
        #expect(SignedDocument.content(of: []) == nil)
        #expect(SignedDocument.content(of: Self.document) == nil)
        let signed = try MessageSigner.sign(Self.document, with: try folder.identity())
        for count in 0..<signed.count { #expect(SignedDocument.content(of: Array(signed[..<count])) == nil) }
        for index in signed.indices {
            var changed = signed
            changed[index] ^= 0xFF
            _ = SignedDocument(der: changed)
        }
        #expect(OpenSSLFailure.drain().reasons.isEmpty)
    }
}
