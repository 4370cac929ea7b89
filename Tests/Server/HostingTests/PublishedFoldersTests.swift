// App files that tenants have published are served like those in `config/apps`: the second root differs only in its path.

import Association
import HTTP
import Posix
import Settings
import Tenancy
import TestSupport
import Testing

@testable import Hosting

struct PublishedFoldersTests {
    private let site: TenantTree

    /// An app file of the operator, one of a folder in `config/apps`, and two of a tenant.
    init() throws {
        site = try TenantTree()
        try site.shop("own.json", hosts: ["own.example.com"])
        try site.shop("team/t.json", hosts: ["t.example.com"])
        try site.publish("acme", ["a.example.com", "b.example.com"])
        try site.restart()
    }

    /// Found by an event, by a full scan, and by a start.
    private static let looks: [@Sendable (TenantTree) throws -> RoundReport] = [
        { site in try site.round(.with { $0.appFolders = ["acme"] }) }, { try $0.round() }, { try $0.restart() },
    ]

    private func path(_ name: String) -> String { "\(site.publishedPath)/apps/\(name)" }

    @Test(arguments: looks.indices)
    func `a release is served as a whole`(look: Int) throws {
        #expect(site.answer("a.example.com") != nil && site.answer("b.example.com") != nil)
        try site.publish("acme", ["a.example.com", "b.example.com", "c.example.com"])
        let report = try Self.looks[look](site)
        #expect(report.changedHosts == ["c.example.com"] && report.findings.isEmpty)
        #expect(report.appCount == 5 && report.hostCount == 5)
        #expect(site.tenants.tenant(ofHost: "c.example.com").description == "acme/")
        #expect(site.tenants.tenant(ofFile: path("acme/c.json")).description == "acme/")
    }

    @Test(arguments: looks.indices)
    func `a finding names the file where it is, and the last good version stays`(look: Int) throws {
        try site.publish("acme", ["a.example.com", "b.example.com"], more: "android: 7")
        let before = site.answer("a.example.com")
        let report = try Self.looks[look](site)
        #expect(report.errors.map(\.file) == [path("acme/a.json"), path("acme/b.json")])
        #expect(report.keptHosts == 2 && site.answer("a.example.com") == before && before != nil)
        #expect(site.tenants.openFindings.map(\.file) == report.errors.map(\.file))
        try site.publish("acme", ["a.example.com", "b.example.com"])
        #expect(try site.round().fixedFiles == [path("acme/a.json"), path("acme/b.json")])
    }

    @Test(arguments: looks.indices)
    func `a folder of the operator counts alone, which is one finding`(look: Int) throws {
        try site.shop("acme/d.json", hosts: ["d.example.com"])
        let report = try Self.looks[look](site)
        #expect(site.answer("d.example.com") != nil)
        // What it takes away is held.
        #expect(report.errors.map(\.rule) == [.app042, .app042])
        #expect(site.answer("a.example.com") != nil && report.keptHosts == 2)
        let overruled = report.findings.filter { $0.rule == .cfg016 }
        #expect(overruled.map(\.file) == [path("acme")] && overruled.map(\.severity) == [.warning])
        #expect(overruled.first?.message.hasPrefix("\(site.tree.config)/apps/acme has the same name, ") == true)
        #expect(site.tenants.openFindings.filter { $0.rule == .cfg016 } == overruled)
        try site.publish("acme", ["z.example.com"])
        let next = try site.round(.with { $0.appFolders = ["acme"] })
        #expect(next.changes.isEmpty && next.findings.isEmpty && site.answer("z.example.com") == nil)
        // The folder is removed, with its app retired.
        try site.move("config/apps/acme/d.json", to: "config/retired/acme/d.json")
        try site.publish("acme", ["a.example.com", "b.example.com"])
        try site.remove("config/apps/acme")
        let last = try site.round(.with { $0.appFolders = ["acme"] })
        #expect(last.findings.isEmpty && last.changedHosts == ["d.example.com"] && last.keptHosts == 0)
        #expect(last.fixedFiles.contains(path("acme")) && site.tenants.openFindings.isEmpty)
    }

    @Test func `ignored rules of lint are not reported`() throws {
        try site.write("config/server.json", "{ lint: { ignore: ['CFG-016'] } }")
        site.lint = SettingsReader(file: "\(site.tree.config)/server.json").settings.lint
        try site.write("config/apps/acme/README", "")
        #expect(try site.restart().findings.map(\.rule) == [.app042, .app042])
    }

    @Test(arguments: looks.indices)
    func `a file that moves from one root to the other changes nothing for clients`(look: Int) throws {
        try site.move("state/published/apps/acme", to: "config/apps/acme")
        let there = try Self.looks[look](site)
        #expect(there.changes.isEmpty && there.findings.isEmpty && there.keptFiles == 0)
        #expect(site.tenants.tenant(ofFile: "\(site.tree.config)/apps/acme/a.json").description == "acme/")
        try site.move("config/apps/acme", to: "state/published/apps/acme")
        let back = try Self.looks[look](site)
        #expect(back.changes.isEmpty && back.findings.isEmpty && back.keptFiles == 0)
        #expect(site.answer("a.example.com") != nil)
    }

    @Test(arguments: looks.indices)
    func `a release that removes what is live is held until that is retired`(look: Int) throws {
        try site.publish("acme", ["a.example.com"])
        let report = try Self.looks[look](site)
        #expect(report.errors.map(\.file) == [path("acme/b.json")] && site.answer("b.example.com") != nil)
        #expect(report.errors.first?.fix == "publish it again, or publish its removal with `retire`")
        // In which place does not matter.
        try site.publish("acme", ["a.example.com", "b.example.com"], in: "retired")
        #expect(try site.round(.with { $0.retired = true }).changedHosts == ["b.example.com"])
        #expect(site.answer("b.example.com") == nil && site.tenants.openFindings.isEmpty)
    }

    @Test func `all files of a tenant that is withdrawn are held, also after a restart`() throws {
        try site.move("state/published/apps/acme", to: "elsewhere")
        let report = try site.round(.with { $0.appFolders = ["acme"] })
        #expect(report.errors.map(\.file) == [path("acme/a.json"), path("acme/b.json")])
        #expect(report.published.map(\.file?.state) == [.held, .held])
        let restarted = try site.restart()
        #expect(restarted.errors.count == 2 && restarted.published.map(\.file?.state) == [.held, .held])
        #expect(site.answer("a.example.com") != nil)
        try site.publish("acme", ["a.example.com", "b.example.com"], in: "retired")
        let last = try site.round(.with { $0.retired = true })
        #expect(
            last.changedHosts == ["a.example.com", "b.example.com"] && last.published.allSatisfy { $0.file == nil })
    }

    @Test func `what a tenant publishes as retired does not count for the operator's files`() throws {
        try site.publish("team", ["t.example.com"], in: "retired")
        try site.shop("own.json", hosts: ["own.example.com"], below: "state/published/retired")
        for name in ["own.json", "team"] { try site.remove("config/apps/\(name)") }
        try site.write("config/apps/team/README", "")
        #expect(try site.round().errors.map(\.rule) == [.app042, .app042])
        try site.remove("config/apps/team")
        #expect(try site.round().errors.isEmpty && site.answer("t.example.com") == nil)
        #expect(site.answer("own.example.com") != nil)
    }

    @Test func `a tenant has one quota and one list of owners, wherever its folder is`() throws {
        site.limits.filesPerAppFolderMax = 3
        site.owners.assign([try HostPattern.parse("own.example.com").get()], to: "other")
        try site.publish("acme", ["a.example.com", "b.example.com", "own.example.com"])
        let report = try site.restart()
        #expect(report.errors.map(\.rule) == [.app046])
        #expect(report.errors.map(\.file) == [path("acme/own.json")])
        try site.publish("acme", ["a.example.com", "b.example.com", "c.example.com", "d.example.com"])
        let excess = try site.round(.with { $0.appFolders = ["acme"] })
        #expect(excess.errors.map(\.rule) == [.cfg010] && excess.errors.map(\.file) == [path("acme")])
        #expect(site.answer("c.example.com") == nil && site.answer("a.example.com") != nil)
        #expect(site.tenants.folderFindings.map(\.path) == ["acme"])
    }

    @Test func `only folders that can be a tenant's count`() throws {
        for name in ["x.json", "x", ".hidden/x.json", "x.json5/x.json"] {
            try site.shop(name, hosts: ["x.example.com"], below: "state/published/apps")
        }
        let report = try site.round()
        #expect(report.findings.isEmpty && report.changes.isEmpty && report.appCount == 4)
    }

    @Test func `without the folder, everything is as before`() throws {
        let other = try TenantTree()
        try other.shop("own.json", hosts: ["own.example.com"])
        #expect(try other.round().hostCount == 1)
        try other.publish("acme", ["a.example.com"])
        #expect(try other.round().changedHosts == ["a.example.com"])
    }

    @Test func `published files do not make a state that of another configuration, nor of this one`() throws {
        for name in ["own.json", "team"] { try site.remove("config/apps/\(name)") }
        #expect(try site.restart().otherStates.isEmpty)
        try site.shop("other.json", hosts: ["other.example.com"])
        #expect(try site.restart().otherStates.map(\.lostHosts) == [["own.example.com", "t.example.com"]])
        #expect(site.answer("a.example.com") != nil)
    }

    @Test(.needs(.ordinaryUser))
    func `while the folder of published folders cannot be read, everything stays in service`() async {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree.ofNobody()
            try site.shop("own.json", hosts: ["own.example.com"])
            try site.publish("acme", ["a.example.com"])
            try site.restart()
            let mode = try site.hide("state/published/apps")
            do {
                try site.round()
                try demand(false)
            } catch let error as ConfigurationError {
                try demand(error.description.hasPrefix("cannot read \(site.publishedPath)/apps: permission denied"))
            }
            let report = try site.restart()
            try demand(report.errors.map(\.file) == ["\(site.publishedPath)/apps"])
            try demand(site.answer("a.example.com") != nil && site.answer("own.example.com") != nil)
            try site.show("state/published/apps", mode)
            let last = try site.round()
            try demand(last.findings.isEmpty && last.changes.isEmpty && last.keptHosts == 0)
        }
    }

    @Test func `app files are listed and read where they are`() throws {
        let files = AppFiles(
            configPath: site.tree.config, publishedPath: site.publishedPath, linkTargets: .none, limits: site.limits)
        let paths =
            ["acme/a.json", "acme/b.json"].map(path)
            + ["own.json", "team/t.json"].map { "\(site.tree.config)/apps/\($0)" }
        #expect(files?.paths.sorted() == paths.sorted())
        #expect(paths.allSatisfy { files?.bytes(of: $0)?.isEmpty == false })
        #expect(files?.bytes(of: path("acme/z.json")) == nil && files?.bytes(of: "acme/a.json") == nil)
    }
}
