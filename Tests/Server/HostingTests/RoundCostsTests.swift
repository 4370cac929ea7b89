// Which folders have used up their time in a round.

import Posix
import Testing

@testable import Hosting

struct RoundCostsTests {
    @Test(
        arguments: [
            ([], false), ([("apps/a", 499_999)], false), ([("apps/a", 500_000)], true),
            ([("apps/a", 250_000), ("apps/b", 600_000), ("apps/a", 250_000)], true),
            ([("apps/b", 600_000), ("a", 600_000)], false),
        ] as [([(String, Int64)], Bool)])
    func `a folder of app files has a limited time in a round`(spent: [(String, Int64)], isSpent: Bool) {
        let costs = RoundCosts()
        for (folder, microseconds) in spent { costs.add(microseconds, to: folder) }
        #expect(costs.isSpent(RoundCosts.folder(ofApp: "a/deep/x.json")) == isSpent)
        #expect(!costs.isSpent(RoundCosts.folder(ofApp: "a.json")), "the operator's files have no limit")
    }

    @Test func `CPU time is counted by folder`() {
        let costs = RoundCosts()
        func work() {
            let end = Clock.threadMicroseconds() + 2_000
            while Clock.threadMicroseconds() < end {}
        }
        costs.measure("apps/a", work)
        costs.measure("apps/a", work)
        costs.measure(nil, work)
        #expect(costs.milliseconds.keys.sorted() == ["apps/a"])
        #expect((costs.milliseconds["apps/a"] ?? 0) >= 4)
    }
}

/// Which files of an expensive folder a round reads.
struct PostponedFilesTests {
    private let site: TenantTree

    init() throws {
        site = try TenantTree()
        for name in ["evil/1.json", "evil/2.json", "good/1.json", "top.json"] {
            try site.shop(name, hosts: ["\(name.filter { $0 != "/" }).example.com"])
        }
        try site.round()
    }

    /// The files that a round reads if `evil` has already used up its time.
    private func scan(_ changes: TreeChanges) throws -> Scan {
        var source = site.tenants.source
        source.costs = RoundCosts()
        source.costs.add(RoundCosts.microsecondsMax, to: "apps/evil")
        let folders = HostFolders(configPath: site.tree.config, publicPath: site.tree.pages)
        var scanner = try TreeScanner(changes, knowing: site.tenants.memory, source, folders, nil)
        var scan = try scanner.list()
        try scanner.read(scan.paths) { readings throws(SystemError) in
            try scan.add(readings, knowing: site.tenants.memory)
        }
        try scanner.addRest(to: &scan)
        return scan
    }

    @Test func `the remaining files of an expensive folder are left for the next round, and others are read`() throws {
        for name in ["evil/1.json", "evil/3.json", "good/1.json", "top.json"] {
            try site.shop(name, hosts: ["new.\(name.filter { $0 != "/" }).example.com"])
        }
        let changes = TreeChanges.apps("evil/1.json", "evil/3.json", "good/1.json", "top.json")
        for changes in [changes, .all, .allAgain] {
            let scan = try scan(changes)
            #expect(scan.candidates.keys.sorted() == ["good/1.json", "top.json"])
            #expect(scan.later.appFiles.isSuperset(of: ["evil/1.json", "evil/3.json"]))
            #expect(scan.later.appFiles.allSatisfy { $0.hasPrefix("evil/") })
        }
        #expect(try site.round(scan(changes).later).changedHosts.contains("new.evil3.json.example.com"))
    }

    @Test func `a deleted file waits for the rest of its folder, which may have its entries`() throws {
        try site.remove("config/apps/evil/1.json")
        try site.remove("config/apps/good/1.json")
        var scan = Scan()
        let readings = ["evil/1.json", "good/1.json"].map { path in
            FileReading(path, .gone, known: nil, site.tenants.source)
        }
        scan.changed = ["evil/1.json", "evil/3.json", "good/1.json"]
        try scan.add(readings + [FileReading(postponed: "evil/3.json")], knowing: site.tenants.memory)
        scan.postponeGone()
        #expect(scan.candidates.keys.sorted() == ["good/1.json"])
        #expect(scan.later.appFiles == ["evil/1.json", "evil/3.json"])
    }

    @Test func `a file that waits for others keeps waiting`() throws {
        var scan = Scan()
        try scan.add([FileReading(postponed: "evil/1.json")], knowing: site.tenants.memory)
        #expect(scan.later.waiting == ["evil/1.json"] && scan.later.appFiles.isEmpty)
    }
}
