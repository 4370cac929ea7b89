// Figures of tenants: each file that is not in service counts once, until it is fixed, also after a restart.

import Association
import Settings
import Telemetry
import Tenancy
import Testing

@testable import Hosting

struct TenantFiguresTests {
    private let site: TenantTree

    init() throws {
        site = try TenantTree()
        for name in ["a", "b", "c"] { try site.shop("\(name).json", hosts: ["\(name).example.com"]) }
        try site.restart()
    }

    @Test func `counts what is served without problems`() throws {
        #expect(try site.round().figures == HostingFigures(appFiles: 3, hosts: 3))
    }

    @Test func `lists the reasons for each host`() throws {
        #expect(site.tenants.lastGoodReasons(hostsMax: 10).isEmpty)
        try site.write("config/apps/a.json", "{ name: ")
        try site.shop("b.json", hosts: ["b.example.com"], ids: ["8KQ2V7M4XN.dev.other"])
        _ = try site.round()
        let reasons = site.tenants.lastGoodReasons(hostsMax: 10)
        #expect(reasons.map(\.host) == ["a.example.com", "b.example.com"])
        #expect(reasons.map { $0.findings.contains { $0.rule == .app042 } } == [false, true])
        #expect(reasons.allSatisfy { !$0.findings.isEmpty })
        #expect(site.tenants.lastGoodReasons(hostsMax: 1).map(\.host) == ["a.example.com"])
    }

    @Test func `lists the errors of files beside those in service, for the hosts that they name`() throws {
        #expect(site.tenants.furtherErrors(hostsMax: 10).isEmpty)
        // A new file that was never good, and a broken version that names a further host.
        try site.write(
            "config/apps/new.json", "{ name: 'New', hosts: ['a.example.com', 'x.example.com'], ios: { appIDs: ['1'] } }"
        )
        try site.write(
            "config/apps/b.json", "{ name: 'B', hosts: ['b.example.com', 'c.example.com'], ios: { appIDs: ['2'] } }")
        _ = try site.round()
        for _ in 0..<2 {
            let errors = site.tenants.furtherErrors(hostsMax: 10)
            #expect(errors.keys.sorted() == ["a.example.com", "c.example.com", "x.example.com"])
            #expect(
                errors["a.example.com"]?.allSatisfy { $0.file.hasSuffix("new.json") && $0.severity == .error } == true)
            #expect(errors["c.example.com"]?.allSatisfy { $0.file.hasSuffix("b.json") } == true)
            #expect(site.tenants.furtherErrors(hostsMax: 1).count == 1)
            try site.restart()
        }
        try site.remove("config/apps/new.json")
        try site.shop("b.json", hosts: ["b.example.com"])
        _ = try site.round()
        #expect(site.tenants.furtherErrors(hostsMax: 10).isEmpty)
    }

    @Test func `a file that is restored after an error has the warnings that it had`() throws {
        let text = """
            { name: 'W', hosts: ['w.example.com'], ios: { appIDs: ['8KQ2V7M4XN.dev.w'] }, unheardOf: 1 }
            """
        try site.write("config/apps/w.json", text)
        let first = try site.round()
        try #require(first.figures.warnings > 0)
        try site.write("config/apps/w.json", "{ name: ")
        #expect(try site.round().figures.warnings == first.figures.warnings, "its last good version is served")
        try site.write("config/apps/w.json", text)
        let again = try site.round()
        #expect(again.figures.warnings == first.figures.warnings)
        #expect(again.findings == first.findings)
    }

    @Test func `a tenant has the reasons of its host although another has very many`() throws {
        for name in ["a", "b"] {
            let hosts = (0..<(name == "a" ? 30 : 1)).map { "\(name)\($0).example.com" }
            try site.shop("\(name)/x.json", hosts: hosts)
        }
        _ = try site.round()
        for name in ["a", "b"] { try site.write("config/apps/\(name)/x.json", "{ name: ") }
        _ = try site.round()
        let reasons = site.tenants.lastGoodReasons(hostsMax: 10)
        #expect(reasons.count == 10 && reasons.contains { $0.host == "b0.example.com" })
    }

    @Test func `a file says of a host that it may not name only that`() throws {
        try site.write("config/server.json", "{ owners: { b: ['bob.example.com'] } }")
        site.owners = SettingsReader(file: "\(site.tree.config)/server.json").settings.owners
        for index in 0..<12 {
            try site.write(
                "config/apps/a/n\(index).json", "{ name: 'x', hosts: ['bob.example.com'], ios: { appIDs: ['1'] } }")
        }
        try site.write("config/apps/b/x.json", "{ name: 'x', hosts: ['bob.example.com'], ios: { appIDs: ['1'] } }")
        try site.restart()
        let errors = site.tenants.furtherErrors(hostsMax: 100)["bob.example.com"] ?? []
        #expect(errors.first?.file.hasSuffix("b/x.json") == true)
        #expect(errors.filter { !$0.file.hasSuffix("b/x.json") }.allSatisfy { $0.rule == .app046 })
    }

    @Test func `counts files by state, and guarded entries`() throws {
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
        // Another round changes nothing, and fixing everything leaves no finding.
        #expect(try site.round().figures == figures)
        for name in ["a", "b", "c"] { try site.shop("\(name).json", hosts: ["\(name).example.com"]) }
        try site.remove("config/apps/never.json")
        #expect(try site.round().figures == HostingFigures(appFiles: 3, hosts: 3))
    }

    @Test func `reports a problem of a host's own file until it is fixed, even if another answer is served`() throws {
        let path = "config/hosts/a.example.com/well-known/apple-app-site-association"
        let generated = site.answer("a.example.com")
        try site.write(path, "{bad")
        try site.waitUntilSettled(path)
        let errors = try site.round().errors
        #expect(!errors.isEmpty)
        #expect(site.answer("a.example.com") == generated)
        #expect(try site.round().findings.isEmpty, "another round does not repeat findings")
        for _ in 0..<2 {
            #expect(site.tenants.openFindings == errors)
            #expect(try site.round().figures.errors == errors.count)
            #expect(try site.round(.allAgain).errors == errors)
            // The next process reports the same, before and after a compaction.
            #expect(try site.restart().errors == errors)
            #expect(site.tenants.hostsOnLastGood.isEmpty)
            #expect(site.tenants.furtherErrors(hostsMax: 10) == ["a.example.com": errors])
        }
        try site.restart(program: "another")
        #expect(site.tenants.openFindings == errors)
        try site.remove(path)
        #expect(try site.round().figures == HostingFigures(appFiles: 3, hosts: 3))
        #expect(try site.restart().errors.isEmpty)
    }

    @Test func `says whose file a finding is about`() throws {
        try site.write("config/apps/team/broken.json", "{")
        try site.shop("team/shop.json", hosts: ["shop.example.com"])
        try site.write("config/apps/broken.json", "{")
        for host in ["shop", "a"] {
            try site.write("config/hosts/\(host).example.com/well-known/assetlinks.json", "[")
        }
        try site.round()
        let tenants = Set(site.tenants.openFindings.map { site.tenants.tenant(ofFile: $0.file).description })
        #expect(tenants == ["team/", "broken.json", "a.example.com"])
    }

    @Test func `reports problems of the very first round`() throws {
        try site.write("config/hosts/a.example.com/well-known/assetlinks.json", "[")
        try site.write("config/hosts/own.example.com/well-known/assetlinks.json", "[")
        try site.remove("state")
        try site.restart()
        try site.round()
        #expect(Set(site.tenants.openFindings.map(\.file)).count == 2)
    }

    @Test func `a file that keeps its host unchanged is reported as the reason`() throws {
        let path = "config/hosts/a.example.com/well-known/change-password"
        try site.write(path, "/password")
        try site.round()
        try site.write(path, "http://evil.example")
        try site.round()
        let reasons = site.tenants.lastGoodReasons(hostsMax: 9)
        #expect(reasons.map(\.host) == ["a.example.com"])
        #expect(reasons.first?.findings.map(\.rule) == [.cfg005])
        // It is reported as the reason, next to an error that does not affect what is served.
        try site.write("config/hosts/a.example.com/well-known/apple-app-site-association", "{bad")
        try site.round()
        let rules = site.tenants.lastGoodReasons(hostsMax: 9).first?.findings.map(\.rule) ?? []
        #expect(Set(rules) == [.aasa001, .cfg005])
    }

    @Test func `counts a host whose own file phones would reject, with the finding`() throws {
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
