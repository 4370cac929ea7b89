// Problems of one file are findings on that file, and no other host is affected.

import Association
import Foundation
import Posix
import Testing

@testable import Hosting

struct TenantsBadInputTests {
    private let site: TenantTree

    init() throws {
        site = try TenantTree()
        try site.shop("good.json", hosts: ["good.example.com"])
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.round()
    }

    /// The finding is on that file only, and everything is served as before.
    private func check(_ path: String, says text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let good = ["good.example.com", "a.example.com"].map { site.answer($0) }
        let report = try site.round()
        #expect(
            Set(report.findings.map(\.file)) == [site.tree.config + "/apps/" + path], sourceLocation: sourceLocation)
        #expect(report.errors.contains { $0.message.contains(text) }, sourceLocation: sourceLocation)
        #expect(["good.example.com", "a.example.com"].map { site.answer($0) } == good, sourceLocation: sourceLocation)
        let fresh = try site.tree.load()
        #expect(fresh.hosts.contains("good.example.com"), sourceLocation: sourceLocation)
        #expect(
            Set(fresh.findings.filter { $0.severity == .error }.map(\.file)) == [site.tree.config + "/apps/" + path],
            sourceLocation: sourceLocation)
    }

    @Test(arguments: ["no_name.example.com", "a..example.com", "https://a.example.com", "192.168.0.1", "*", ""])
    func `a host that is not a DNS name is a finding`(host: String) throws {
        try site.shop("bad.json", hosts: ["b.example.com", host])
        try check("bad.json", says: "host")
    }

    @Test func `a host in any script is served by its ASCII name`() throws {
        try site.shop("idn.json", hosts: ["Bücher.example.com"])
        #expect(try site.round().changedHosts == ["xn--bcher-kva.example.com"])
    }

    @Test func `a file that was just emptied is left to its writer, and one that stays empty is an error`() throws {
        let path = "\(site.tree.config)/apps/a.json"
        for age in [0.0, 3600.0] {
            try site.write("config/apps/a.json", "")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
            let report = try site.round()
            #expect(report.errors.map(\.rule) == (age == 0 ? [] : [.app001]))
            #expect(report.later.appFiles == (age == 0 ? ["a.json"] : []))
            #expect(site.answer("good.example.com") != nil)
        }
    }

    @Test func `an app file of 100 MB is a finding`() throws {
        try site.write("config/apps/a.json", "")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: site.tree.config + "/apps/a.json"))
        try file.truncate(atOffset: 100 * 1024 * 1024)
        try check("a.json", says: "it has 104857600 bytes")
    }

    @Test func `a link to a folder that contains it is a finding`() throws {
        for folder in ["config/apps/sub", "config/hosts/a.example.com/well-known", "public/a.example.com"] {
            try site.write("\(folder)/kept.txt", "kept")
            for index in 0..<100 { try site.link("\(folder)/l\(index)", to: ".") }
        }
        let report = try site.round()
        #expect(Set(report.findings.map(\.rule)) == [.cfg004, .cfg005])
        #expect(report.findings.count == 2 * (FolderFindings.countMax + 1))
        #expect(report.findings.contains { $0.message == "80 more findings on files of this folder" })
        #expect(site.answer("good.example.com") != nil)
        #expect(site.answer("a.example.com", "/.well-known/kept.txt") == "kept")
        #expect(site.answer("a.example.com", "/kept.txt") == "kept")
        #expect(site.answer("a.example.com", "/l1/kept.txt") == nil)
        #expect(try site.round().changes.isEmpty)
    }

    @Test func `a folder with the name of an app file is a finding`() throws {
        try site.remove("config/apps/a.json")
        try site.shop("a.json/b.json", hosts: ["b.example.com"])
        try check("a.json", says: "it is a folder")
    }

    @Test func `a link out of the configuration is a finding`() throws {
        try site.write("outside/secret.json", "{}")
        try site.link("config/apps/out.json", to: "../../outside/secret.json")
        try check("out.json", says: "a link out of \(site.tree.config)/apps")
        try site.remove("config/apps/out.json")
        try site.round()
        try site.link("config/apps/out", to: "../../outside")
        try check("out", says: "a link out of \(site.tree.config)/apps")
        try site.remove("config/apps/out")
        try site.round()
        // Neither the operator's settings nor other hosts' keys can be used as app files.
        try site.write("config/hosts/b.example.com/privkey.pem", "secret")
        try site.link("config/apps/out.json", to: "../hosts/b.example.com/privkey.pem")
        try check("out.json", says: "a link out of")
    }

    @Test func `a host's folder that is a link to a foreign folder is a finding`() throws {
        try site.write("outside/well-known/secret.txt", "secret")
        try site.write("outside/page.txt", "secret")
        try site.write("config/hosts/y.example.com/well-known/note.txt", "note")
        try site.write("public/_default/index.html", "page")
        try site.shop("x.json", hosts: ["x.example.com"])
        try site.link("config/hosts/x.example.com", to: "../../outside")
        try site.link("public/x.example.com", to: "../outside")
        let report = try site.round()
        #expect(Set(report.findings.map(\.rule)) == [.cfg004, .cfg005])
        for finding in report.findings {
            #expect(finding.message.contains("a link to a folder that is not this host's"))
            #expect(finding.fix?.contains("linkTargets") == true)
            #expect(finding.file.contains("x.example.com"))
        }
        #expect(site.answer("x.example.com") != nil)
        #expect(site.answer("x.example.com", "/.well-known/secret.txt") == nil)
        #expect(site.answer("x.example.com", "/page.txt") == nil)
        // Another host's folder cannot be used either.
        try site.remove("config/hosts/x.example.com")
        try site.remove("public/x.example.com")
        try site.link("config/hosts/x.example.com", to: "y.example.com")
        try site.write("public/y.example.com/y.txt", "y")
        try site.link("public/x.example.com", to: "y.example.com")
        try site.round()
        #expect(site.answer("x.example.com", "/.well-known/note.txt") == nil)
        #expect(site.answer("x.example.com", "/y.txt") == nil)
        // Unless the operator allows it.
        site.linkTargets = LinkTargets([site.tree.root + "/outside"])
        for tree in ["config/hosts", "public"] {
            try site.remove("\(tree)/x.example.com")
            try site.link("\(tree)/x.example.com", to: site.tree.root + "/outside")
        }
        #expect(try site.restart().findings.isEmpty)
        #expect(site.answer("x.example.com", "/.well-known/secret.txt") == "secret")
        #expect(site.answer("x.example.com", "/page.txt") == "secret")
    }

    @Test func `a link inside config/apps is followed, and a broken one is a finding`() throws {
        try site.shop(".shared/x.json", hosts: ["x.example.com"])
        try site.link("config/apps/x.json", to: ".shared/x.json")
        #expect(try site.round().changedHosts == ["x.example.com"])
        try site.link("config/apps/nowhere.json", to: "nothing")
        try check("nowhere.json", says: "neither a file nor a folder")
    }

    @Test func `a pipe instead of a file does not block`() throws {
        #expect(mkfifo(site.tree.config + "/apps/pipe.json", 0o600) == 0)
        try check("pipe.json", says: "neither a file nor a folder")
    }

    @Test func `two files with conflicting settings for one host are a finding`() throws {
        try site.shop("x1.json", hosts: ["x.example.com"], ids: ["8KQ2V7M4XN.dev.one"], more: "cacheControl: 60")
        try site.shop("x2.json", hosts: ["x.example.com"], ids: ["8KQ2V7M4XN.dev.two"], more: "cacheControl: 600")
        let report = try site.round()
        #expect(report.findings.map(\.rule) == [.app037])
        #expect(report.findings[0].file.hasSuffix("/x2.json"))
        #expect(report.changedHosts == ["x.example.com"])
        for id in ["one", "two"] { #expect(site.answer("x.example.com")?.contains("dev.\(id)") == true) }
    }

    @Test func `changing the link of a mounted folder changes all its files at once`() throws {
        // As Kubernetes mounts a ConfigMap: links to files in a folder behind another link.
        for version in ["1", "2"] {
            try site.shop(
                "..\(version)/k.json", hosts: ["k.example.com"], ids: ["8KQ2V7M4XN.dev.v\(version)"],
                more: #"guard: "off""#)
        }
        try site.link("config/apps/..data", to: "..1")
        try site.link("config/apps/k.json", to: "..data/k.json")
        #expect(try site.round().changedHosts == ["k.example.com"])
        try site.link("config/apps/..new", to: "..2")
        #expect(rename(site.tree.config + "/apps/..new", site.tree.config + "/apps/..data") == 0)
        #expect(try site.round().changedHosts == ["k.example.com"])
        #expect(site.answer("k.example.com")?.contains("dev.v2") == true)
    }
}
