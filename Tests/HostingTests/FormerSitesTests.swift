// What another program has kept and this one cannot read: the same folder, and a text in it that used to be good.

import Association
import Catalogue
import Foundation
import Posix
import Testing

@testable import Hosting

struct FormerSitesTests {
    private let site: TenantTree

    init() throws {
        site = try TenantTree()
        for name in ["a", "b"] { try site.shop("\(name).json", hosts: ["\(name).example.com", "shared.example.com"]) }
        try site.shop("w.json", hosts: ["*.example.com"])
        try site.restart()
    }

    /// As if the program that has just run had read this text and made of it what it serves. This one rejects it, and does
    /// not see that the file has changed.
    private func makeUnreadable(_ name: String = "b.json") throws {
        let text = #"{ name: "Shop", hosts: ["b.example.com", "shared.example.com"], links: "formerly" }"#
        try site.write("config/apps/\(name)", text)
        try site.waitUntilSettled("config/apps/\(name)")
        let tenants = site.tenants
        var record = try #require(tenants.ledger[name])
        record.good?.text = .memory(Array(text.utf8))
        record.mark = try File.status("\(site.tree.config)/apps/\(name)")
        tenants.ledger.put(record, at: name)
        tenants.keeping?.changedApps.insert(name)
        tenants.keeping?.isDirty = true
        var report = RoundReport()
        tenants.keepChanges(&report)
        #expect(report.notes.isEmpty)
    }

    private func isTold(_ report: RoundReport) -> Bool { report.errors.contains { $0.file.hasSuffix("apps/b.json") } }

    @Test(arguments: [TreeChanges.start, .allAgain])
    func `hosts of a file that this program cannot read stay as another one made them`(changes: TreeChanges) throws {
        let hosts = ["a", "b", "shared", "any"].map { "\($0).example.com" }
        let before = hosts.map { site.answer($0) }
        try makeUnreadable()
        let report = try site.restart(changes, program: "another")
        #expect(isTold(report))
        #expect(hosts.map { site.answer($0) } == before)
        #expect(before.allSatisfy { $0 != nil })
        #expect(report.hostCount == 4)
        #expect(report.keptFiles == 1)
        #expect(report.keptHosts == 2)
        #expect(report.standing.brokenFiles == 1)
        #expect(report.standing.unservedFiles == 0)
        #expect(report.standing.standingErrors > 0)
        #expect(site.tenants.keptReasons(hostsMax: 9).map(\.host) == ["b.example.com", "shared.example.com"])
        // It is looked at again when somebody asks, and by the next process of the same program.
        #expect(isTold(try site.round(.allAgain)))
        #expect(isTold(try site.restart(changes, program: "another")))
        #expect(hosts.map { site.answer($0) } == before)
        #expect(site.tenants.keptHosts.count == 2)
        // A third program is told of it too, and has what the first one made.
        #expect(isTold(try site.restart(changes, program: "third")))
        #expect(hosts.map { site.answer($0) } == before)
    }

    @Test func `a file that was written again as it was is as broken as before`() throws {
        try makeUnreadable()
        try site.restart(program: "another")
        try site.move("config/apps/b.json", to: "b.json")
        try FileManager.default.copyItem(atPath: site.tree.root + "/b.json", toPath: site.tree.config + "/apps/b.json")
        #expect(isTold(try site.round(.allAgain)))
        #expect(site.tenants.keptHosts == ["b.example.com", "shared.example.com"])
    }

    @Test func `a file that is mended is in service again`() throws {
        try makeUnreadable()
        try site.restart(program: "another")
        try site.shop("b.json", hosts: ["b.example.com", "shared.example.com"], ids: ["8KQ2V7M4XN.dev.mended"])
        let report = try site.round()
        #expect(report.errors.isEmpty)
        #expect(report.changedHosts == ["b.example.com", "shared.example.com"])
        #expect(report.keptHosts == 0)
        #expect(site.answer("b.example.com")?.contains("dev.mended") == true)
        #expect(site.answer("shared.example.com")?.contains("dev.mended") == true)
    }

    @Test func `hosts of a file that cannot be read are guarded`() throws {
        let before = site.answer("b.example.com")
        try makeUnreadable()
        try site.restart(program: "another")
        try site.shop("b.json", hosts: ["other.example.com"])
        #expect(try site.round().errors.map(\.rule) == ["APP-042"])
        try site.remove("config/apps/b.json")
        #expect(try site.round().errors.map(\.rule) == ["APP-042"])
        #expect(site.answer("b.example.com") == before)
        try site.write("config/retired/b.json", "{}")
        #expect(try site.round().errors.isEmpty)
        #expect(site.answer("b.example.com") == site.answer("any.example.com"))
    }

    @Test func `a host of two files waits for the one that cannot be read`() throws {
        let before = site.answer("shared.example.com")
        try makeUnreadable()
        try site.restart(program: "another")
        try site.shop(
            "a.json", hosts: ["a.example.com", "shared.example.com"], ids: ["8KQ2V7M4XN.dev.second"],
            more: #"retired: { appIDs: ["8KQ2V7M4XN.dev.associated.shop"] }"#)
        let report = try site.round()
        let reason = report.errors.filter { $0.message.contains("cannot read the last good version") }
        #expect(reason.map { $0.file.hasSuffix("b.json") } == [true])
        #expect(report.standing.refusedFiles == 1)
        #expect(site.answer("shared.example.com") == before)
        // A folder of its own does not end it either.
        try site.write("config/hosts/b.example.com/well-known/security.txt", "Contact: mailto:b@example.com\n")
        #expect(try site.round().changedHosts == [])
        #expect(site.answer("b.example.com") != nil)
    }

    @Test func `what can be neither made nor kept is an error, and no wildcard stands in`() throws {
        let page = site.tree.root + "/public/b.example.com/large.bin"
        try site.write("public/b.example.com/large.bin", String(repeating: "x", count: PageSet.memoryBytesMax + 1))
        try site.restart()
        try makeUnreadable()
        try FileManager.default.removeItem(atPath: page)
        try site.write("public/b.example.com/large.bin", String(repeating: "y", count: PageSet.memoryBytesMax + 2))
        let report = try site.restart(program: "another")
        #expect(
            report.errors.contains { $0.rule == "APP-042" && $0.message.contains("b.example.com is no longer served") })
        #expect(site.answer("b.example.com") == nil)
        #expect(site.answer("shared.example.com") != nil)
        #expect(report.hostCount == 3)
        // The text is still there for the program that can read it.
        try site.write("public/b.example.com/large.bin", "small")
        #expect(site.tenants.ledger["b.json"]?.good != nil)
    }

    @Test func `what a file of its own spoils stays as another program made it`() throws {
        let (file, path) = ("config/hosts/a.example.com/well-known/assetlinks.json", "/.well-known/assetlinks.json")
        let statement =
            #"{ "relation": ["delegate_permission/common.handle_all_urls"], "target": { "namespace": "web", "site": "https://x.example" } }"#
        try site.write(file, "[\(statement)]")
        #expect(try site.round().changedHosts == ["a.example.com"])
        let before = site.answer("a.example.com", path)
        try site.write(file, "{ broken")
        #expect(try site.round().keptHosts == 1)
        let report = try site.restart(program: "another")
        #expect(report.keptHosts == 1)
        #expect(before != nil && site.answer("a.example.com", path) == before)
    }

    @Test func `a reading that spoils what another program made is rejected whole`() throws {
        let (file, path) = ("config/hosts/b.example.com/well-known/assetlinks.json", "/.well-known/assetlinks.json")
        let statement =
            #"{ "relation": ["delegate_permission/common.handle_all_urls"], "target": { "namespace": "web", "site": "https://x.example" } }"#
        try site.write(file, "[\(statement)]")
        try site.round()
        let before = site.answer("b.example.com", path)
        try site.write(file, "{ broken")
        try site.shop("b.json", hosts: ["b.example.com", "shared.example.com", "new.example.com"])
        let report = try site.restart(program: "another")
        #expect(report.standing.refusedFiles == 1)
        #expect(before != nil && site.answer("b.example.com", path) == before)
        // What it names beside that host is not served by it either.
        #expect(site.answer("new.example.com") == site.answer("any.example.com"))
        #expect(report.hostCount == 4)
        try site.write(file, "[\(statement)]")
        #expect(try site.round(.allAgain).changedHosts == ["new.example.com"])
    }
}
