// Live entries are not removed silently: ways to lose them and ways to allow it, from the file to the answer. `AdmissionTests`
// covers what needs no disk.

import Foundation
import Testing

@testable import Association
@testable import Hosting

struct RemovalGuardTests {
    private let site: TenantTree
    private static let first = "8KQ2V7M4XN.dev.first"
    private static let second = "8KQ2V7M4XN.dev.second"
    private static let prints = (1...2).map { number in
        (0..<32).map { String(format: "%02X", ($0 * $0 * 37 + $0 * 91 + number * 77) % 256) }.joined(separator: ":")
    }

    /// An app with two of everything.
    init() throws {
        site = try TenantTree()
        try app()
        try site.shop("other.json", hosts: ["other.example.com"])
        try site.round()
    }

    private func app(
        hosts: [String] = ["a.example.com", "b.example.com"], ids: [String] = [first, second],
        prints: [String] = RemovalGuardTests.prints, package: String = "dev.associated.shop", more: String = ""
    ) throws {
        try site.shop(
            "app.json", hosts: hosts, ids: ids, more: more,
            android: prints.isEmpty ? nil : "{ package: \"\(package)\", fingerprints: \(prints) }")
    }

    private func held(_ parts: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = ["a.example.com", "b.example.com"].map { site.answer($0) }
        var changes = TreeChanges.all
        changes.appFiles = ["app.json"]
        let report = try site.round(changes)
        #expect(report.errors.map(\.rule) == [.app042], sourceLocation: sourceLocation)
        for part in parts {
            #expect(report.errors.first?.message.contains(part) == true, sourceLocation: sourceLocation)
        }
        #expect(report.changes.isEmpty, sourceLocation: sourceLocation)
        #expect(["a.example.com", "b.example.com"].map { site.answer($0) } == before, sourceLocation: sourceLocation)
    }

    private func released(_ hosts: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let report = try site.round()
        #expect(report.findings.isEmpty, sourceLocation: sourceLocation)
        #expect(report.changedHosts == hosts, sourceLocation: sourceLocation)
        #expect(report.keptFiles == 0, sourceLocation: sourceLocation)
    }

    @Test func `a file in retired that has the name of a live app file is reported until one of them is gone`() throws {
        func unguarded(_ report: RoundReport) -> [String] {
            report.findings.filter { $0.rule == .cfg012 }.map { String($0.file.dropFirst(site.tree.config.count)) }
        }
        try site.write("config/retired/app.json", "")
        try site.write("config/retired/gone.json", "")
        #expect(try unguarded(site.round(.with { $0.retired = true })) == ["/retired/app.json"])
        #expect(site.tenants.openFindings.map(\.rule) == [.cfg012])
        #expect(try unguarded(site.round()).isEmpty, "a round does not repeat it")
        #expect(try unguarded(site.round(.allAgain)) == ["/retired/app.json"])
        // Also if the app file is the one that comes later.
        try site.shop("gone.json", hosts: ["gone.example.com"])
        #expect(try unguarded(site.round(.apps("gone.json"))) == ["/retired/gone.json"])
        #expect(try unguarded(site.restart()) == ["/retired/app.json", "/retired/gone.json"])
        try site.remove("config/retired/app.json")
        try site.remove("config/apps/gone.json")
        let report = try site.round()
        #expect(unguarded(report).isEmpty && site.tenants.openFindings.isEmpty)
        #expect(
            report.fixedFiles.map { String($0.dropFirst(site.tree.config.count)) }.sorted() == [
                "/retired/app.json", "/retired/gone.json",
            ])
        site.lint.ignored = [.cfg012]
        try site.write("config/retired/app.json", "")
        #expect(try unguarded(site.restart()).isEmpty)
    }

    @Test func `a removal is only a warning in development, or none at all if the file says so`() throws {
        site.holdsRemovals = false
        try site.restart()
        try app(ids: [Self.first])
        let report = try site.round()
        #expect(report.findings.map(\.rule) == [.app042])
        #expect(report.findings.first?.severity == .warning)
        #expect(report.changedHosts == ["a.example.com", "b.example.com"])
        try app(ids: [Self.second], more: "guard: \"off\"")
        #expect(try site.round().findings.isEmpty)
    }

    @Test func `an app id is held until it is retired`() throws {
        try app(ids: [Self.first])
        try held("app id \(Self.second)")
        try app(ids: [Self.first], more: "retired: { appIDs: [\"\(Self.second)\"] }")
        try released("a.example.com", "b.example.com")
    }

    @Test func `a fingerprint is held until it is retired`() throws {
        try app(prints: [Self.prints[0]])
        try held("fingerprint \(Self.prints[1].prefix(11))")
        try app(prints: [Self.prints[0]], more: "retired: { fingerprints: [\"\(Self.prints[1])\"] }")
        try released("a.example.com", "b.example.com")
    }

    @Test func `a host is held until it is retired`() throws {
        try app(hosts: ["a.example.com"])
        try held("host b.example.com")
        try app(hosts: ["a.example.com"], more: #"retired: { hosts: ["b.example.com"] }"#)
        try released("b.example.com")
        #expect(site.answer("b.example.com") == nil)
    }

    @Test func `a package and a whole platform are held until they are retired`() throws {
        try app(package: "dev.associated.renamed")
        try held("package dev.associated.shop")
        try app(prints: [])
        try held("package dev.associated.shop")
        try app(prints: [], more: #"retired: { appIDs: ["dev.associated.shop"] }"#)
        try released("a.example.com", "b.example.com")
    }

    @Test func `a deleted file is kept live until it is in config/retired`() throws {
        let text = try String(contentsOfFile: site.tree.config + "/apps/app.json", encoding: .utf8)
        try site.remove("config/apps/app.json")
        try held("the app file was deleted", "hosts a.example.com, b.example.com")
        try site.write("config/retired/old/shop.json", text)
        #expect(try site.round(TreeChanges(retired: true)).changedHosts == ["a.example.com", "b.example.com"])
        #expect(site.answer("a.example.com") == nil)
        #expect(site.tenants.hostsOnLastGood.isEmpty)
    }

    @Test func `a broken file can be retired too, by its name`() throws {
        try site.write("config/apps/app.json", "{")
        try site.round()
        try site.move("config/apps/app.json", to: "config/retired/app.json")
        try released("a.example.com", "b.example.com")
    }

    @Test func `restoring the removed entry releases the file`() throws {
        try app(ids: [Self.first])
        try held()
        try app(ids: [Self.second, Self.first])
        try released("a.example.com", "b.example.com")
    }

    @Test(arguments: ["renamed.json", "tenant/app.json", "a.json5"])
    func `renaming a file removes nothing`(name: String) throws {
        let good = site.answer("a.example.com")
        try site.move("config/apps/app.json", to: "config/apps/\(name)")
        let report = try site.round()
        #expect(report.findings.isEmpty)
        #expect(report.appCount == 2)
        #expect(report.keptFiles == 0)
        #expect(site.answer("a.example.com") == good)
    }

    @Test func `a host that moves in two steps stays live in between`() throws {
        try app(hosts: ["a.example.com"])
        try held("host b.example.com")
        try site.shop(
            "new.json", hosts: ["b.example.com"], ids: [Self.first, Self.second],
            android: "{ package: \"dev.associated.shop\", fingerprints: \(Self.prints) }")
        try released("b.example.com")
        #expect(site.answer("b.example.com")?.contains("/newjson/") == true)
    }

    @Test func `a new mistake can be undone at once`() throws {
        let third = "8KQ2V7M4XN.dev.third"
        try app(ids: [Self.first, Self.second, third])
        try released("a.example.com", "b.example.com")
        try app()
        try released("a.example.com", "b.example.com")
        try site.shop("evil.json", hosts: ["a.example.com"], ids: [third])
        #expect(try site.round().changedHosts == ["a.example.com"])
        try site.remove("config/apps/evil.json")
        #expect(try site.round().changedHosts == ["a.example.com"])
        // A moved file has entries that were live before, so they are guarded at its new path too.
        try site.remove("config/apps/other.json")
        try site.shop("moved.json", hosts: ["other.example.com"])
        #expect(try site.round().findings.isEmpty)
        try site.remove("config/apps/moved.json")
        #expect(try site.round().errors.map(\.rule) == [.app042])
        try site.shop("moved.json", hosts: ["other.example.com"])
        #expect(try site.round().findings.isEmpty)
        // Entries that were live before are guarded as usual.
        try app(ids: [Self.first])
        try held("app id \(Self.second)")
    }

    @Test(
        arguments: [
            (.fingerprint, "com.b AA:BB", [], ["AA:BB"], true), (.fingerprint, "com.b AA:BB", [], ["CC:DD"], false),
            (.fingerprint, "com.b AA:BB", ["com.b"], [], true), (.fingerprint, "com.b AA:BB", ["com.c"], [], false),
            (.package, "com.b", ["com.b"], [], true), (.package, "com.b", ["com.c"], ["com.b"], false),
            (.appID, "A.b", ["A.b"], [], true), (.appID, "A.b", ["A.c"], [], false),
            (.host, "", ["a.example.com", ""], [""], false),
        ] as [(LiveIdentity.Kind, String, [String], [String], Bool)])
    func `retired covers exactly the entries that it names`(
        kind: LiveIdentity.Kind, text: String, appIDs: [String], fingerprints: [String], isRetired: Bool
    ) {
        let identity = LiveIdentity(host: "a.example.com", kind: kind, text: text)
        let retired = RetiredIdentities(appIDs: appIDs, fingerprints: fingerprints)
        #expect(identity.isRetired(by: retired) == isRetired)
    }

    @Test(
        arguments: [
            ([], "retired: { hosts: [\"a.example.com\"] }"),
            (["a.example.com"], "retired: { appIDs: [\"A.b\", \"com.b\"] }"),
        ] as [(Set<String>, String)])
    func `the suggested line releases exactly these entries`(hosts: Set<String>, line: String) {
        let removed: Set<LiveIdentity> = [
            LiveIdentity(host: "a.example.com", kind: .appID, text: "A.b"),
            LiveIdentity(host: "a.example.com", kind: .package, text: "com.b"),
            LiveIdentity(host: "a.example.com", kind: .fingerprint, text: "com.b AA:BB"),
        ]
        #expect(LiveIdentity.retirement(of: removed, keeping: hosts) == line)
    }

    @Test func `the note of a removed fingerprint is beside it, and makes it no other entry`() {
        let (plain, noted) = ("a.example.com", "com.b 30:EF:E5:5E:0D")
        let entries = [nil, "Play"].map { LiveIdentity(host: plain, kind: .fingerprint, text: noted, note: $0) }
        #expect(entries[0] == entries[1] && Set(entries).count == 1)
        #expect(LiveIdentity.summary([entries[1]]) == "fingerprint 30:EF:E5:5E… (`Play`) on host a.example.com")
        #expect(LiveIdentity.summary([entries[0]]) == "fingerprint 30:EF:E5:5E… on host a.example.com")
    }
}
