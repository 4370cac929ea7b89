// Which app files a round reads: changed files, and in separate rounds those that wait for changed hosts.

import Association
import Catalogue
import Telemetry
import Testing

@testable import Hosting

struct TreeScannerTests {
    private let site: TenantTree
    private static let many = (0..<5_000).map { "8KQ2V7M4XN.dev.associated.shop.of.many.apps.\($0)" }

    /// A live host, and one of another tenant.
    init() throws {
        site = try TenantTree()
        try site.shop("live.json", hosts: ["x.example.com"])
        try site.shop("other.json", hosts: ["other.example.com"])
        try site.round()
    }

    /// A round over these files only.
    private func change(_ paths: String...) throws -> RoundReport {
        let changes = TreeChanges.with { $0.appFiles = Set(paths) }
        let report = try site.round(changes)
        #expect(report.readCount == paths.count, "waiting files are read in a later round")
        return report
    }

    /// A round over what the previous one left for later.
    private func follow(_ report: RoundReport) throws -> RoundReport {
        let count = min(report.later.waiting.count, TreeScanner.waitingAtOnceMax)
        let next = try site.round(.with { $0.waiting = report.later.waiting })
        #expect(next.readCount == count)
        return next
    }

    @Test(arguments: [
        ("shop.example.com", "shop.example.com"), ("_wildcard.example.com", "*.example.com"),
        ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"), ("Shop.example.com", nil), ("shop.example.com.", nil),
        ("_wildcard.Example.com", nil), ("m\u{FC}nchen.de", nil), ("192.0.2.1", nil), ("_default", nil), ("..", nil),
        ("", nil),
    ])
    func `a folder belongs to a host if it has the host's name`(folder: String, host: String?) {
        #expect(HostFolders.host(of: folder) == host)
    }

    @Test func `a file that was just written is read again until its marks are reliable`() throws {
        let folders = HostFolders(configPath: site.tree.config, publicPath: site.tree.pages)
        func isSame() throws -> Bool {
            try folders.mark(of: .pages("x.example.com")) == folders.mark(of: .pages("x.example.com"))
        }
        var isToldFromItsPast = false
        // On a slow machine, the moment may have passed before the file is read.
        for _ in 0..<1_000 where !isToldFromItsPast {
            try site.write("public/x.example.com/page.txt", "page")
            isToldFromItsPast = try !isSame()
        }
        #expect(isToldFromItsPast)
        try site.waitUntilSettled("public/x.example.com/page.txt")
        #expect(try isSame())
    }

    /// Files that make the live host's document too large.
    private func refuse(_ names: String...) throws {
        for name in names {
            try site.shop("\(name).json", hosts: ["x.example.com", "\(name).example.com"], ids: Self.many)
            let report = try change("\(name).json")
            #expect(report.errors.map(\.rule) == [.app034])
            #expect(report.later.waiting.isEmpty, "a refused file does not affect others")
        }
        #expect(names.allSatisfy { site.answer("\($0).example.com") == nil })
    }

    @Test func `a refused file is not read when another tenant changes something`() throws {
        try refuse("one", "two", "three")
        try site.shop("other.json", hosts: ["other.example.com", "more.example.com"])
        let report = try change("other.json")
        #expect(report.later.waiting.isEmpty)
        #expect(report.changedHosts == ["more.example.com"])
        #expect(report.figures.refusedFiles == 3)
        // Nor after a change of a host's folder, pages or certificates.
        for change in [\TreeChanges.hostFolders, \.pageFolders, \.hosts] {
            var changes = TreeChanges()
            changes[keyPath: change] = ["other.example.com"]
            changes.signatures = true
            let report = try site.round(changes)
            #expect(report.readCount == 0)
            #expect(report.later.waiting.isEmpty)
        }
        #expect(try site.round(.allAgain).readCount >= 3, "for an operator who asks, all are read")
    }

    @Test func `a refused file is read when the host that could not be rendered changes`() throws {
        try refuse("one", "two")
        let before = site.tenants.catalogue.tags(of: "x.example.com")
        try site.shop(
            "live.json", hosts: ["x.example.com"], ids: ["8KQ2V7M4XN.dev.associated.shop", "8KQ2V7M4XN.dev.more"])
        let report = try change("live.json")
        #expect(site.tenants.catalogue.tags(of: "x.example.com") != before)
        #expect(report.later.waiting == ["one.json", "two.json"])
        let next = try follow(report)
        #expect(next.figures.refusedFiles == 2)
        #expect(next.later.waiting.isEmpty)
        #expect(try site.round(.with { $0.hosts = ["x.example.com"] }).later.waiting == ["one.json", "two.json"])
    }

    @Test func `a file that stays refused does not block the change of another one`() throws {
        try refuse("one")
        try site.shop(
            "live.json", hosts: ["x.example.com"], ids: ["8KQ2V7M4XN.dev.associated.shop", "8KQ2V7M4XN.dev.more"])
        var changes = TreeChanges()
        (changes.appFiles, changes.waiting) = (["live.json"], ["one.json"])
        let report = try site.round(changes)
        #expect(report.readCount == 2)
        #expect(report.figures.refusedFiles == 1)
        #expect(site.answer("x.example.com")?.contains("dev.more") == true)
    }

    @Test func `a file that was refused because of another one is read when that is deleted`() throws {
        let half = Self.many.prefix(1_000)
        try site.shop("one.json", hosts: ["x.example.com", "one.example.com"], ids: Array(half))
        try site.shop("two.json", hosts: ["x.example.com", "two.example.com"], ids: half.map { "\($0).too" })
        #expect(try change("one.json", "two.json").figures.refusedFiles == 2)
        try site.remove("config/apps/two.json")
        let report = try follow(change("two.json"))
        #expect(report.figures.refusedFiles == 0)
        #expect(report.changedHosts == ["one.example.com", "x.example.com"])
    }

    @Test func `very many waiting files are read in small groups`() throws {
        let names = (0..<TreeScanner.waitingAtOnceMax + 3).map { "\($0 + 100).json" }
        for name in names { try site.shop(name, hosts: ["x.example.com"], ids: Self.many) }
        try site.round(.with { $0.appFiles = Set(names) })
        let first = try follow(site.round(.with { $0.hosts = ["x.example.com"] }))
        #expect(first.later.waiting == Set(names.suffix(3)))
        #expect(try follow(first).later.waiting.isEmpty)
    }

    @Test func `a held file is read when another file of its hosts changes, or something is retired`() throws {
        let id = "8KQ2V7M4XN.dev.second"
        try site.shop("live.json", hosts: ["x.example.com"], ids: ["8KQ2V7M4XN.dev.associated.shop", id])
        _ = try change("live.json")
        // Entries that went live a moment ago are not guarded.
        site.tenants.memory.recent = RecentIdentities()
        try site.shop("live.json", hosts: ["x.example.com"])
        #expect(try change("live.json").errors.map(\.rule) == [.app042])
        try site.shop("third.json", hosts: ["third.example.com"], ids: [id])
        #expect(try change("third.json").later.waiting.isEmpty)
        #expect(try site.round(.with { $0.retired = true }).readCount == 1)
        #expect(site.answer("x.example.com")?.contains(id) == true)
        // Another file takes over the id on the same host.
        try site.shop("third.json", hosts: ["third.example.com", "x.example.com"], ids: [id])
        let report = try follow(change("third.json"))
        #expect(report.figures.heldFiles == 0)
        #expect(report.figures.errors == 0)
    }

    @Test func `a deleted file is decided again when its hosts get another file`() throws {
        try site.remove("config/apps/live.json")
        #expect(try change("live.json").figures.goneFiles == 1)
        try site.shop("other.json", hosts: ["other.example.com"], more: "cacheControl: 60")
        #expect(try change("other.json").later.waiting.isEmpty)
        try site.shop("new.json", hosts: ["x.example.com"])
        // In one round; otherwise the host would be served both files for a moment.
        let report = try site.round(.apps("new.json"))
        #expect(report.readCount == 2)
        #expect(report.figures.goneFiles == 0)
        #expect(site.answer("x.example.com")?.contains("newjson") == true)
        #expect(site.answer("x.example.com")?.contains("livejson") == false)
    }
}
