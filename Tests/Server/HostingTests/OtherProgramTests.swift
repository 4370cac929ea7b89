// A state directory of another program version with a text that this version cannot read. Of such a state, only the texts are
// used.

import Association
import Telemetry
import Testing

@testable import Hosting

struct OtherProgramTests {
    private let site: TenantTree

    init() throws {
        site = try TenantTree()
        for name in ["a", "b"] { try site.shop("\(name).json", hosts: ["\(name).example.com", "shared.example.com"]) }
        try site.shop("w.json", hosts: ["*.example.com"])
        try site.restart()
    }

    /// As if the previous program had accepted this text, which the present one rejects, and served it.
    private func makeUnreadable() throws {
        let text = #"{ name: "Shop", hosts: ["b.example.com", "shared.example.com"], links: "formerly" }"#
        try site.write("config/apps/b.json", text)
        let tenants = site.tenants
        var record = try #require(tenants.memory.appFiles["b.json"])
        record.good?.text = .memory(Array(text.utf8))
        tenants.memory.appFiles.put(record, at: "b.json")
        // Saved with the next change.
        try site.shop("w.json", hosts: ["*.example.com", "c.example.com"])
        let changes = TreeChanges.apps("w.json")
        try site.round(changes)
        let compaction = Compaction(
            tenants.memory,
            StateKeeper(
                folder: StateFolder(site.statePath, environment: nil),
                rendering: "program"), base: try #require(tenants.shelf.base), changes: tenants.shelf.changes)
        compaction.run()
        #expect(compaction.failure == nil)
    }

    private func isTold(_ report: RoundReport) -> Bool { report.errors.contains { $0.file.hasSuffix("apps/b.json") } }

    @Test func `hosts of a file that this program cannot read are an error, and no wildcard answers for them`() throws {
        try makeUnreadable()
        let report = try site.restart(program: "another")
        #expect(isTold(report))
        for host in ["b", "shared"] {
            #expect(report.errors.contains { $0.message.contains("\(host).example.com is no longer served") })
            #expect(site.answer("\(host).example.com") == nil)
        }
        for host in ["a", "c", "any"] { #expect(site.answer("\(host).example.com") != nil) }
        #expect(report.figures.brokenFiles == 1)
        #expect(report.figures.unservedFiles == 1)
        #expect(isTold(try site.round(.allAgain)), "it is reported again on request")
        #expect(isTold(try site.restart(program: "another")), "and by the next process")
        #expect(site.answer("b.example.com") == nil)
        #expect(site.tenants.memory.appFiles["b.json"]?.good != nil, "the program that can read it has the text")
    }

    @Test func `a fixed file comes into service`() throws {
        try makeUnreadable()
        try site.restart(program: "another")
        try site.shop("b.json", hosts: ["b.example.com", "shared.example.com"], ids: ["8KQ2V7M4XN.dev.fixed"])
        let report = try site.round()
        #expect(report.errors.isEmpty)
        #expect(report.changedHosts == ["b.example.com", "shared.example.com"])
        #expect(report.keptHosts == 0)
        #expect(site.answer("b.example.com")?.contains("dev.fixed") == true)
    }

    @Test func `last good versions are guarded, also of broken and deleted files`() throws {
        try site.write("config/apps/w.json", "{")
        try site.remove("config/apps/b.json")
        let report = try site.restart(program: "another")
        #expect(report.errors.count { $0.rule == .app042 } == 1)
        #expect(report.figures.goneFiles == 1)
        #expect(report.figures.brokenFiles == 1)
        for host in ["a", "b", "shared", "any"] { #expect(site.answer("\(host).example.com") != nil) }
    }
}
