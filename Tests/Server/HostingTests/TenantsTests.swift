// Rounds: which hosts a change of files affects, and which not.

import Association
import Foundation
import Testing

@testable import Hosting

struct TenantsTests {
    private let site: TenantTree

    init() throws { site = try TenantTree() }

    @Test func `only the hosts of a changed file are rendered again`() throws {
        for name in ["a", "b", "c"] { try site.shop("\(name).json", hosts: ["\(name).example.com"]) }
        try site.round()
        try site.shop(
            "b.json", hosts: ["b.example.com", "new.example.com"],
            ids: ["8KQ2V7M4XN.dev.associated.shop", "8KQ2V7M4XN.dev.associated.b"])
        let report = try site.round()
        #expect(report.changedHosts == ["b.example.com", "new.example.com"])
        #expect(report.appCount == 3)
        #expect(report.hostCount == 4)
        #expect(site.answer("b.example.com")?.contains("associated.b") == true)
        #expect(site.answer("new.example.com") == site.answer("b.example.com"))
        #expect(site.answer("a.example.com")?.contains("associated.b") == false)
        #expect(try site.round().changes.isEmpty)
    }

    @Test func `a named file is read again even if its marks are equal, and others are not`() throws {
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.shop("b.json", hosts: ["b.example.com"])
        try site.round()
        try site.shop("a.json", hosts: ["a.example.com", "a2.example.com"])
        try site.shop("b.json", hosts: ["b.example.com", "b2.example.com"])
        #expect(try site.round(.apps("a.json")).changedHosts == ["a2.example.com"])
        #expect(try site.round().changedHosts == ["b2.example.com"])
    }

    @Test func `more hosts than a batch are all rendered`() throws {
        for file in 0..<5 {
            let id = "8KQ2V7M4XN.dev.associated.number\(file)"
            try site.shop("\(file).json", hosts: (0..<500).map { "h\($0).n\(file).example.com" }, ids: [id])
        }
        let report = try site.round()
        #expect(report.hostCount == 2_500)
        #expect(report.changes.isEmpty, "at a start every host would be new")
        for file in 0..<5 {
            for number in [0, 250, 499] {
                #expect(site.answer("h\(number).n\(file).example.com")?.contains("number\(file)\"") == true)
            }
        }
        try site.shop("5.json", hosts: ["later.example.com"])
        #expect(try site.round().hostCount == 2_501)
    }

    @Test func `touching a file changes nothing`() throws {
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.round()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
            ofItemAtPath: site.tree.config + "/apps/a.json")
        let report = try site.round()
        #expect(report.changes.isEmpty)
        #expect(report.findings.isEmpty)
    }

    @Test func `a broken file leaves its last good version in service until it is fixed`() throws {
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.shop("b.json", hosts: ["b.example.com"])
        try site.round()
        let good = site.answer("a.example.com")
        try site.write("config/apps/a.json", "{ name: ")
        let broken = try site.round()
        #expect(broken.errors.map(\.rule).contains(.app001))
        #expect(broken.keptHosts == 1)
        #expect(broken.keptFiles == 1)
        #expect(site.tenants.hostsOnLastGood == ["a.example.com"])
        #expect(!site.tenants.openFindings.isEmpty)
        #expect(site.answer("a.example.com") == good)
        // A finding is reported once, unless an operator asks or the file is touched.
        #expect(try site.round().findings.isEmpty)
        #expect(try site.round(.allAgain).errors == broken.errors)
        try site.shop(
            "a.json", hosts: ["a.example.com"], ids: ["8KQ2V7M4XN.dev.associated.shop", "8KQ2V7M4XN.dev.other"])
        let fixed = try site.round()
        #expect(fixed.changedHosts == ["a.example.com"])
        #expect(fixed.keptHosts == 0)
        #expect(site.tenants.openFindings.isEmpty)
    }

    @Test func `restoring a broken file's old text changes nothing`() throws {
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.round()
        try site.write("config/apps/a.json", "{")
        try site.round()
        try site.shop("a.json", hosts: ["a.example.com"])
        let report = try site.round()
        #expect(report.changes.isEmpty)
        #expect(report.keptFiles == 0)
        #expect(report.fixedFiles == [site.tree.config + "/apps/a.json"])
        #expect(try site.round().fixedFiles.isEmpty)
    }

    @Test func `a host of two files follows changes of the good one while the other is broken`() throws {
        try site.shop("a.json", hosts: ["x.example.com"], ids: ["8KQ2V7M4XN.dev.a"])
        try site.shop("b.json", hosts: ["x.example.com"], ids: ["8KQ2V7M4XN.dev.b"])
        try site.round()
        try site.write("config/apps/a.json", "{")
        try site.shop("b.json", hosts: ["x.example.com"], ids: ["8KQ2V7M4XN.dev.b", "8KQ2V7M4XN.dev.b2"])
        try site.round()
        for id in ["dev.a", "dev.b", "dev.b2"] { #expect(site.answer("x.example.com")?.contains("XN.\(id)\"") == true) }
    }

    @Test func `a new file with which a live host cannot be rendered is refused completely`() throws {
        try site.shop("a.json", hosts: ["x.example.com"])
        try site.round()
        let good = site.answer("x.example.com")
        let many = (0..<5000).map { "8KQ2V7M4XN.dev.associated.shop.of.many.apps.\($0)" }
        try site.shop("big.json", hosts: ["x.example.com", "y.example.com"], ids: many)
        let report = try site.round()
        #expect(report.errors.contains { $0.rule == .app034 })
        #expect(report.changes.isEmpty)
        #expect(site.answer("x.example.com") == good)
        #expect(site.answer("y.example.com") == nil)
        try site.remove("config/apps/big.json")
        #expect(try site.round().errors.isEmpty)
        #expect(site.tenants.openFindings.isEmpty)
    }

    @Test func `hosts' own files can be added and removed, also below wildcards`() throws {
        try site.shop("w.json", hosts: ["*.example.com"])
        try site.round()
        try site.write("config/hosts/a.example.com/well-known/security.txt", "Contact: mailto:a@example.com\n")
        #expect(try site.round().changedHosts == ["a.example.com"])
        #expect(site.answer("a.example.com", "/.well-known/security.txt")?.hasPrefix("Contact") == true)
        #expect(site.answer("a.example.com")?.contains("associated.shop") == true)
        // The host below a wildcard has the wildcard's site as well.
        try site.shop(
            "w.json", hosts: ["*.example.com"], ids: ["8KQ2V7M4XN.dev.associated.shop", "8KQ2V7M4XN.dev.second"])
        try site.write("public/_wildcard.example.com/page.html", "page")
        try site.write("public/a.example.com/own.html", "own")
        #expect(try site.round().changedHosts == ["*.example.com", "a.example.com"])
        #expect(site.answer("a.example.com")?.contains("second") == true)
        #expect(site.answer("a.example.com", "/page.html") == "page")
        #expect(site.answer("a.example.com", "/own.html") == "own")
        // A more specific wildcard takes over, and gives the host back.
        try site.shop("v.json", hosts: ["*.b.example.com"], ids: ["8KQ2V7M4XN.dev.associated.v"])
        try site.write("config/hosts/x.b.example.com/well-known/security.txt", "Contact: mailto:b@example.com\n")
        // A file that was just written is read and reported once more.
        try site.waitUntilSettled("config/hosts/x.b.example.com/well-known/security.txt")
        try site.round()
        #expect(site.answer("x.b.example.com")?.contains("associated.v") == true)
        try site.shop(
            "v.json", hosts: ["*.c.example.com"], ids: ["8KQ2V7M4XN.dev.associated.v"], more: #"guard: "off""#)
        try site.round()
        #expect(site.answer("x.b.example.com")?.contains("associated.v") == false)
        #expect(site.answer("x.b.example.com")?.contains("second") == true)
        try site.remove("config/hosts/a.example.com")
        let report = try site.round()
        #expect(report.changedHosts == ["a.example.com"])
        #expect(report.findings.map(\.rule) == [.app042])
        #expect(report.errors.isEmpty)
        #expect(site.answer("a.example.com", "/.well-known/security.txt") == nil)
        #expect(site.answer("a.example.com")?.contains("second") == true, "the wildcard answers again")
    }

    @Test func `a host that loses its app keeps its own files`() throws {
        try site.shop("a.json", hosts: ["a.example.com"], more: #"guard: "off""#)
        try site.write("config/hosts/a.example.com/well-known/security.txt", "Contact: mailto:a@example.com\n")
        try site.shop("z.json", hosts: ["z.example.com"])
        try site.round()
        try site.remove("config/apps/a.json")
        try site.round()
        #expect(site.answer("a.example.com") == nil)
        #expect(site.answer("a.example.com", "/.well-known/security.txt") != nil)
    }

    @Test func `a host's own document that becomes invalid stays in service`() throws {
        try site.shop("z.json", hosts: ["z.example.com"])
        let path = "config/hosts/a.example.com/well-known/assetlinks.json"
        try site.write(path, "[]")
        try site.write("config/hosts/a.example.com/well-known/security.txt", "Contact: mailto:a@example.com\n")
        try site.round()
        #expect(site.answer("a.example.com", "/.well-known/assetlinks.json") == "[]")
        try site.write(path, "[{")
        let report = try site.round()
        #expect(!report.errors.isEmpty)
        #expect(report.keptHosts == 1)
        #expect(site.answer("a.example.com", "/.well-known/assetlinks.json") == "[]")
        try site.write(path, "[ ]")
        #expect(try site.round().keptHosts == 0)
        #expect(site.answer("a.example.com", "/.well-known/assetlinks.json") == "[ ]")
    }

    @Test func `shared pages change for all hosts at once`() throws {
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.round()
        try site.write("public/_default/hello.html", "hello")
        try site.round()
        #expect(site.answer("a.example.com", "/hello.html") == "hello")
        try site.remove("public/_default")
        try site.round()
        #expect(site.answer("a.example.com", "/hello.html") == nil)
    }

    @Test func `a folder that disappears and comes back changes nothing`() throws {
        try site.shop("t/a.json", hosts: ["a.example.com"])
        try site.shop("b.json", hosts: ["b.example.com"])
        try site.round()
        let good = site.answer("a.example.com")
        try site.move("config/apps/t", to: "elsewhere")
        #expect(try site.round().errors.map(\.rule) == [.app042])
        #expect(site.answer("a.example.com") == good)
        try site.move("elsewhere", to: "config/apps/t")
        let report = try site.round()
        #expect(report.errors.isEmpty)
        #expect(report.changes.isEmpty)
        #expect(report.keptFiles == 0)
        // Without `config/apps`, deletions cannot be distinguished from errors.
        try site.move("config/apps", to: "elsewhere")
        #expect(throws: ConfigurationError.self) { try site.round() }
        #expect(site.answer("a.example.com") == good)
    }
}
