// What the next process restores: the same folder, another `Tenants`.

import Association
import Catalogue
import Foundation
import Posix
import Settings
import Telemetry
import TestSupport
import Testing

@testable import Hosting

struct StateKeeperTests {
    private let site: TenantTree
    private var base: String { site.statePath + "/tenants" }
    private var changes: String { site.statePath + "/tenants-changes" }

    init() throws {
        site = try TenantTree()
        for name in ["a", "b", "c"] { try site.shop("\(name).json", hosts: ["\(name).example.com"]) }
        let file = "config/hosts/d.example.com/well-known/security.txt"
        try site.write(file, "Contact: mailto:d@example.com\n")
        // A file that was just written is read once more.
        try site.waitUntilSettled(file)
        try site.restart()
    }

    /// Publishes a new version of an app file.
    private func edit(_ name: String, id: String...) throws {
        try site.shop(
            "\(name).json", hosts: ["\(name).example.com"],
            ids: ["8KQ2V7M4XN.dev.associated.shop"] + id.map { "8KQ2V7M4XN.\($0)" })
        #expect(try site.round().changedHosts == ["\(name).example.com"])
    }

    @Test func `only the server's user can read the state`() throws {
        #expect(try File.status(site.statePath).permissions == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: site.statePath)
        #expect(names.contains("tenants"))
        for name in names { #expect(try File.status("\(site.statePath)/\(name)").permissions == 0o600, "\(name)") }
    }

    @Test func `a start without changes on disk changes nothing`() throws {
        try edit("b", id: "dev.second")
        let bodies = ["a", "b", "c"].map { site.answer("\($0).example.com") }
        let report = try site.restart()
        #expect(report.changes.isEmpty)
        #expect(report.findings.isEmpty)
        #expect(report.notes.isEmpty)
        #expect(report.appCount == 3)
        #expect(report.hostCount == 4)
        #expect(["a", "b", "c"].map { site.answer("\($0).example.com") } == bodies)
        #expect(site.answer("d.example.com", "/.well-known/security.txt") != nil)
    }

    @Test(arguments: ["config/apps", "config"])
    func `apps in an unreadable folder are served as before`(missing: String) throws {
        let bodies = ["a", "b", "c"].map { site.answer("\($0).example.com") }
        try site.write("config/other", "")
        try site.replace("\(missing).aside", with: missing)
        let report = try site.restart()
        #expect(["a", "b", "c"].map { site.answer("\($0).example.com") } == bodies)
        let rules = Set(report.findings.filter { $0.severity == .error }.map(\.rule))
        #expect(rules == [.cfg005])
        // Deletions count again while it runs.
        #expect(throws: ConfigurationError.self) { try site.round() }
        try site.replace(missing, with: "\(missing).aside")
        #expect(try !site.round().findings.contains { $0.severity == .error })
        #expect(["a", "b", "c"].map { site.answer("\($0).example.com") } == bodies)
    }

    @Test func `a start reads only what has changed`() throws {
        try site.shop("a.json", hosts: ["a.example.com", "e.example.com"])
        try site.remove("config/hosts/d.example.com")
        let report = try site.restart()
        #expect(report.changedHosts == ["d.example.com", "e.example.com"])
    }

    @Test(arguments: [false, true])
    func `a file that broke before a start has its last good version`(hasChanged: Bool) throws {
        if hasChanged { try edit("b", id: "dev.second") }
        let good = site.answer("b.example.com")
        #expect(good?.contains("dev.second") == hasChanged)
        try site.write("config/apps/b.json", "{ name")
        for _ in 0..<2 {
            let report = try site.restart()
            #expect(report.errors.contains { $0.file.hasSuffix("b.json") })
            #expect(report.keptHosts == 1)
            #expect(site.answer("b.example.com") == good)
        }
        // Other changes are saved without the broken file, and vice versa.
        try edit("a", id: "dev.third")
        try site.restart()
        #expect(site.answer("b.example.com") == good)
        #expect(site.answer("a.example.com")?.contains("dev.third") == true)
    }

    @Test func `a file that was deleted before a start is guarded`() throws {
        try site.remove("config/apps/b.json")
        try site.shop("c.json", hosts: ["c2.example.com"])
        let report = try site.restart()
        #expect(report.errors.map(\.rule) == [.app042, .app042])
        #expect(site.answer("b.example.com") != nil)
        #expect(site.answer("c.example.com") != nil)
        #expect(try site.restart().errors.map(\.rule) == [.app042, .app042])
        try site.write("config/retired/b.json", "{}")
        #expect(try site.restart().errors.count == 1)
        #expect(site.answer("b.example.com") == nil)
    }

    @Test func `another program version renders again from the same last good texts`() throws {
        try edit("b", id: "dev.second")
        let good = site.answer("b.example.com")
        try site.write("config/apps/b.json", "{ name")
        let report = try site.restart(program: "another")
        #expect(report.keptHosts == 1)
        #expect(site.answer("b.example.com") == good)
        #expect(site.answer("a.example.com") != nil)
        #expect(site.answer("d.example.com", "/.well-known/security.txt") != nil)
        // What this program has saved, it can use the next time.
        #expect(try site.restart(program: "another").changes.isEmpty)
        #expect(site.answer("b.example.com") == good)
    }

    @Test func `another environment sets the state aside, and reads everything again`() throws {
        try site.write("config/apps/b.json", "{ name")
        let report = try site.restart(environment: "staging")
        #expect(report.notes.isEmpty && report.hasNewOtherState)
        #expect(
            report.otherStates == [
                OtherState(
                    path: "\(site.statePath)/other-1.tenants", hostCount: 3, lostHosts: ["b.example.com"],
                    lastGoodCount: 0)
            ])
        #expect(site.answer("b.example.com") == nil)
        #expect(site.answer("a.example.com") != nil)
        // It is reported until it is gone, and can be put back.
        let again = try site.restart(environment: "staging")
        #expect(!again.hasNewOtherState && again.otherStates == report.otherStates)
        try site.replace("state/tenants", with: "state/other-1.tenants")
        #expect(try site.restart().otherStates.isEmpty)
        #expect(site.answer("b.example.com") != nil)
        // The latest has the highest number.
        try site.write("state/other-9.tenants", "")
        let numbers = try site.restart(environment: "staging").otherStates.map(\.path)
        #expect(numbers == [9, 10].map { "\(site.statePath)/other-\($0).tenants" })
    }

    @Test func `a state that was set aside is known as its own when its configuration is back`() throws {
        try site.restart(environment: "staging")
        let others = try site.restart().otherStates
        #expect(others.map(\.isOwn) == [true, false])
        #expect(
            others[0].text.contains("other-1.tenants is the state of this configuration, set aside by a start with"))
        #expect(others[0].text.hasSuffix("rename other-1.* to these names and start it, else delete other-1.*"))
        #expect(
            others[1].text.hasSuffix("rename other-2.* back and start it with the right one, else delete other-2.*"))
        // Of a check.
        let reader = Tenants(
            configPath: site.tree.config, publicPath: site.tree.pages, environment: nil,
            state: (site.statePath, "program"))
        #expect(try reader.load().otherStates == others)
    }

    /// The same files elsewhere, as after `cp -a` or a new release folder.
    private func moved() throws -> TenantTree {
        let other = try TenantTree()
        #expect(try Command(["cp", "-a", "\(site.tree.root)/.", other.tree.root]).run().status == 0)
        return other
    }

    @Test func `a configuration that was moved with its state keeps it`() throws {
        try site.write("config/apps/b.json", "{ name")
        try site.restart()
        let other = try moved()
        try other.remove("config/apps/c.json")
        let report = try other.restart()
        // The broken file, and the missing one.
        #expect(report.otherStates.isEmpty && report.keptHosts == 2)
        for name in ["a", "b", "c"] { #expect(other.answer("\(name).example.com") != nil) }
    }

    @Test(
        arguments: [
            // Which app files another configuration has, by their hosts ("" in a broken file), and whether the state is its own.
            ([:], true), (["a.json": "z.example.com"], true), (["z.json": "b.example.com"], true),
            (["t/a.json": "a.example.com", "z.json": "z.example.com"], true), (["z.json": "z.example.com"], false),
            (["t/a.json": "z.example.com", "z.json": "other.example.com"], false), (["z.json": ""], true),
            (["y.json": "", "z.json": "z.example.com"], false), (["y.json": "", "z.json": "b.example.com"], true),
            // A name that does not decide: the link in it leads nowhere, or the owner of `t` may not have the host.
            (["t/y.json": "->", "z.json": "z.example.com"], false),
            (["t/y.json": "b.example.com", "z.json": "z.example.com"], false),
            // One that does.
            (["b.json": "->", "z.json": "z.example.com"], true),
        ] as [([String: String], Bool)])
    func `a state belongs to a configuration that shares an app file or a host with it`(
        files: [String: String], isOwn: Bool
    ) throws {
        let other = try moved()
        try other.remove("config/apps")
        try other.write("config/apps/t/README", "")
        try other.owners.assign(["a.example.com", "z.example.com"].map { try HostPattern.parse($0).get() }, to: "t")
        for (path, host) in files {
            if host == "->" {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(other.tree.config)/apps/\(path)", withDestinationPath: "nowhere")
            } else if host.isEmpty {
                try other.write("config/apps/\(path)", "{ name")
            } else {
                try other.shop(path, hosts: [host])
            }
        }
        let report = try other.restart()
        #expect(report.hasNewOtherState != isOwn)
        #expect(
            report.otherStates.map(\.lostHosts) == (isOwn ? [] : [["a.example.com", "b.example.com", "c.example.com"]]))
        // Of its own, the guard holds what is missing.
        #expect((other.answer("c.example.com") != nil) == isOwn)
        // A known file that names another host loses the answers of its host, so the guard holds it.
        for (path, host) in files where host.contains(".") {
            #expect(
                (other.answer(host) != nil)
                    == (path != "a.json" && other.owners.allows(host, at: path) || isOwn && host == "b.example.com"))
        }
        // What is saved then is the state of this one.
        #expect(try !other.restart().hasNewOtherState)
    }

    @Test(.enabled(if: !Privileges.isRoot, "root can rename any file"))
    func `a state that cannot be set aside is not replaced`() throws {
        let other = try moved()
        try other.remove("config/apps")
        try other.shop("z.json", hosts: ["z.example.com"])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(other.statePath)/tenants"))
        #expect(chmod(other.statePath, 0o500) == 0)
        defer { chmod(other.statePath, 0o700) }
        let tenants = Tenants(
            configPath: other.tree.config, publicPath: other.tree.pages, environment: nil,
            state: (other.statePath, "program"))
        #expect(try !tenants.round(.allAgain).hasNewOtherState)
        #expect(tenants.stateRemedy?.contains("is of another configuration") == true)
        #expect(!tenants.compact())
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(other.statePath)/tenants")) == bytes)
    }

    @Test func `a damaged file is ignored, wherever the damage is`() throws {
        try edit("b", id: "dev.second")
        let whole = try Data(contentsOf: URL(fileURLWithPath: base))
        let other = try Data(contentsOf: URL(fileURLWithPath: changes))
        let bodies = ["a", "b", "c"].map { site.answer("\($0).example.com") }
        for step in 0..<24 {
            // The file is written in pages, so these offsets cover every part of it.
            for (path, bytes) in [(base, whole), (changes, other)] {
                var damaged = bytes
                let place = damaged.count * step / 24 + step % 7
                damaged[place] ^= 0x40
                try whole.write(to: URL(fileURLWithPath: base))
                try other.write(to: URL(fileURLWithPath: changes))
                try (step % 8 == 7 ? bytes.prefix(place) : damaged).write(to: URL(fileURLWithPath: path))
                let report = try site.restart()
                #expect(report.errors.isEmpty)
                #expect(["a", "b", "c"].map { site.answer("\($0).example.com") } == bodies)
            }
        }
    }

    @Test func `changes of another base are ignored`() throws {
        try edit("b", id: "dev.second")
        let old = try Data(contentsOf: URL(fileURLWithPath: changes))
        try site.restart(program: "another")
        try edit("b", id: "dev.second", "dev.third")
        try old.write(to: URL(fileURLWithPath: changes))
        try site.restart(program: "another")
        #expect(site.answer("b.example.com")?.contains("dev.third") == true)
    }

    @Test func `without a writable folder the server serves, and reports why`() throws {
        try FileManager.default.removeItem(atPath: site.statePath)
        try site.write("state", "a file in its place")
        let tenants = Tenants(
            configPath: site.tree.config, publicPath: site.tree.pages, environment: nil,
            state: (site.statePath, "program"))
        let report = try tenants.round(.allAgain)
        #expect(report.hostCount == 4)
        #expect(tenants.stateProblem == nil)
        #expect(tenants.compact())
        #expect(tenants.stateProblem?.reason == "not a directory")
        #expect(!tenants.compact(), "a full disk is not written to at every change")
        try site.shop("a.json", hosts: ["a.example.com", "e.example.com"])
        #expect(try tenants.round(.all).changedHosts == ["e.example.com"])
        #expect(try tenants.round(.all).notes.isEmpty)
    }

    @Test func `nothing is written without the lock of the state directory`() throws {
        let lock = "\(site.statePath)/lock"
        let other = try FileLock.take(lock)
        func start(environment: String?) throws -> Tenants {
            let tenants = Tenants(
                configPath: site.tree.config, publicPath: site.tree.pages, environment: environment,
                state: (site.statePath, "program"), lock: LateLock(lock))
            _ = try tenants.round(.allAgain)
            return tenants
        }
        let before = try FileManager.default.contentsOfDirectory(atPath: site.statePath).sorted()
        try site.shop("a.json", hosts: ["a.example.com", "e.example.com"])
        #expect(try start(environment: nil).stateProblem?.number == EWOULDBLOCK)
        // The state of another environment would be set aside.
        #expect(try start(environment: "staging").stateProblem?.number == EWOULDBLOCK)
        #expect(try FileManager.default.contentsOfDirectory(atPath: site.statePath).sorted() == before)
        _ = consume other
        #expect(try start(environment: nil).stateProblem == nil)
    }

    @Test func `many changes are compacted into a base`() throws {
        for number in 0..<600 { try site.shop("n\(number).json", hosts: ["n\(number).example.com"]) }
        try site.round()
        #expect(site.tenants.compact() && site.tenants.stateProblem == nil)
        #expect(!site.tenants.compact())
        #expect(site.tenants.catalogue.layers.count == 1)
        try site.shop("n7.json", hosts: ["n7.example.com", "m.example.com"])
        try site.round()
        #expect(site.tenants.catalogue.layers.count == 2)
        #expect(try site.restart().changes.isEmpty)
        #expect(site.answer("m.example.com") != nil)
        #expect(site.answer("n599.example.com") != nil)
    }

    @Test func `warnings are counted, also after a restart, until their cause is fixed`() throws {
        let before = try site.round().figures.warnings
        func write(_ more: String) throws {
            try site.write(
                "config/apps/z.json",
                """
                { name: "Z", hosts: ["z.example.com"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.z"] },
                  links: [{ "/": "*" }] \(more) }
                """)
        }
        try write(", unheardOf: 1")
        let warnings = try site.round().figures.warnings
        #expect(warnings > before)
        #expect(try site.restart().figures.warnings == warnings)
        try write("")
        #expect(try site.round().figures.warnings == before)
    }

    @Test func `ignored rules are neither reported nor counted, and each start applies its own`() throws {
        let page = "public/a.example.com/.well-known/page.html"
        try site.write(page, "hidden")
        func shop(_ comment: String) throws {
            try site.shop("a.json", hosts: ["a.example.com"], more: "unheardOf: 1 \(comment)")
        }
        try shop("")
        // Unknown keys of the app file, hidden pages, and a file of another host from the beginning.
        let report = try site.restart(program: "another")
        let rules = Set(report.findings.map(\.rule))
        #expect(rules.count > 2 && report.errors.isEmpty, "\(report.findings)")
        let counts = { (report: RoundReport) in report.figures.warnings + report.figures.notes }
        let count = counts(report)
        site.lint.ignored = rules
        let quiet = try site.restart(program: "another")
        #expect(quiet.findings.isEmpty && counts(quiet) == 0, "\(quiet.findings)")
        try shop("/* again */")
        #expect(try counts(site.round()) == 0)
        site.lint.ignored = []
        #expect(try counts(site.restart(program: "another")) == count)
        try shop("// associated-ignore \(rules.map(\.description).joined(separator: ", "))\n")
        #expect(try counts(site.round()) < count)
        // An error is reported in any case, because it keeps something from being served.
        site.lint.ignored = [.app001]
        try site.write("config/apps/a.json", "{ name: ")
        #expect(try site.restart().errors.contains { $0.rule == .app001 })
    }
}
