// Compactions, and changes while one is running.

import Catalogue
import Foundation
import Testing

@testable import Hosting

struct CompactionTests {
    private let site: TenantTree

    init() throws {
        site = try TenantTree()
        for name in ["a", "b"] { try site.shop("\(name).json", hosts: ["\(name).example.com"]) }
        try site.restart()
        for number in 0..<600 { try site.shop("n\(number).json", hosts: ["n\(number).example.com"]) }
        try site.round()
    }

    private func change(_ id: String) throws {
        try site.shop("a.json", hosts: ["a.example.com"], ids: ["8KQ2V7M4XN.\(id)"], more: #"guard: "off""#)
        #expect(try site.round().changedHosts == ["a.example.com"])
    }

    @Test func `a round without changes does not disturb a compaction`() throws {
        let compaction = try #require(site.tenants.beginCompaction())
        compaction.run()
        try site.round()
        site.tenants.finishCompaction(compaction)
        #expect(site.tenants.stateProblem == nil)
        #expect(site.tenants.catalogue.layers.count == 1)
        #expect(site.tenants.beginCompaction() == nil)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test(arguments: [false, true])
    func `a change during a compaction is above the new base, also after a restart`(isLate: Bool) throws {
        let compaction = try #require(site.tenants.beginCompaction())
        if isLate { compaction.run() }
        try change("dev.second")
        if !isLate { compaction.run() }
        #expect(site.tenants.catalogue.layers.count == 3)
        site.tenants.finishCompaction(compaction)
        #expect(site.tenants.stateProblem == nil)
        #expect(site.tenants.catalogue.layers.count == 2)
        #expect(site.answer("a.example.com")?.contains("dev.second") == true)
        #expect(site.answer("n599.example.com") != nil)
        #expect(site.tenants.beginCompaction() == nil)
        try site.write("config/apps/a.json", "{")
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.second") == true)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test(arguments: [false, true])
    func `a process that exits during a compaction forgets nothing`(isInPlace: Bool) throws {
        let changes = "\(site.statePath)/tenants-changes"
        let compaction = try #require(site.tenants.beginCompaction())
        compaction.run()
        try change("dev.second")
        let written = try Data(contentsOf: URL(fileURLWithPath: changes))
        if isInPlace {
            // The process exits after writing the base and before writing the changes for it.
            site.tenants.finishCompaction(compaction)
            #expect(site.tenants.stateProblem == nil)
            try written.write(to: URL(fileURLWithPath: changes))
        }
        try site.write("config/apps/a.json", "{")
        try site.write("config/apps/n7.json", "{")
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.second") == true)
        #expect(site.answer("n7.example.com") != nil)
    }

    @Test func `a host added and removed during a compaction is not in the new base`() throws {
        let compaction = try #require(site.tenants.beginCompaction())
        compaction.run()
        try site.move("config/apps/b.json", to: "config/retired/b.json")
        #expect(try site.round().changedHosts == ["b.example.com"])
        site.tenants.finishCompaction(compaction)
        #expect(site.tenants.stateProblem == nil)
        #expect(site.answer("b.example.com") == nil)
        try site.restart()
        #expect(site.answer("b.example.com") == nil)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test func `endless changes do not delay a compaction`() throws {
        let compaction = try #require(site.tenants.beginCompaction())
        for number in 0..<3 { try change("dev.number\(number)") }
        compaction.run()
        site.tenants.finishCompaction(compaction)
        #expect(site.tenants.stateProblem == nil)
        try change("dev.last")
        #expect(site.tenants.beginCompaction() == nil)
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.last") == true)
    }

    @Test func `a base that cannot be moved into place leaves the old one in use`() throws {
        let base = "\(site.statePath)/tenants"
        let compaction = try #require(site.tenants.beginCompaction())
        compaction.run()
        try change("dev.second")
        try site.move("state/tenants", to: "state/kept")
        try site.write("state/tenants/in-its-place", "")
        site.tenants.finishCompaction(compaction)
        #expect(site.tenants.stateProblem != nil)
        #expect(site.tenants.beginCompaction() == nil, "not again at once")
        try change("dev.third")
        try site.remove("state/tenants")
        try site.move("state/kept", to: "state/tenants")
        #expect(FileManager.default.fileExists(atPath: base))
        try site.write("config/apps/a.json", "{")
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.third") == true)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test func `changes during the first compaction are not forgotten`() throws {
        try site.remove("state")
        let tenants = Tenants(
            configPath: site.tree.config, publicPath: site.tree.pages, environment: nil,
            state: (site.statePath, "program"))
        _ = try tenants.round(.all)
        let compaction = try #require(tenants.beginCompaction())
        compaction.run()
        try site.shop("a.json", hosts: ["a.example.com"], ids: ["8KQ2V7M4XN.dev.second"], more: #"guard: "off""#)
        _ = try tenants.round(.all)
        tenants.finishCompaction(compaction)
        #expect(tenants.stateProblem == nil)
        try site.write("config/apps/a.json", "{")
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.second") == true)
    }
}
