// What is found in the folders of other ACME clients, and what is refused.

import ACME
import Foundation
import Posix
import TLS
import TestSupport
import Testing

@testable import Issuance

struct ClientArchiveTests {
    private let folder: TemporaryFolder
    private let authority: TestCertificates
    private let key: SigningKey
    private let directory: AuthorityURL

    /// RFC 7515 Appendix A.3.
    static let webKey = """
        {"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
         "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
        """

    init() throws {
        folder = try TemporaryFolder()
        authority = try TestCertificates()
        key = try SigningKey(.p256)
        directory = try #require(AuthorityURL("https://ca.example:14000/acme/directory"))
    }

    private func read() throws(ClientArchive.Problem) -> ClientArchive {
        try ClientArchive(reading: folder.path, now: Clock.wallSeconds())
    }

    /// Where a client puts an account, a certificate and its key.
    struct Layout: Sendable, CustomTestStringConvertible {
        var client: String?
        var account: String?
        var certificate: String
        var key: String
        /// Of the account, as the folders name it.
        var authority = ""

        var testDescription: String { client ?? "folders of hosts" }
    }

    private static let encodedURL = Base64URL.text(Array("https://ca.example:14000/acme/directory\n".utf8))

    static let layouts = [
        Layout(
            client: "certbot", account: "accounts/ca.example:14000/acme/directory/0123/private_key.json",
            certificate: "live/shop.example/fullchain.pem", key: "live/shop.example/privkey.pem",
            authority: "ca.example:14000/acme/directory"),
        Layout(
            client: "lego", account: "accounts/ca.example_14000/me@shop.example/keys/me@shop.example.key",
            certificate: "certificates/shop.example.crt", key: "certificates/shop.example.key",
            authority: "ca.example_14000"),
        // Version 5.
        Layout(
            client: "lego", account: "accounts/ca.example_14000/me@shop.example/me@shop.example.key",
            certificate: "certificates/shop.example.crt", key: "certificates/shop.example.key",
            authority: "ca.example_14000"),
        Layout(
            client: "acme.sh", account: "ca/ca.example/acme/directory/account.key",
            certificate: "shop.example_ecc/fullchain.cer", key: "shop.example_ecc/shop.example.key",
            authority: "ca.example/acme/directory"),
        Layout(
            client: "acme.sh", account: "ca/ca.example/account.key", certificate: "shop.example/fullchain.cer",
            key: "shop.example/shop.example.key", authority: "ca.example"),
        Layout(
            client: "dehydrated", account: "accounts/\(encodedURL)/account_key.pem",
            certificate: "certs/shop.example/fullchain.pem", key: "certs/shop.example/privkey.pem",
            authority: "ca.example:14000/acme/directory"),
        Layout(
            client: "Caddy", account: "acme/ca.example-14000-acme-directory/users/default/default.key",
            certificate: "certificates/ca.example-14000-acme-directory/shop.example/shop.example.crt",
            key: "certificates/ca.example-14000-acme-directory/shop.example/shop.example.key",
            authority: "ca.example-14000-acme-directory"),
        Layout(certificate: "shop.example/fullchain.pem", key: "shop.example/privkey.pem"),
    ]

    @Test(arguments: layouts) func `finds the account and the certificate of each client`(layout: Layout) throws {
        let account = try SigningKey(.p256)
        if let file = layout.account {
            if file.hasSuffix(".json") {
                try folder.write(file, Self.webKey)
            } else {
                try folder.write(file, account.pem)
            }
        }
        try folder.write(layout.certificate, try authority.chain(["shop.example"], key))
        try folder.write(layout.key, key.pem)
        // Other files that clients leave there.
        try folder.write("certificates/shop.example.issuer.crt", authority.intermediate)
        try folder.write("renewal/shop.example.conf", "version = 2.9.0")

        let archive = try read()
        #expect(archive.client == layout.client && archive.omissions == [])
        #expect(archive.certificates.map(\.file) == ["\(folder.path)/\(layout.certificate)"])
        #expect(archive.certificates.map(\.chain.facts.names) == [["shop.example"]])
        #expect(archive.certificates.map(\.key.pem) == [key.pem])
        guard let file = layout.account else {
            #expect(archive.accounts.isEmpty)
            return
        }
        #expect(archive.accounts.map(\.file) == ["\(folder.path)/\(file)"])
        #expect(archive.accounts.map(\.authority) == [layout.authority])
        #expect(archive.accounts(at: directory).count == 1)
        let other = try #require(AuthorityURL("https://staging.ca.example/acme/directory"))
        #expect(archive.accounts(at: other).isEmpty)
        if !file.hasSuffix(".json") {
            #expect(archive.accounts.map(\.key.thumbprint) == [AccountKey(account).thumbprint])
        }
    }

    @Test func `counts an account key once for an authority`() throws {
        let pems = [try SigningKey(.p256).pem, key.pem, key.pem]
        for (number, pem) in pems.enumerated() {
            try folder.write("accounts/ca.example_14000/\(number)/keys/\(number).key", pem)
        }
        let archive = try read()
        #expect(archive.accounts.count == 3 && archive.accounts(at: directory).count == 2)
    }

    @Test(arguments: [
        ["RSA", "-pkeyopt", "rsa_keygen_bits:3072"], ["EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
    ])
    func `reads account keys of other kinds`(arguments: [String]) throws {
        let made = try Command(["openssl", "genpkey", "-algorithm"] + arguments).run()
        try folder.write("accounts/ca.example_14000/a/keys/a.key", made.bytes)
        let archive = try read()
        #expect(archive.accounts.count == 1 && archive.omissions == [])
    }

    @Test(arguments: [
        ("private_key.json", "not JSON", "cannot read the JSON Web Key: it is not a JSON object"),
        ("private_key.json", "{\"kty\": \"EC\", \"crv\": \"P-521\"}", "only P-256 and P-384 are supported"),
        ("private_key.json", webKey.replacing("jpsQ", with: "jpsR"), "does not belong to the public key"),
        ("private_key.json", webKey.replacing("\"d\"", with: "\"e\""), "it has no `d`"),
        ("private_key.json", String(repeating: " ", count: 10_000_000), "it has 10000000 bytes; the limit is"),
        ("private_key.json", "", "it is not a JSON object"),
    ])
    func `says why an account key cannot be used`(name: String, text: String, reason: String) throws {
        try folder.write("accounts/ca.example/dir/0123/\(name)", text)
        let archive = try read()
        #expect(archive.accounts.isEmpty && archive.omissions.count == 1)
        let omission = try #require(archive.omissions.first)
        #expect(omission.reason.contains(reason) && omission.isFailure, "\(omission.reason)")
        #expect(omission.file == "\(folder.path)/accounts/ca.example/dir/0123/\(name)")
    }

    /// What is wrong with `live/shop.example`.
    enum Flaw: CaseIterable {
        case expired, selfSigned, keyOfAnother, noChain, noKey, noCertificate, large, linkLoop, brokenLink, isFolder
        case otherCurve, leafIsSecond
    }

    @Test(arguments: Flaw.allCases) func `says why a certificate cannot be used`(flaw: Flaw) throws {
        let (file, keyFile) = ("live/shop.example/fullchain.pem", "live/shop.example/privkey.pem")
        try folder.write(file, try authority.chain(["shop.example"], key))
        try folder.write(keyFile, key.pem)
        let reason: String
        switch flaw {
        case .expired:
            try folder.write(file, try authority.chain(["shop.example"], key, days: -2))
            reason = "the certificate expired "
        case .selfSigned:
            try folder.write(file, try authority.selfSigned(["shop.example"], key))
            reason = "the certificate is self-signed"
        case .keyOfAnother:
            try folder.write(keyFile, try SigningKey(.p256).pem)
            reason = "the private key does not belong to a certificate in "
        case .noChain:
            try folder.write(file, try authority.leaf(["shop.example"], key))
            reason = "the intermediate certificate \"CN=Intermediate\" is missing"
        case .noKey:
            try folder.remove(keyFile)
            reason = "cannot read its key \(folder.path)/\(keyFile): no such file or directory"
        case .noCertificate:
            try folder.write(file, "no certificate")
            reason = "the chain has 0 certificates"
        case .large:
            try folder.write(file, [UInt8](repeating: 65, count: 10_000_000))
            reason = "cannot read the certificate: it has 10000000 bytes; the limit is 65536"
        case .linkLoop:
            try folder.remove(file)
            try folder.link(file, to: "fullchain.pem")
            reason = "cannot read the certificate: too many levels of symbolic links"
        case .brokenLink:
            try folder.remove(file)
            try folder.link(file, to: "../../archive/shop.example/fullchain1.pem")
            reason = "cannot read the certificate: no such file or directory"
        case .isFolder:
            try folder.remove(file)
            try folder.makeFolder(file)
            reason = "cannot read the certificate: it is not a regular file"
        case .otherCurve:
            let arguments = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"]
            try folder.write(keyFile, try Command(arguments).run().bytes)
            reason = "use ECDSA on P-256 or P-384, or RSA"
        case .leafIsSecond:
            try folder.write(file, authority.intermediate + (try authority.leaf(["shop.example"], key)))
            reason = "the host's certificate is not the first one in the file"
        }
        let archive = try read()
        #expect(archive.client == "certbot" && archive.certificates.isEmpty)
        #expect(archive.omissions.map(\.file) == ["\(folder.path)/\(file)"])
        let omission = try #require(archive.omissions.first)
        #expect(omission.reason.contains(reason), "\(omission.reason)")
        let isLeftBehind = flaw == .expired || flaw == .selfSigned
        #expect(omission.isFailure != isLeftBehind)
    }

    @Test func `follows links to a certificate, but not in circles`() throws {
        try folder.write("archive/shop.example/fullchain1.pem", try authority.chain(["shop.example"], key))
        try folder.write("archive/shop.example/privkey1.pem", key.pem)
        try folder.makeFolder("live/shop.example")
        for name in ["fullchain", "privkey"] {
            try folder.link("live/shop.example/\(name).pem", to: "../../archive/shop.example/\(name)1.pem")
        }
        try folder.write("accounts/ca.example/dir/0123/private_key.json", Self.webKey)
        try folder.link("accounts/ca.example/again", to: "..")
        try folder.link("live/circle", to: "circle")
        let archive = try read()
        #expect(archive.certificates.count == 1 && archive.accounts.count == 1)
        #expect(archive.omissions.map(\.file) == ["\(folder.path)/live/circle/fullchain.pem"])
    }

    @Test func `says why a folder cannot be used`() throws {
        func problem(_ path: String) throws -> String {
            let problem = try #require(throws: ClientArchive.Problem.self) {
                try ClientArchive(reading: path, now: 0)
            }
            return problem.description
        }
        #expect(try problem("\(folder.path)/none").hasSuffix("/none: no such file or directory"))
        #expect(try problem(folder.write("file", "a")).hasSuffix("/file: not a directory"))
        #expect(try problem(folder.path).contains("is not the folder of a known ACME client (certbot, lego, "))
        try folder.write("closed/shop.example/fullchain.pem", "a")
        let closed = "\(folder.path)/closed"
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: closed)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed) }
        if !Privileges.isRoot {
            #expect(
                try problem(closed).hasSuffix(
                    "permission denied; run this command as the user who runs that client, usually root"))
        }
    }

    @Test func `reads a thousand certificates`() throws {
        let chain = try authority.chain(["*.shop.example"], key)
        for number in 0..<1_000 {
            try folder.write("\(number).shop.example/fullchain.pem", chain)
            try folder.write("\(number).shop.example/privkey.pem", key.pem)
        }
        let archive = try read()
        #expect(archive.certificates.count == 1_000 && archive.omissions == [])
    }
}
