// Signed documents as served, verified with the openssl command.

import Association
import Catalogue
import Certificates
import Foundation
import SourceJSON
import TLS
import TestSupport
import Testing

@testable import Hosting

struct SignedAnswerTests {
    private let tree: ConfigTree
    private let loader: Tenants
    private static let wellKnown = "/.well-known/apple-app-site-association"
    private static let root = "/apple-app-site-association"

    init() throws {
        tree = try ConfigTree()
        loader = Tenants(configPath: tree.config, publicPath: tree.pages, environment: nil)
    }

    private func app(_ host: String, signed: String) throws {
        let text = ConfigTree.shop(hosts: [host]).replacingOccurrences(of: "ios: {", with: "ios: { signed: \(signed),")
        try tree.app("\(host).json", text)
    }

    /// A certificate from this test's own authority, whose certificate is `state/development-ca.pem`.
    private func certificate(_ host: String) throws {
        let folder = "\(tree.config)/hosts/\(host)"
        try? FileManager.default.removeItem(atPath: folder)
        try DevelopmentAuthority(directory: tree.root + "/state").write(
            for: host, certificateFile: "\(folder)/fullchain.pem", keyFile: "\(folder)/privkey.pem")
    }

    /// An answer, copied because it points into a catalogue that may be freed.
    private struct Served: Equatable {
        var fields: String
        var body: [UInt8]
        var isSigned: Bool { fields.contains("content-type: application/pkcs7-mime\r\n") }
        var isPlain: Bool { fields.contains("content-type: application/json\r\n") }
    }

    private func served(_ loaded: LoadedConfiguration, _ host: String, _ path: String) -> Served? {
        withExtendedLifetime(loaded) {
            loaded.form(host, path).map {
                Served(fields: String(decoding: $0.fields, as: UTF8.self), body: Array($0.body))
            }
        }
    }

    @Test(arguments: ["cms", "smime"])
    func `openssl verifies the signed answer and extracts the exact document`(command: String) throws {
        try app("a.example.com", signed: "true")
        try certificate("a.example.com")
        let loaded = try loader.load()
        #expect(loaded.findings.filter { $0.severity == .error }.isEmpty)
        let signed = try #require(served(loaded, "a.example.com", Self.wellKnown))
        #expect(signed.isSigned)
        #expect(served(loaded, "a.example.com", Self.root) == signed)
        try Data(signed.body).write(to: URL(fileURLWithPath: tree.root + "/signed"))
        let result = try Command(
            [
                "openssl", command, "-verify", "-binary", "-inform", "DER", "-in", "signed", "-out", "plain",
                "-CAfile", "state/development-ca.pem", "-purpose", "sslserver",
            ], in: tree.root
        ).run()
        #expect(result.status == 0, "\(result.errors)")
        try app("a.example.com", signed: "false")
        let plain = try #require(served(try loader.load(), "a.example.com", Self.wellKnown))
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: tree.root + "/plain"))) == plain.body)
    }

    @Test func `the signature counts towards Apple's size limit`() throws {
        try certificate("a.example.com")
        let signer = DocumentSigner(hostsPath: "\(tree.config)/hosts")
        for (count, isServed) in [(Renderer.appleBytesMax - 8_192, true), (Renderer.appleBytesMax, false)] {
            var findings: [Finding] = []
            let answer = try SignedAnswer(host: "a.example.com", apps: [], cacheSeconds: 60)
                .make([UInt8](repeating: 0x20, count: count), by: signer, &findings)
            #expect((answer != nil) == isServed)
            #expect(findings.contains { $0.rule == .app034 } == !isServed)
        }
    }

    @Test func `with signed root, only the copy at the root is signed`() throws {
        try app("a.example.com", signed: "\"root\"")
        try certificate("a.example.com")
        let loaded = try loader.load()
        let root = try #require(served(loaded, "a.example.com", Self.root))
        let plain = try #require(served(loaded, "a.example.com", Self.wellKnown))
        #expect(root.isSigned)
        #expect(plain.isPlain)
        #expect(SignedDocument.content(of: root.body) == plain.body)
    }

    @Test func `a reload changes the signed answer only if the certificate changed`() throws {
        try app("a.example.com", signed: "true")
        try certificate("a.example.com")
        func answer() throws -> Served? { served(try loader.load(), "a.example.com", Self.wellKnown) }
        let first = try #require(try answer())
        #expect(try answer() == first)
        try certificate("a.example.com")
        #expect(try #require(try answer()).fields != first.fields)
    }

    @Test(arguments: [("true", false), ("\"root\"", true)])
    func `without a certificate nothing is served, and the app file has a finding`(
        signed: String, servesWellKnown: Bool
    ) throws {
        try app("a.example.com", signed: signed)
        try app("b.example.com", signed: "false")
        try tree.page("_default\(Self.root)", "a page")
        let loaded = try loader.load()
        #expect(served(loaded, "a.example.com", Self.root) == nil)
        #expect((served(loaded, "a.example.com", Self.wellKnown) != nil) == servesWellKnown)
        #expect(served(loaded, "a.example.com", "/.well-known/assetlinks.json") != nil)
        #expect(served(loaded, "b.example.com", Self.wellKnown) != nil)
        let finding = try #require(loaded.findings.first { $0.rule == .app041 })
        #expect(finding.severity == .error)
        #expect(finding.file == "\(tree.config)/apps/a.example.com.json")
        #expect(finding.range?.start.line == 4)
        #expect(finding.message.contains("there is no certificate for this host below"))
    }

    @Test func `a problem of the certificate is a finding on its file`() throws {
        try app("a.example.com", signed: "true")
        try certificate("a.example.com")
        try tree.write("config/hosts/a.example.com/privkey.pem", "rubbish")
        let findings = try loader.load().findings
        let finding = try #require(findings.first { $0.rule == .cert004 })
        #expect(finding.file == "\(tree.config)/hosts/a.example.com/privkey.pem")
        #expect(finding.rule.severity == finding.severity)
        #expect(findings.contains { $0.rule == .app041 })
    }

    @Test(arguments: CertificateProblem.Kind.allCases)
    func `each certificate problem has a rule with its severity`(kind: CertificateProblem.Kind) {
        #expect(RuleID(kind.rawValue)?.severity.rawValue == kind.severity.rawValue)
    }

    @Test func `certificates of hosts that sign nothing are not read`() throws {
        try app("a.example.com", signed: "false")
        try tree.write("config/hosts/a.example.com/fullchain.pem", "rubbish")
        #expect(try loader.load().findings.allSatisfy { $0.rule.family != .certificate })
    }
}
