// Tenants that try to publish another tenant's files, or to use up shared resources. Each attempt is a finding on their own
// files, and the other tenant's answers stay the same.

import Association
import Catalogue
import Foundation
import HTTP
import Posix
import Testing

@testable import Hosting

struct HostileTenantTests {
    private let site: TenantTree
    private static let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n"

    init() throws {
        site = try TenantTree()
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.shop("b.json", hosts: ["b.example.com"])
        for host in ["a", "b"] {
            try site.write("config/hosts/\(host).example.com/fullchain.pem", "chain")
            try site.write("config/hosts/\(host).example.com/privkey.pem", HostileTenantTests.key)
        }
        try site.write("config/hosts/b.example.com/well-known/secret.txt", "secret of b")
        try site.write("public/b.example.com/page.txt", "page of b")
        try site.write("config/server.json", "{ linkTargets: [] }")
        try site.restart()
    }

    /// Everything that the hostile host answers except its association files.
    private func answers() -> [String: String] {
        let paths = (site.tenants.catalogue.tags(of: "a.example.com") ?? []).map(\.path)
        let own = paths.filter { !$0.hasSuffix("apple-app-site-association") }
        return Dictionary(uniqueKeysWithValues: own.map { ($0, site.answer("a.example.com", $0) ?? "") })
    }

    /// The name of a link, its target, and a part of the finding; nil if there is none.
    @Test(arguments: [
        ("config/hosts/a.example.com/well-known", "../b.example.com", "a link out of"),
        ("config/hosts/a.example.com/well-known", "../b.example.com/well-known", "a link out of"),
        ("config/hosts/a.example.com/well-known", "../..", "a link out of"),
        ("config/hosts/a.example.com/well-known", "/", "a link out of"),
        ("config/hosts/a.example.com/well-known", ".", "private key"),
        ("config/hosts/a.example.com/well-known/x", "..", "private key"),
        ("config/hosts/a.example.com/well-known/x.txt", "../privkey.pem", "private key"),
        ("config/hosts/a.example.com/well-known/x.txt", "../../b.example.com/privkey.pem", "a link out of"),
        ("config/hosts/a.example.com/well-known/x.txt", "../../b.example.com/well-known/secret.txt", "a link out of"),
        ("config/hosts/a.example.com/well-known/x.json", "../../../server.json", "a link out of"),
        ("config/hosts/a.example.com/well-known/x", "../../../apps", "a link out of"),
        ("config/hosts/a.example.com/well-known/apple-app-site-association", "../privkey.pem", "private key"),
        ("config/hosts/a.example.com/well-known/change-password", "../privkey.pem", "private key"),
        ("public/a.example.com", "b.example.com", "a folder that is not this host's"),
        ("public/a.example.com", ".", "a folder that is not this host's"),
        ("public/a.example.com", "../config/hosts/b.example.com", "a folder that is not this host's"),
        ("public/a.example.com/x", "../b.example.com", "a link out of"),
        ("public/a.example.com/x", "..", "a link out of"),
        ("public/a.example.com/x.txt", "../b.example.com/page.txt", "a link out of"),
        ("public/a.example.com/x.txt", "../../config/hosts/b.example.com/privkey.pem", "a link out of"),
        ("public/a.example.com/_landing.html", "../../config/hosts/b.example.com/privkey.pem", "a link out of"),
        ("public/a.example.com/x.txt", "/proc/self/environ", "a link out of"),
    ])
    func `a link cannot publish another tenant's files or a key`(link: String, target: String, word: String) throws {
        try site.write((link as NSString).deletingLastPathComponent + "/.keep", "")
        try site.link(link, to: target)
        let report = try site.round(.allAgain)
        #expect(answers() == [:])
        let mine = report.findings.filter { $0.file.contains("a.example.com") }
        #expect(mine.contains { $0.message.contains(word) } && mine.count == report.findings.count)
        // No finding says that a link leaves a folder if it does not.
        #expect(!report.findings.contains { $0.message.contains("out of \(site.tree.config)/apps") })
        #expect(site.answer("b.example.com", "/.well-known/secret.txt") == "secret of b")
        #expect(site.answer("b.example.com", "/page.txt") == "page of b")
        #expect(try site.restart().changes.isEmpty, "after a restart too")
        #expect(answers() == [:])
    }

    @Test func `hard links to a key, copies and gzipped copies are not served either`() throws {
        let keys = ["privkey.pem", "x.txt", "y.html", "z.txt.gz", "_landing.html", "deep/k"]
        for folder in ["config/hosts/a.example.com/well-known", "public/a.example.com"] {
            for key in keys { try site.write("\(folder)/\(key)", HostileTenantTests.key) }
            let packed = Data(Gzip.compress(Array(HostileTenantTests.key.utf8)))
            try packed.write(to: URL(fileURLWithPath: "\(site.tree.root)/\(folder)/z.txt.gz"))
            let source = "\(site.tree.root)/config/hosts/b.example.com/privkey.pem"
            try FileManager.default.linkItem(atPath: source, toPath: "\(site.tree.root)/\(folder)/hard.txt")
            try site.write("\(folder)/good.txt", "good")
        }
        let report = try site.round()
        #expect(answers() == ["/good.txt": "good", "/.well-known/good.txt": "good"])
        #expect(report.findings.count { $0.rule == .cfg009 && $0.severity == .error } == 2 * (keys.count + 1))
    }

    @Test func `a key that an earlier server version served is not kept as the last good version`() throws {
        try site.write("public/a.example.com/x.txt", "text")
        try site.round()
        #expect(answers() == ["/x.txt": "text"])
        try site.write("public/a.example.com/x.txt", HostileTenantTests.key)
        try site.round()
        #expect(answers() == [:])
    }

    @Test func `a link into a link target is followed`() throws {
        try site.write("acme/shared/token", "token")
        site.linkTargets = LinkTargets([site.tree.root + "/acme"])
        try site.write("config/hosts/a.example.com/well-known/x", "x")
        try site.link("config/hosts/a.example.com/well-known/shared", to: "../../../../acme/shared")
        try site.link("public/a.example.com", to: site.tree.root + "/acme")
        #expect(try site.restart().findings.isEmpty)
        #expect(answers()["/.well-known/shared/token"] == "token")
        #expect(answers()["/shared/token"] == "token")
    }

    @Test func `a folder that Kubernetes mounts changes as a whole`() throws {
        for (folder, path) in [("config/hosts", "a.example.com/well-known/x.txt"), ("public", "a.example.com/x.txt")] {
            if folder == "config/hosts" { try site.remove("config/hosts/a.example.com") }
            for version in ["1", "2"] { try site.write("\(folder)/..\(version)/\(path)", version) }
            try site.link("\(folder)/..data", to: "..1")
            try site.link("\(folder)/a.example.com", to: "..data/a.example.com")
        }
        #expect(try site.round().findings.isEmpty)
        #expect(answers() == ["/x.txt": "1", "/.well-known/x.txt": "1"])
        for folder in ["config/hosts", "public"] {
            try site.link("\(folder)/..new", to: "..2")
            try site.replace("\(folder)/..data", with: "\(folder)/..new")
        }
        #expect(try site.round().findings.isEmpty)
        #expect(answers() == ["/x.txt": "2", "/.well-known/x.txt": "2"])
    }

    @Test func `pages above the host's quota change nothing that is served`() throws {
        site.limits.filesPerHostMax = 3
        for name in ["1", "2", "3"] { try site.write("public/a.example.com/\(name).txt", name) }
        #expect(try site.restart().findings.isEmpty)
        #expect(answers().count == 3)
        try site.write("public/a.example.com/4.txt", "4")
        try site.write("public/a.example.com/1.txt", "changed")
        let report = try site.round()
        #expect(report.findings.map(\.rule) == [.cfg010])
        #expect(report.findings[0].message.hasPrefix("a.example.com has more than 3 files"))
        #expect(report.findings[0].fix?.contains("limits.filesPerHostMax") == true)
        #expect(answers() == ["/1.txt": "1", "/2.txt": "2", "/3.txt": "3"])
        #expect(report.keptHosts == 1)
        try site.remove("public/a.example.com/2.txt")
        #expect(try site.round().findings.isEmpty)
        #expect(answers() == ["/1.txt": "changed", "/3.txt": "3", "/4.txt": "4"])
    }

    @Test func `a new host above its quota is served without the folder`() throws {
        site.limits.bytesPerHostMax = 100
        try site.write("public/a.example.com/1.txt", String(repeating: "x", count: 60))
        try site.write("config/hosts/a.example.com/well-known/1.txt", String(repeating: "x", count: 60))
        let report = try site.restart(.allAgain, program: "another")
        #expect(report.findings.map(\.rule) == [.cfg010])
        #expect(report.findings[0].message.contains("100 bytes"))
        #expect(Array(answers().keys) == ["/.well-known/1.txt"], "one folder as a whole, and not a part of both")
        #expect(site.answer("a.example.com") != nil)
        #expect(site.answer("b.example.com", "/page.txt") == "page of b")
    }

    @Test func `links from folder to folder are one finding`() throws {
        for folder in ["config/hosts/a.example.com/well-known", "public/a.example.com"] {
            for from in 0..<10 {
                try site.write("\(folder)/d\(from)/f.txt", "f")
                for to in 0..<10 where to != from {
                    for index in 0..<5 { try site.link("\(folder)/d\(from)/l\(to)-\(index)", to: "../d\(to)") }
                }
            }
        }
        try site.waitUntilSettled("public/a.example.com/d9/f.txt")
        let report = try site.round()
        #expect(report.findings.map(\.rule) == [.cfg010, .cfg010])
        #expect(answers() == [:])
        #expect(site.answer("b.example.com", "/page.txt") == "page of b")
        #expect(try site.round().findings.isEmpty, "said once")
    }

    @Test func `links between app files add no file`() throws {
        for from in 0..<10 {
            try site.write("config/apps/team/d\(from)/note.txt", "")
            for to in 0..<10 where to != from {
                for index in 0..<5 { try site.link("config/apps/team/d\(from)/l\(to)-\(index)", to: "../d\(to)") }
            }
        }
        try site.shop("team/d5/c.json", hosts: ["c.example.com"])
        #expect(try site.round().changedHosts == ["c.example.com"])
        var part = TreeChanges()
        part.appFolders = ["team/d1/l5-0", "team/d2"]
        #expect(try site.round(part).changes.isEmpty, "a part is the same as the whole")
        #expect(try site.round().findings.isEmpty)
    }
}
