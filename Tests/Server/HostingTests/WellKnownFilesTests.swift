// The files of `config/hosts/<host>/well-known/`, from the disk to the catalogue.

import Association
import Catalogue
import Foundation
import SourceJSON
import Testing

@testable import Hosting

struct WellKnownFilesTests {
    private let tree: ConfigTree

    init() throws {
        tree = try ConfigTree()
        try tree.app("shop.json", ConfigTree.shop(hosts: ["a.example.com", "*.b.example.com"]))
    }

    private func wellKnown(_ name: String, _ text: String, host: String = "a.example.com") throws {
        try tree.write("config/hosts/\(host)/well-known/\(name)", text)
    }

    @Test(arguments: [
        ("apple-developer-merchantid-domain-association", "text/plain"), ("security.txt", "text/plain; charset=utf-8"),
        ("microsoft-identity-association.json", "application/json"), ("passkey-endpoints", "application/json"),
        ("webauthn", "application/json"), ("windows-app-web-link", "application/json"),
        ("applinking.json", "application/json"), ("anything.json", "application/json"),
        ("traffic-advice", "application/trafficadvice+json"),
        ("something", "application/octet-stream"), ("note.txt", "text/plain; charset=utf-8"),
    ])
    func `a file is served unchanged, with its registered type`(name: String, type: String) throws {
        let text = "{\"a\": 1}\r\n\u{FEFF}  \n"
        try wellKnown(name, text)
        let loaded = try tree.load()
        #expect(loaded.answer("a.example.com", "/.well-known/\(name)") == text)
        let form = try #require(loaded.form("a.example.com", "/.well-known/\(name)"))
        #expect(String(decoding: form.contentType, as: UTF8.self) == "content-type: \(type)\r\n")
        #expect(loaded.answer("x.b.example.com", "/.well-known/\(name)") == nil, "one host's files are its own")
    }

    @Test func `a host without an app is a site when it has files`() throws {
        try wellKnown("webauthn", "{}", host: "other.example.com")
        try wellKnown("webauthn", "[]", host: "_wildcard.other.example.com")
        let loaded = try tree.load()
        #expect(loaded.hosts == ["*.b.example.com", "*.other.example.com", "a.example.com", "other.example.com"])
        #expect(loaded.answer("other.example.com", "/.well-known/webauthn") == "{}")
        #expect(loaded.answer("x.other.example.com", "/.well-known/webauthn") == "[]")
        #expect(loaded.answer("other.example.com", "/.well-known/assetlinks.json") == nil)
    }

    @Test func `a good association file replaces the generated one, at the root too`() throws {
        let text = "{ \"webcredentials\": { \"apps\": [\"8KQ2V7M4XN.dev.associated.mine\"] } }"
        try wellKnown("apple-app-site-association", text)
        try wellKnown("assetlinks.json", "[]\n")
        let loaded = try tree.load()
        #expect(loaded.answer("a.example.com", "/.well-known/apple-app-site-association") == text)
        #expect(loaded.answer("a.example.com", "/apple-app-site-association") == text)
        #expect(loaded.answer("a.example.com", "/.well-known/assetlinks.json") == "[]\n")
        #expect(loaded.answer("x.b.example.com", "/apple-app-site-association") != text)
    }

    @Test(arguments: [
        ("apple-app-site-association", "{ \"applinks\": { \"details\": [,] } }"), ("assetlinks.json", "{}"),
    ])
    func `an association file that phones would reject is refused, and the generated one stays`(
        name: String, text: String
    ) throws {
        let before = try tree.load().answer("a.example.com", "/.well-known/\(name)")
        try wellKnown(name, text)
        let loaded = try tree.load()
        #expect(before != nil)
        #expect(loaded.answer("a.example.com", "/.well-known/\(name)") == before)
        let file = "\(tree.config)/hosts/a.example.com/well-known/\(name)"
        #expect(loaded.findings.contains { $0.severity == .error && $0.file == file && $0.range != nil })
    }

    @Test(arguments: [
        ("https://id.example.com/password?x=1\n", "https://id.example.com/password?x=1"),
        ("  /account/password  \r\n", "/account/password"), ("", nil), ("password", nil), ("//evil.example", nil),
        ("http://id.example.com/", nil), ("javascript:alert(1)", nil), ("/a\n/b", nil), ("/a b", nil), ("/\\evil", nil),
        ("/caf\u{E9}", nil), ("/a\u{0}b", nil), ("/" + String(repeating: "x", count: 2_048), nil),
    ])
    func `change-password redirects to the address in the file`(text: String, target: String?) throws {
        try wellKnown("change-password", text)
        let loaded = try tree.load()
        let form = loaded.form("a.example.com", "/.well-known/change-password")
        guard let target else {
            #expect(form == nil)
            #expect(loaded.findings.contains { $0.rule == .cfg005 && $0.file.hasSuffix("/change-password") })
            return
        }
        let fields = String(decoding: try #require(form).fields, as: UTF8.self)
        #expect(fields.contains("\r\nlocation: \(target)\r\n"))
        #expect(form?.bodyCount == 0)
    }

    @Test func `a file that cannot be served is a finding on it`() throws {
        try wellKnown("large.json", String(repeating: " ", count: WellKnownFiles.bytesMax + 1))
        try wellKnown("webauthn", "{,}")
        try wellKnown(".hidden", "x")
        try wellKnown("webauthn", "{}", host: "Upper.example.com")
        try wellKnown("webauthn", "{}", host: "_default")
        try tree.write("secret", "secret")
        try FileManager.default.createSymbolicLink(
            atPath: tree.config + "/hosts/a.example.com/well-known/out", withDestinationPath: "../../../../secret")
        let loaded = try tree.load()
        for name in ["out", ".hidden", "large.json"] {
            #expect(loaded.answer("a.example.com", "/.well-known/\(name)") == nil)
        }
        #expect(loaded.answer("a.example.com", "/.well-known/webauthn") == "{,}", "a warning changes no byte")
        let warned = loaded.findings.filter { $0.rule == .cfg005 }.map { $0.file.dropFirst(tree.config.count + 7) }
        #expect(
            Set(warned) == [
                "a.example.com/well-known/large.json", "a.example.com/well-known/out", "Upper.example.com/well-known",
                "_default/well-known",
            ])
    }

    @Test func `a well-known file that its readers would reject is a finding, but served`() throws {
        let expired = "Contact: mailto:a@example.com\nExpires: 2020-01-01T00:00:00Z\n"
        try wellKnown("security.txt", expired)
        try wellKnown("webauthn", "{}")
        try wellKnown("plain.json", "{,}")
        try wellKnown("windows-app-web-link", "[{\"packageFamilyName\": \"A_b\"}]")
        try wellKnown("windows-app-web-link", "[{\"packageFamilyName\": \"A_b\"}]", host: "_wildcard.b.example.com")
        let loaded = try tree.load()
        #expect(loaded.answer("a.example.com", "/.well-known/security.txt") == expired)
        let found = loaded.findings.filter { $0.file.contains("/hosts/") }.map {
            "\($0.rule) \($0.file.dropFirst(tree.config.count + 7))"
        }
        #expect(
            Set(found) == [
                "SRV-010 a.example.com/well-known/security.txt", "SRV-007 a.example.com/well-known/webauthn",
                "CFG-005 a.example.com/well-known/plain.json",
                "SRV-012 _wildcard.b.example.com/well-known/windows-app-web-link",
            ])
    }

    @Test func `a robots file that hides the statement list is a finding`() throws {
        try tree.page("a.example.com/robots.txt", "User-agent: *\nDisallow: /\n")
        #expect(try tree.load().findings.contains { $0.rule == .ghst007 && $0.range?.start.line == 2 })
    }
}
