// The numbers that say how tenants stand: each file that is held back counts once, until it is mended, after a restart too.

import Association
import Telemetry
import Testing

@testable import Hosting

struct TenantFiguresTests {
    private let site: TenantTree

    init() throws {
        site = try TenantTree()
        for name in ["a", "b", "c"] { try site.shop("\(name).json", hosts: ["\(name).example.com"]) }
        try site.restart()
    }

    @Test func `counts what is served when nothing is wrong`() throws {
        #expect(try site.round().figures == HostingFigures(appFiles: 3, hosts: 3))
    }

    @Test func `tells the reasons host by host`() throws {
        #expect(site.tenants.keptReasons(hostsMax: 10).isEmpty)
        try site.write("config/apps/a.json", "{ name: ")
        try site.shop("b.json", hosts: ["b.example.com"], ids: ["8KQ2V7M4XN.dev.other"])
        _ = try site.round()
        let reasons = site.tenants.keptReasons(hostsMax: 10)
        #expect(reasons.map(\.host) == ["a.example.com", "b.example.com"])
        #expect(reasons.map { $0.findings.contains { $0.rule == .app042 } } == [false, true])
        #expect(reasons.allSatisfy { !$0.findings.isEmpty })
        #expect(site.tenants.keptReasons(hostsMax: 1).map(\.host) == ["a.example.com"])
    }

    @Test func `counts files by what became of them, and what the guard keeps`() throws {
        try site.write("config/apps/a.json", "{ name: ")
        try site.shop("b.json", hosts: ["b.example.com"], ids: ["8KQ2V7M4XN.dev.other"])
        try site.remove("config/apps/c.json")
        try site.write("config/apps/never.json", "{ hosts: 1 }")
        var expected = HostingFigures(appFiles: 3, hosts: 3)
        expected.keptHosts = 3
        (expected.brokenFiles, expected.heldFiles, expected.goneFiles) = (2, 1, 1)
        expected.unservedFiles = 1
        // An id on b; on c, the host and its id.
        expected.guardedEntries = 3
        let figures = try site.round().figures
        expected.errors = figures.errors
        expected.warnings = figures.warnings
        #expect(figures == expected)
        #expect(figures.errors >= 4)
        #expect(try site.restart().figures == figures)
        // Another look changes nothing, and mending everything leaves nothing.
        #expect(try site.round().figures == figures)
        for name in ["a", "b", "c"] { try site.shop("\(name).json", hosts: ["\(name).example.com"]) }
        try site.remove("config/apps/never.json")
        #expect(try site.round().figures == HostingFigures(appFiles: 3, hosts: 3))
    }

    @Test func `tells what is wrong with a host's own file for as long as it is, whatever stands in for it`() throws {
        let path = "config/hosts/a.example.com/well-known/apple-app-site-association"
        let generated = site.answer("a.example.com")
        try site.write(path, "{bad")
        try site.waitUntilSettled(path)
        let errors = try site.round().errors
        #expect(!errors.isEmpty)
        #expect(site.answer("a.example.com") == generated)
        #expect(try site.round().findings.isEmpty, "nothing is said again because something else is looked at")
        for _ in 0..<2 {
            #expect(site.tenants.openFindings == errors)
            #expect(try site.round().figures.errors == errors.count)
            #expect(try site.round(.allAgain).errors == errors)
            // Another process says so too, of what was written before and after a base was made.
            #expect(try site.restart().errors == errors)
            #expect(site.tenants.keptHosts.isEmpty)
        }
        try site.restart(program: "another")
        #expect(site.tenants.openFindings == errors)
        try site.remove(path)
        #expect(try site.round().figures == HostingFigures(appFiles: 3, hosts: 3))
        #expect(try site.restart().errors.isEmpty)
    }

    @Test func `tells what is wrong in the first round of all`() throws {
        try site.write("config/hosts/a.example.com/well-known/assetlinks.json", "[")
        try site.write("config/hosts/own.example.com/well-known/assetlinks.json", "[")
        try site.remove("state")
        for changes in [TreeChanges.start, .allAgain] {
            try site.restart(changes)
            try site.round()
            #expect(Set(site.tenants.openFindings.map(\.file)).count == 2)
        }
    }

    @Test func `a file that makes its host stay as it is, is the reason`() throws {
        let path = "config/hosts/a.example.com/well-known/change-password"
        try site.write(path, "/password")
        try site.round()
        try site.write(path, "http://evil.example")
        try site.round()
        let reasons = site.tenants.keptReasons(hostsMax: 9)
        #expect(reasons.map(\.host) == ["a.example.com"])
        #expect(reasons.first?.findings.map(\.rule) == [.cfg005])
        // Beside an error that changes nothing of what is served, it is the reason all the same.
        try site.write("config/hosts/a.example.com/well-known/apple-app-site-association", "{bad")
        try site.round()
        let rules = site.tenants.keptReasons(hostsMax: 9).first?.findings.map(\.rule) ?? []
        #expect(Set(rules) == [.aasa001, .cfg005])
    }

    @Test func `counts a host whose own file would be refused, and what is wrong with it`() throws {
        let path = "config/hosts/a.example.com/well-known/assetlinks.json"
        try site.write(path, "[]")
        #expect(try site.round().figures.keptHosts == 0)
        try site.write(path, "[")
        let figures = try site.round().figures
        #expect(figures.keptHosts == 1)
        #expect(figures.errors > 0)
        #expect(try site.restart().figures == figures)
        try site.remove("config/hosts/a.example.com/well-known")
        #expect(try site.round().figures == HostingFigures(appFiles: 3, hosts: 3))
    }
}
