// A base that is made beside the rounds, and what changes while it is being made.

import Catalogue
import Foundation
import Testing

@testable import Hosting

struct TidyingTests {
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

    @Test func `a look that finds nothing does not get in its way`() throws {
        let tidying = try #require(site.tenants.tidying())
        tidying.run()
        try site.round()
        #expect(site.tenants.finish(tidying).notes == [])
        #expect(site.tenants.catalogue.layers.count == 1)
        #expect(site.tenants.tidying() == nil)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test(arguments: [false, true])
    func `a change in the middle lies above the new base, after a restart too`(isLate: Bool) throws {
        let tidying = try #require(site.tenants.tidying())
        if isLate { tidying.run() }
        try change("dev.second")
        if !isLate { tidying.run() }
        #expect(site.tenants.catalogue.layers.count == 3)
        #expect(site.tenants.finish(tidying).notes == [])
        #expect(site.tenants.catalogue.layers.count == 2)
        #expect(site.answer("a.example.com")?.contains("dev.second") == true)
        #expect(site.answer("n599.example.com") != nil)
        #expect(site.tenants.tidying() == nil)
        try site.write("config/apps/a.json", "{")
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.second") == true)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test(arguments: [false, true])
    func `a process that ends with a base half way forgets nothing`(isInPlace: Bool) throws {
        let changes = "\(site.statePath)/tenants-changes"
        let tidying = try #require(site.tenants.tidying())
        tidying.run()
        try change("dev.second")
        let written = try Data(contentsOf: URL(fileURLWithPath: changes))
        if isInPlace {
            // It ends behind the base and before the changes that are for it.
            #expect(site.tenants.finish(tidying).notes == [])
            try written.write(to: URL(fileURLWithPath: changes))
        }
        try site.write("config/apps/a.json", "{")
        try site.write("config/apps/n7.json", "{")
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.second") == true)
        #expect(site.answer("n7.example.com") != nil)
    }

    @Test func `what came and went in the middle is not in the new base`() throws {
        let tidying = try #require(site.tenants.tidying())
        tidying.run()
        try site.move("config/apps/b.json", to: "config/retired/b.json")
        #expect(try site.round().changedHosts == ["b.example.com"])
        #expect(site.tenants.finish(tidying).notes == [])
        #expect(site.answer("b.example.com") == nil)
        try site.restart()
        #expect(site.answer("b.example.com") == nil)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test func `changes that never end do not put it off`() throws {
        let tidying = try #require(site.tenants.tidying())
        for number in 0..<3 { try change("dev.number\(number)") }
        tidying.run()
        #expect(site.tenants.finish(tidying).notes == [])
        try change("dev.last")
        #expect(site.tenants.tidying() == nil)
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.last") == true)
    }

    @Test func `a base that cannot be put in its place leaves the old one in use`() throws {
        let base = "\(site.statePath)/tenants"
        let tidying = try #require(site.tenants.tidying())
        tidying.run()
        try change("dev.second")
        try site.move("state/tenants", to: "state/kept")
        try site.write("state/tenants/in-its-place", "")
        #expect(site.tenants.finish(tidying).notes == [])
        #expect(site.tenants.stateProblem != nil)
        #expect(site.tenants.tidying() == nil, "not again at once")
        try change("dev.third")
        try site.remove("state/tenants")
        try site.move("state/kept", to: "state/tenants")
        #expect(FileManager.default.fileExists(atPath: base))
        try site.write("config/apps/a.json", "{")
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.third") == true)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test func `what changes while the first base is made is not forgotten`() throws {
        try site.remove("state")
        let tenants = Tenants(
            configPath: site.tree.config, publicPath: site.tree.root + "/public", environment: nil,
            state: (site.statePath, "program"))
        _ = try tenants.round(.all)
        let tidying = try #require(tenants.tidying())
        tidying.run()
        try site.shop("a.json", hosts: ["a.example.com"], ids: ["8KQ2V7M4XN.dev.second"], more: #"guard: "off""#)
        _ = try tenants.round(.all)
        #expect(tenants.finish(tidying).notes == [])
        try site.write("config/apps/a.json", "{")
        try site.restart()
        #expect(site.answer("a.example.com")?.contains("dev.second") == true)
    }
}
