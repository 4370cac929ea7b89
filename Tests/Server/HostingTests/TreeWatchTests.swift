// From real changes of files to what must be read again.

import Foundation
import Posix
import Tenancy
import Testing

@testable import Hosting

struct TreeWatchTests {
    private let site: TenantTree
    private let watch: TreeWatch

    init() throws {
        site = try TenantTree()
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.shop("team/b.json", hosts: ["b.example.com"])
        try site.write("config/hosts/a.example.com/fullchain.pem", "")
        try site.write("config/hosts/b.example.com/well-known/x/security.txt", "")
        try site.write("public/_default/index.html", "")
        try site.write("state/certificates/a.example.com/fullchain.pem", "")
        try site.publish("acme", ["x.example.com"])
        try site.publish("acme", ["y.example.com"], in: "retired")
        watch = try TreeWatch(
            configPath: site.tree.config, publicPath: site.tree.pages, publishedPath: site.publishedPath,
            managedPath: site.tree.root + "/state/certificates")
        watch.start()
        _ = watch.takeChanges()
    }

    /// The changes reported after an action. If another test is just starting a process, that may hold the file open for a moment
    /// and delay the event.
    private func changes(_ body: () throws -> Void) rethrows -> TreeChanges {
        try body()
        let deadline = Date(timeIntervalSinceNow: 10)
        while true {
            let changes = watch.takeChanges()
            if !changes.isEmpty || Date() > deadline { return changes }
            sched_yield()
        }
    }

    /// Whether an action reports no change.
    private func isNothing(_ body: () throws -> Void) rethrows -> Bool {
        try body()
        return watch.takeChanges().isEmpty
    }

    @Test func `everything is watched, and nothing is reported without a change`() {
        #expect(watch.shortage == nil)
        #expect(watch.takeChanges().isEmpty)
        #expect(!watch.hasMoved())
    }

    @Test func `a certificate that the manager puts in place is named`() throws {
        let certificates = "\(site.tree.root)/state/certificates"
        try site.write("state/certificates/.new/fullchain.pem", "")
        #expect(
            try changes {
                try FileManager.default.moveItem(
                    atPath: "\(certificates)/.new", toPath: "\(certificates)/b.example.com")
            } == .with { $0.certificateFolders = ["b.example.com"] })
    }

    @Test func `the folder of a tenant is named when it is published, exchanged or withdrawn`() throws {
        let acme = TreeChanges.with { $0.appFolders = ["acme"] }
        let new = TreeChanges.with { $0.appFolders = ["new"] }
        #expect(try changes { try site.publish("acme", ["x.example.com", "z.example.com"]) } == acme)
        #expect(try changes { try site.publish("new", ["n.example.com"]) } == new)
        #expect(try changes { try site.publish("new", ["n.example.com", "m.example.com"]) } == new)
        #expect(try changes { try site.move("state/published/apps/new", to: "state/published/apps/.old") } == new)
        #expect(try changes { try site.move("state/published/apps/acme", to: "elsewhere/acme") } == acme)
        let retired = TreeChanges.with { $0.retired = true }
        #expect(try changes { try site.publish("acme", ["z.example.com"], in: "retired") } == retired)
        #expect(try changes { try site.publish("new", ["n.example.com"], in: "retired") } == retired)
        #expect(!watch.hasMoved())
    }

    @Test(arguments: ["apps", "retired"])
    func `a published folder that is created, replaced or removed has moved`(kind: String) throws {
        try site.remove("state/published")
        #expect(watch.hasMoved())
        watch.start()
        #expect(!watch.hasMoved())
        try site.publish("acme", ["x.example.com"], in: kind)
        #expect(watch.hasMoved())
        watch.start()
        _ = watch.takeChanges()
        #expect(try !changes { try site.publish("new", ["n.example.com"], in: kind) }.isEmpty)
        try site.move("state/published/\(kind)", to: "elsewhere")
        try site.publish("acme", ["x.example.com"], in: kind)
        #expect(watch.hasMoved())
    }

    @Test func `a changed app file is named, at any depth`() throws {
        #expect(try changes { try site.shop("a.json", hosts: ["x.example.com"]) } == .apps("a.json"))
        #expect(try changes { try site.shop("team/b.json", hosts: ["x.example.com"]) } == .apps("team/b.json"))
        #expect(
            try changes { try site.move("config/apps/team/b.json", to: "config/apps/c.json") }
                == .apps("team/b.json", "c.json"))
        #expect(try changes { try site.remove("config/apps/c.json") } == .apps("c.json"))
    }

    @Test func `changes of unused files are not reported`() throws {
        #expect(try isNothing { try site.write("config/apps/.a.json.swp", "x") })
        #expect(try isNothing { try site.write("config/server.json", "{}") })
        // An empty new file is reported when its writer closes it.
        let file = open(site.tree.config + "/apps/new.json", O_CREAT | O_WRONLY, 0o644)
        #expect(watch.takeChanges().isEmpty)
        #expect(write(file, "{}", 2) == 2)
        #expect(watch.takeChanges().isEmpty)
        #expect(changes { close(file) } == .apps("new.json"))
    }

    @Test func `a new folder is watched with everything in it`() throws {
        let came = try changes { try site.shop("new/deep/c.json", hosts: ["c.example.com"]) }
        #expect(came.appFolders.contains("new"))
        #expect(try changes { try site.shop("new/deep/c.json", hosts: ["d.example.com"]) } == .apps("new/deep/c.json"))
        #expect(
            try changes { try site.move("config/apps/new", to: "config/apps/other") }.appFolders == ["new", "other"])
        #expect(
            try changes { try site.shop("other/deep/c.json", hosts: ["e.example.com"]) } == .apps("other/deep/c.json"))
        try site.move("config/apps/other", to: "gone")
        _ = watch.takeChanges()
        #expect(try isNothing { try site.write("gone/c.json", "{}") })
    }

    @Test func `changes of hosts' files and pages name their folder`() throws {
        #expect(
            try changes { try site.write("config/hosts/b.example.com/well-known/x/y", "") }
                == .with { $0.hostFolders = ["b.example.com"] })
        #expect(
            try changes { try site.write("config/hosts/a.example.com/well-known/deep/y", "") }.hostFolders
                == ["a.example.com"])
        #expect(
            try changes { try site.write("config/hosts/a.example.com/well-known/deep/y", "1") }
                == .with { $0.hostFolders = ["a.example.com"] })
        for _ in 0..<2 {
            #expect(
                try changes { try site.write("config/hosts/a.example.com/privkey.pem", "1") }
                    == .with { $0.certificateFolders = ["a.example.com"] })
        }
        #expect(
            try changes { try site.write("public/_default/index.html", "1") }
                == .with { $0.pageFolders = ["_default"] })
        #expect(
            try changes { try site.write("public/c.example.com/x/index.html", "1") }.pageFolders == ["c.example.com"])
        #expect(
            try changes { try site.write("config/hosts/new.example.com/well-known/y", "1") }.hostFolders == [
                "new.example.com"
            ])
        #expect(try changes { try site.write("config/retired/a.json", "{}") }.everything, "the folder is new")
        #expect(try changes { try site.write("config/retired/b.json", "{}") } == .with { $0.retired = true })
    }

    @Test func `changing the link of a mounted folder reports all of it`() throws {
        try site.shop("..1/k.json", hosts: ["k.example.com"])
        _ = watch.takeChanges()
        #expect(try changes { try site.link("config/apps/..data", to: "..1") }.appFolders == [""])
    }

    @Test func `the target of a link is watched`() throws {
        try site.write("config/apps/.shared/x.json", "{}")
        #expect(try changes { try site.link("config/apps/x.json", to: ".shared/x.json") }.appFiles == ["x.json"])
        _ = watch.takeChanges()
        // Only the whole tree shows where links lead.
        let linked = TreeChanges.with { $0.appFolders = [""] }
        #expect(try changes { try site.write("config/apps/.shared/x.json", "{ }") } == linked)
        try site.write("config/apps/.shared/new", "{  }")
        _ = watch.takeChanges()
        #expect(
            try changes { try site.replace("config/apps/.shared/x.json", with: "config/apps/.shared/new") } == linked)
        try site.remove("config/apps/x.json")
        _ = watch.takeChanges()
        #expect(try isNothing { try site.write("config/apps/.shared/x.json", "{}") })
    }

    @Test func `a changed link in the middle of a path is noticed`() throws {
        for version in ["v1", "v2"] { try site.shop(".releases/\(version)/r.json", hosts: ["r.example.com"]) }
        try site.link("config/apps/.releases/current", to: "v1")
        try site.link("config/apps/released", to: ".releases/current")
        let other = try TreeWatch(configPath: site.tree.config, publicPath: site.tree.pages)
        other.start()
        _ = other.takeChanges()
        try site.link("config/apps/.releases/next", to: "v2")
        _ = other.takeChanges()
        try site.replace("config/apps/.releases/current", with: "config/apps/.releases/next")
        #expect(other.takeChanges().appFolders == [""])
        try site.shop(".releases/v2/r.json", hosts: ["s.example.com"])
        #expect(other.takeChanges().appFolders == [""])
    }

    @Test func `a link target is watched for the hosts that link to it`() throws {
        try site.write("acme/token", "1")
        let other = try TreeWatch(
            configPath: site.tree.config, publicPath: site.tree.pages,
            linkTargets: LinkTargets([site.tree.root + "/acme"]))
        other.start()
        for host in ["a", "b"] {
            try site.write("config/hosts/\(host).example.com/well-known/y", "")
            try site.link("config/hosts/\(host).example.com/well-known/shared", to: site.tree.root + "/acme")
        }
        _ = other.takeChanges()
        _ = other.takeChanges()
        try site.write("acme/token", "2")
        #expect(other.takeChanges() == .with { $0.hostFolders = ["a.example.com", "b.example.com"] })
        try site.remove("config/hosts/b.example.com/well-known/shared")
        _ = other.takeChanges()
        // The next walk through the host's folder stops watching it.
        try site.write("config/hosts/b.example.com/well-known/new/y", "")
        _ = other.takeChanges()
        try site.write("acme/token", "3")
        #expect(other.takeChanges() == .with { $0.hostFolders = ["a.example.com"] })
    }

    @Test func `ACME challenges are not reported`() throws {
        try site.write("config/hosts/b.example.com/well-known/y", "")
        _ = watch.takeChanges()
        try site.write("config/hosts/b.example.com/well-known/acme-challenge/token", "1")
        #expect(watch.takeChanges() == .with { _ in })
        try site.write("config/hosts/b.example.com/well-known/z", "")
        #expect(watch.takeChanges() == .with { $0.hostFolders = ["b.example.com"] })
        try site.remove("config/hosts/b.example.com/well-known/acme-challenge")
        #expect(watch.takeChanges() == .with { _ in })
    }

    @Test(arguments: ["config/apps/team", "config/hosts/b.example.com/well-known", "public/a.example.com"])
    func `a hundred links to a folder that contains them cost a hundred checks`(folder: String) throws {
        try site.write("\(folder)/kept.txt", "1")
        _ = watch.takeChanges()
        let count = watch.count
        for index in 0..<100 { try site.link("\(folder)/l\(index)", to: ".") }
        let changes = watch.takeChanges()
        #expect(!changes.everything && changes.appFolders.count + changes.appFiles.count <= 101)
        #expect(watch.count == count)
        // One event and one place, whatever links lead to it.
        try site.write("\(folder)/kept.json", "2")
        let one = watch.takeChanges()
        #expect(one.appFiles.count + one.hostFolders.count + one.pageFolders.count == 1)
    }

    @Test func `if the kernel loses events, everything is read again, and new folders are watched`() throws {
        let file = "/proc/sys/fs/inotify/max_queued_events"
        let eventsMax = try #require(Int(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")[0]))
        try site.write("config/apps/.a", "")
        #expect(!watch.takeChanges().everything)
        // Each renaming is two events.
        let names = ["a", "b"].map { "\(site.tree.config)/apps/.\($0)" }
        for index in 0...eventsMax / 2 { try #require(rename(names[index % 2], names[1 - index % 2]) == 0) }
        try site.shop("late/c.json", hosts: ["c.example.com"])
        try site.write("public/late.example.com/index.html", "")
        var passes: [TreeChanges] = []
        while passes.last?.everything != true, passes.count <= eventsMax { passes.append(watch.takeChanges()) }
        // Each pass takes some thousand events.
        #expect(passes.last?.everything == true && passes.count > 1)
        #expect(!watch.takeChanges().everything)
        #expect(try changes { try site.shop("late/c.json", hosts: ["d.example.com"]) } == .apps("late/c.json"))
        #expect(
            try changes { try site.write("public/late.example.com/index.html", "1") }
                == .with { $0.pageFolders = ["late.example.com"] })
    }

    @Test func `reports when there are more directories than may be watched`() throws {
        let few = try TreeWatch(configPath: site.tree.config, publicPath: site.tree.pages, directoriesMax: 2)
        few.start()
        #expect(few.shortage?.reason == "no space left on device")
        try site.remove("config/apps/team")
        try site.remove("config/hosts")
        try site.remove("public")
        // Everything present can be watched, and nothing is missed.
        let enough = try TreeWatch(configPath: site.tree.config, publicPath: site.tree.pages, directoriesMax: 2)
        enough.start()
        #expect(enough.shortage == nil)
    }

    @Test func `a tenant with many directories takes no watch from one with few`() throws {
        for index in 0..<40 { try site.write("public/a.example.com/\(index)/x.html", "") }
        try site.write("public/b.example.com/news/x.html", "")
        // Enough for the operator's directories, those of `b` and some of `a`.
        let other = try TreeWatch(
            configPath: site.tree.config, publicPath: site.tree.pages, directoriesMax: 30,
            tenant: { TenantID(folder: String($0.prefix(1))) })
        other.start()
        #expect(other.shortage?.reason == "no space left on device")
        #expect(other.leftOut == [TenantID(folder: "a")])
        #expect(other.count == 30)
        _ = other.takeChanges()
        try site.write("public/b.example.com/news/x.html", "new")
        #expect(other.takeChanges() == .with { $0.pageFolders = ["b.example.com"] })
        // Also what comes later.
        try site.write("public/b.example.com/more/x.html", "")
        _ = other.takeChanges()
        try site.write("public/b.example.com/more/x.html", "new")
        #expect(other.takeChanges() == .with { $0.pageFolders = ["b.example.com"] })
        #expect(other.count == 30)
        // As soon as there is room, `a` has more of it.
        try site.remove("public/b.example.com")
        _ = other.takeChanges()
        #expect(other.count < 30)
        try site.write("public/a.example.com/new/x.html", "")
        _ = other.takeChanges()
        #expect(other.count == 30)
    }

    @Test(arguments: [(256, 21_845), (4_096, 349_525), (1, 4_096)])
    func `an eighth of the memory is for watches`(mebibytes: Int, directoriesMax: Int) {
        #expect(TreeWatch.directoriesMax(memoryBytes: mebibytes << 20) == directoriesMax)
    }

    @Test func `a directory replaced by another one is noticed`() throws {
        try site.move("config", to: "config-1")
        #expect(watch.hasMoved())
        try site.link("config", to: "config-1")
        #expect(!watch.hasMoved())
        watch.start()
        _ = watch.takeChanges()
        #expect(try changes { try site.shop("a.json", hosts: ["z.example.com"]) } == .apps("a.json"))
    }

    @Test func `changes are merged`() {
        var sum = TreeChanges.apps("a")
        sum.merge(.with { $0.hostFolders = ["b"] })
        sum.merge(.with { $0.certificateFolders = ["c"] })
        sum.merge(.allAgain)
        #expect(sum.certificateFolders == ["c"])
        #expect(sum.everything && sum.repeatsFindings && sum.appFiles == ["a"] && sum.hostFolders == ["b"])
        #expect(!sum.isEmpty)
    }
}
