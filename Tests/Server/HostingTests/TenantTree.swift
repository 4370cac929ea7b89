// A `config/` and a `public/` with tenants, and rounds over them.

import Association
import Catalogue
import Foundation
import HTTP
import Posix
import Settings
import Telemetry
import TestSupport
import Testing

@testable import Hosting

final class TenantTree {
    let tree: ConfigTree
    private(set) var tenants: Tenants
    private let environment: String?
    /// Applies to processes started from now on.
    var openFilesMax = Int.max
    var linkTargets = LinkTargets.none
    var limits = Limits()
    var owners = HostOwners()
    var holdsRemovals = true
    var lint = LintPreferences()
    var statePath: String { tree.root + "/state" }
    var publishedPath: String { statePath + "/published" }

    init(environment: String? = nil) throws {
        tree = try ConfigTree()
        self.environment = environment
        tenants = Tenants(
            configPath: tree.config, publicPath: tree.pages, publishedPath: tree.root + "/state/published",
            environment: environment)
    }

    /// A full round.
    @discardableResult func round(_ changes: TreeChanges = .all) throws -> RoundReport { try tenants.round(changes) }

    /// Another process, with the state that the last one saved.
    @discardableResult func restart(
        _ changes: TreeChanges = .allAgain, program: String = "program", environment: String? = nil
    ) throws -> RoundReport {
        tenants = Tenants(
            configPath: tree.config, publicPath: tree.pages, publishedPath: publishedPath,
            environment: environment ?? self.environment, state: (statePath, program), openFilesMax: openFilesMax,
            linkTargets: linkTargets,
            limits: limits, owners: owners, lint: lint, holdsRemovals: holdsRemovals)
        let report = try tenants.round(changes)
        tenants.compact()
        return report
    }

    func write(_ name: String, _ text: String) throws { try tree.write(name, text) }

    /// Waits until the file has been unchanged for so long that its marks are reliable: some hundredths of a second.
    func waitUntilSettled(_ name: String) throws {
        let status = try File.status("\(tree.root)/\(name)")
        let end = Clock.monotonicMilliseconds() + 10_000
        while !status.isSettled(atNanoseconds: Clock.wallNanoseconds()) {
            try #require(Clock.monotonicMilliseconds() < end)
            sched_yield()
        }
    }

    func shop(
        _ name: String, hosts: [String], ids: [String] = ["8KQ2V7M4XN.dev.associated.shop"], more: String = "",
        android: String? = nil, below root: String = "config/apps"
    ) throws {
        let link = name.filter(\.isLetter)
        try write(
            "\(root)/\(name)",
            """
            { name: "Shop", hosts: \(hosts), ios: { appIDs: \(ids) }, \(android.map { "android: \($0)," } ?? "")
              links: [{ "/": "/\(link)/?*" }], \(more) }
            """)
    }

    /// Puts the folder of a tenant in place as a manager does, with one app file for each of these hosts: `a.json` for `a.example.com`.
    func publish(_ tenant: String, _ hosts: [String], in kind: String = "apps", more: String = "") throws {
        let place = "state/published/\(kind)"
        try tree.folder.makeFolder("\(place)/.new")
        for host in hosts {
            let name = "\(host.prefix { $0 != "." }).json"
            try shop(name, hosts: [host], more: more, below: "\(place)/.new")
        }
        try Directory.exchange("\(tree.root)/\(place)/.new", "\(tree.root)/\(place)/\(tenant)")
        if Directory.exists("\(tree.root)/\(place)/.new") { try remove("\(place)/.new") }
    }

    func remove(_ name: String) throws { try tree.folder.remove(name) }

    func move(_ name: String, to other: String) throws {
        let target = URL(fileURLWithPath: "\(tree.root)/\(other)")
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: URL(fileURLWithPath: "\(tree.root)/\(name)"), to: target)
    }

    /// Replaces a file with another one by renaming it.
    func replace(_ name: String, with other: String) throws {
        guard rename("\(tree.root)/\(other)", "\(tree.root)/\(name)") == 0 else { throw POSIXError(.EIO) }
    }

    func link(_ name: String, to target: String) throws { try tree.folder.link(name, to: target) }

    /// The body of an answer; nil if there is none.
    func answer(_ host: String, _ path: String = "/.well-known/apple-app-site-association") -> String? {
        tenants.catalogue.answer(host, path)
    }
}

extension Catalogue {
    /// The body of a host's answer.
    func answer(_ host: String, _ path: String) -> String? {
        let name = Array(host.utf8)
        guard let site = view.site(host: name.span) else { return nil }
        let answer = Array(path.utf8).withUnsafeBytes { view.answer(site, path: $0) }
        return answer.map { String(decoding: $0.form(.identity).body, as: UTF8.self) }
    }
}

extension TreeChanges {
    static func with(_ set: (inout TreeChanges) -> Void) -> TreeChanges {
        var changes = TreeChanges()
        set(&changes)
        return changes
    }

    static func apps(_ paths: String...) -> TreeChanges { .with { $0.appFiles = Set(paths) } }
}

extension RoundReport {
    var errors: [Finding] { findings.filter { $0.severity == .error } }
    var changedHosts: [String] { changes.map(\.host) }
    var appCount: Int { figures.appFiles }
    var hostCount: Int { figures.hosts }
    var keptHosts: Int { figures.keptHosts }
    /// App files whose last good version is served instead of the version on disk.
    var keptFiles: Int {
        figures.brokenFiles + figures.heldFiles + figures.goneFiles + figures.refusedFiles - figures.unservedFiles
    }
}

extension Tenants {
    /// A whole compaction; false if none is due.
    @discardableResult func compact() -> Bool {
        guard let compaction = beginCompaction() else { return false }
        compaction.run()
        finishCompaction(compaction)
        return true
    }

    var hostsOnLastGood: [String] { lastGoodReasons(hostsMax: .max).map(\.host) }
}
