// Where answers to ACME challenges are looked for, and which hosts they answer for.

import Association
import Catalogue
import Foundation
import Posix
import Settings
import Testing

@testable import Hosting

struct ChallengesTests {
    private let tree: ConfigTree

    init() throws {
        tree = try ConfigTree()
        try tree.app("shop.json", ConfigTree.shop(hosts: ["a.example.com", "*.b.example.com", "x.b.example.com"]))
    }

    private func challenges(
        linkTargets: LinkTargets = .none, _ adjust: (inout ACMESettings) -> Void = { _ in }
    ) throws -> (String, String) -> String? {
        var settings = ACMESettings()
        adjust(&settings)
        let catalogue = try tree.load().catalogue
        let challenges = Challenges(
            configPath: tree.config, linkTargets: linkTargets, settings: settings,
            thumbprintPath: "\(tree.root)/state/acme/thumbprint"
        ) { host in catalogue.view.configuredName(of: host) }
        return { host, token in challenges.answer(host, token).map { String(decoding: $0, as: UTF8.self) } }
    }

    private func write(_ folder: String, _ token: String, _ text: String) throws {
        try tree.write("\(folder)/\(token)", text)
    }

    @Test func `a tenant's file answers only for the tenant's hosts`() throws {
        let hosts = "config/hosts"
        try write("\(hosts)/a.example.com/well-known/acme-challenge", "t1", "t1.print")
        try write("\(hosts)/_wildcard.b.example.com/well-known/acme-challenge", "t2", "t2.print")
        try write("\(hosts)/new.example.com/well-known/acme-challenge", "t3", "t3.print")
        try write("\(hosts)/_wildcard.c.example.com/well-known/acme-challenge", "t4", "t4.print")
        let answer = try challenges()
        #expect(answer("a.example.com", "t1") == "t1.print")
        #expect(answer("a.example.com", "t2") == nil)
        #expect(answer("y.b.example.com", "t2") == "t2.print")
        #expect(answer("x.b.example.com", "t2") == nil, "a wildcard's file does not answer for another host in service")
        #expect(answer("b.example.com", "t2") == nil)
        #expect(answer("new.example.com", "t3") == "t3.print", "the certificate comes before the app file")
        #expect(answer("_wildcard.c.example.com", "t4") == nil, "the name of a folder is not a host")
        #expect(answer("..", "t1") == nil)
        #expect(answer("", "t1") == nil)
    }

    @Test func `the webroot answers for every host, in both layouts that clients write`() throws {
        try write("acme/.well-known/acme-challenge", "t1", "t1.print")
        try write("acme", "t2", "t2.print")
        try write("acme", "t3", "something else")
        let answer = try challenges { [tree] in $0.webroot = "\(tree.root)/acme" }
        #expect(answer("a.example.com", "t1") == "t1.print")
        #expect(answer("other.example", "t2") == "t2.print")
        #expect(answer("", "t2") == "t2.print")
        #expect(answer("a.example.com", "t3") == nil, "other files are not served")
        #expect(answer("a.example.com", "t4") == nil)
    }

    @Test func `the manager's thumbprint is read for each challenge, and the setting wins`() throws {
        let answer = try challenges()
        let thumbprint = String(repeating: "aB0-_", count: 9).prefix(43)
        for (text, wanted) in [
            ("\(thumbprint)\n", "t1.\(thumbprint)"), ("\(thumbprint)", "t1.\(thumbprint)"), ("", nil),
            ("\(thumbprint)x", nil), (String(repeating: "a", count: 200), nil), ("<\(thumbprint.dropFirst())", nil),
        ] {
            try tree.write("state/acme/thumbprint", text)
            #expect(answer("a.example.com", "t1") == wanted, "\(text)")
        }
        try tree.write("state/acme/thumbprint", "\(thumbprint)")
        #expect(try challenges { $0.thumbprint = "print" }("a.example.com", "t1") == "t1.print")
        try write("config/hosts/a.example.com/well-known/acme-challenge", "t1", "t1.own")
        #expect(answer("a.example.com", "t1") == "t1.own")
    }

    @Test func `the thumbprint answers every token without a file`() throws {
        let own = "config/hosts/a.example.com/well-known/acme-challenge"
        try write(own, "t1", "t1.own")
        try write("acme/.well-known/acme-challenge", "t1", "t1.shared")
        try write("acme/.well-known/acme-challenge", "t2", "t2.shared")
        let answer = try challenges { [tree] in
            $0.webroot = "\(tree.root)/acme"
            $0.thumbprint = "print"
        }
        #expect(answer("a.example.com", "t1") == "t1.own")
        #expect(answer("x.b.example.com", "t1") == "t1.shared")
        #expect(answer("a.example.com", "t2") == "t2.shared")
        #expect(answer("a.example.com", "t3") == "t3.print")
    }

    @Test func `links out of a folder and keys are refused here too`() throws {
        let own = "\(tree.root)/config/hosts/a.example.com/well-known/acme-challenge"
        try write("acme", "t1", "t1.print")
        try write("config/hosts/a.example.com/well-known", "x", "x")
        try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: "\(tree.root)/acme")
        #expect(try challenges()("a.example.com", "t1") == nil)
        let targets = LinkTargets(["\(tree.root)/acme"])
        #expect(try challenges(linkTargets: targets)("a.example.com", "t1") == "t1.print")
        try write("acme", "t2", "-----BEGIN PRIVATE KEY-----\n")
        try write("acme", "t3", String(repeating: "a", count: 4_097))
        #expect(try challenges(linkTargets: targets)("a.example.com", "t2") == nil)
        #expect(try challenges(linkTargets: targets)("a.example.com", "t3") == nil)
    }

    @Test func `a challenge is not one of the host's files`() throws {
        try write("config/hosts/a.example.com/well-known/acme-challenge", "t1", "t1.print")
        let loaded = try tree.load()
        #expect(loaded.answer("a.example.com", "/.well-known/acme-challenge/t1") == nil)
        #expect(!loaded.findings.contains { $0.rule.family == .configuration })
    }

    @Test(arguments: ["config/hosts/a.example.com", "public/a.example.com", "public/_default", "public/_default/sub"])
    func `a folder called .well-known is a finding`(folder: String) throws {
        try tree.write("public/a.example.com/index.html", "<p>")
        try write("\(folder)/.well-known/acme-challenge", "t1", "t1.print")
        let findings = try tree.load().findings.filter { $0.rule.family == .configuration }
        #expect(!findings.isEmpty)
        #expect(findings.first?.file == "\(tree.root)/\(folder)/.well-known")
        #expect(findings.first?.fix?.contains("config/hosts/<host>/well-known") == true)
    }
}
