// A folder of `config/apps` above its quota causes one finding; what was live stays, and other folders are not affected.

import Association
import Catalogue
import HTTP
import Telemetry
import Testing

@testable import Hosting

struct AppFolderQuotaTests {
    private let site: TenantTree

    init() throws {
        site = try TenantTree()
        site.limits.filesPerAppFolderMax = 3
        site.limits.foldersPerAppFolderMax = 4
        try site.shop("evil/a.json", hosts: ["a.example.com"])
        try site.shop("good/b.json", hosts: ["b.example.com"])
        try site.restart()
    }

    /// Found by a full scan, a scan of the folder, the event of a new file, or a start.
    private static let looks: [@Sendable (AppFolderQuotaTests) throws -> RoundReport] = [
        { try $0.site.round() },
        { test in
            return try test.site.round(.with { $0.appFolders = ["evil/sub"] })
        },
        { test in try test.site.round(.apps("evil/sub/3.json")) },
        { try $0.site.restart() },
    ]

    @Test(arguments: looks.indices)
    func `a folder with too many files is one finding`(look: Int) throws {
        for number in 1...3 { try site.write("config/apps/evil/sub/\(number).json", "{") }
        try site.shop("evil/a.json", hosts: ["a.example.com", "c.example.com"])
        let report = try AppFolderQuotaTests.looks[look](self)
        #expect(report.findings.map(\.rule) == [.cfg010])
        let finding = try #require(report.findings.first)
        #expect(finding.file == "\(site.tree.config)/apps/evil")
        #expect(finding.message.hasPrefix("apps/evil has more than 3 files"))
        #expect(finding.fix?.contains("limits.filesPerAppFolderMax") == true)
        #expect(site.answer("a.example.com") != nil && site.answer("c.example.com") == nil)
        #expect(site.tenants.openFindings.map(\.rule) == [.cfg010])
        // A change in the folder has no effect, and none of its files is read.
        try site.shop("evil/a.json", hosts: ["c.example.com"])
        let quiet = try site.round(.apps("evil/a.json", "evil/sub/4.json"))
        #expect(quiet.findings.isEmpty && quiet.readCount == 0 && quiet.keptHosts == 1)
        // The other folder is still read.
        try site.shop("good/b.json", hosts: ["b.example.com", "d.example.com"])
        #expect(try site.round(.apps("good/b.json")).changedHosts.contains("d.example.com"))
        // With one file less, everything is as on disk.
        try site.remove("config/apps/evil/sub/3.json")
        try site.shop("evil/a.json", hosts: ["a.example.com", "c.example.com"])
        let last = try site.round(.apps("evil/sub/3.json"))
        #expect(site.answer("c.example.com") != nil)
        #expect(last.findings.allSatisfy { $0.rule != .cfg010 } && !last.findings.isEmpty)
        #expect(last.fixedFiles == ["\(site.tree.config)/apps/evil"])
    }

    @Test func `links out of the folder count as files`() throws {
        for number in 0..<8 { try site.link("config/apps/evil/l\(number).json", to: "/etc/passwd") }
        #expect(try site.round().findings.map(\.rule) == [.cfg010])
        #expect(site.answer("a.example.com") != nil)
    }

    /// Found by the event of a new or larger file, or by a full scan.
    @Test(arguments: ["evil/new.json", "evil/a.json", nil])
    func `a folder with too many bytes is one finding, whichever file has them`(path: String?) throws {
        site.limits.bytesPerAppFolderMax = 3_000
        try site.restart()
        let comment = String(repeating: "x", count: 3_000)
        let hosts = ["a.example.com", "c.example.com"]
        try site.shop(path ?? "evil/a.json", hosts: hosts, more: "/* \(comment) */")
        try site.write("config/apps/evil/notes.txt", comment)
        let report = try site.round(path.map { .apps($0) } ?? .all)
        #expect(report.findings.map(\.rule) == [.cfg010])
        #expect(report.findings.first?.message.hasPrefix("apps/evil has more than 3000 bytes of app files") == true)
        #expect(report.findings.first?.fix?.contains("limits.bytesPerAppFolderMax") == true)
        // A full scan reads recently written files once more.
        #expect(report.readCount <= (path == nil ? 1 : 0) && report.figures.keptHosts == 1)
        #expect(site.answer("a.example.com") != nil && site.answer("c.example.com") == nil)
        try site.shop("good/b.json", hosts: ["b.example.com", "d.example.com"])
        #expect(try site.round(.apps("good/b.json")).changedHosts.contains("d.example.com"))
        try site.shop(path ?? "evil/a.json", hosts: hosts)
        #expect(try site.round(.apps(path ?? "evil/a.json")).changedHosts.contains("c.example.com"))
    }

    @Test func `empty folders count too`() throws {
        for number in 0..<5 { try site.write("config/apps/evil/d\(number)/.hidden", "") }
        let report = try site.round()
        #expect(report.findings.map(\.rule) == [.cfg010])
        #expect(report.findings.first?.fix?.contains("limits.foldersPerAppFolderMax") == true)
    }

    @Test func `files directly in config/apps have their own limit`() throws {
        for number in 0..<20 { try site.shop("\(number).json", hosts: ["h\(number).example.com"]) }
        #expect(try site.round().findings.isEmpty)
        #expect(site.tenants.catalogue.siteCount == 22)
        site.limits.appFilesMax = 10
        let report = try site.restart()
        #expect(report.findings.map(\.rule) == [.cfg010])
        #expect(report.findings.first?.fix?.contains("limits.appFilesMax") == true)
        #expect(site.tenants.catalogue.siteCount == 22)
    }

    @Test func `the first findings on a folder are listed, and the rest are counted`() throws {
        site.limits.filesPerAppFolderMax = 1_000
        for number in 1000..<1250 { try site.write("config/apps/evil/\(number).json", "{ name: 1 ") }
        try site.write("config/apps/top.json", "{")
        let reports = [try site.restart(program: "another"), try site.round(.allAgain)]
        for found in reports.map(\.findings) + [site.tenants.openFindings] {
            let mine = found.filter { $0.file.contains("/evil") }
            #expect(mine.count == AppFindings.countMax + 1)
            #expect(mine.contains { $0.file.hasSuffix("/evil") && $0.message.contains("more finding") })
            #expect(found.contains { $0.file.hasSuffix("/top.json") })
        }
        // Findings that were only counted are not reported as fixed.
        try site.write("config/apps/evil/1000.json", "{ }")
        try site.write("config/apps/evil/0999.json", "{ ")
        #expect(try site.round().fixedFiles.isEmpty)
    }
}
