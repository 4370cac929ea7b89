// What is noted about app files and hosts, and what noting costs.

import Testing

@testable import Hosting

struct LedgerTests {
    private func record(
        _ hosts: [String], _ standing: AppRecord.Standing = .current, awaited: Set<String> = []
    ) -> AppRecord {
        let good = AppRecord.GoodVersion(text: .memory([]), modified: 0, hosts: hosts, otherHosts: [])
        return AppRecord(mark: nil, standing: standing, good: good, awaited: awaited)
    }

    @Test func `the files of a host are in the order of their paths, however they come`() {
        var ledger = Ledger()
        let paths = (0..<100).map { "\(($0 * 37) % 100 + 100).json" }
        for path in paths { ledger.put(record(["x.example"]), at: path) }
        #expect(ledger.paths(naming: "x.example") == paths.sorted())
        ledger.put(record(["x.example", "y.example"]), at: paths[3])
        ledger.put(record([]), at: paths[4])
        ledger.put(nil, at: paths[5])
        #expect(ledger.paths(naming: "x.example") == paths.sorted().filter { $0 != paths[4] && $0 != paths[5] })
        #expect(ledger.paths(naming: "y.example") == [paths[3]])
        for path in paths { ledger.put(nil, at: path) }
        #expect(ledger.paths(naming: "x.example").isEmpty)
        #expect(ledger.hosts.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a path is compared with a few others, not with all of a host`(isDescending: Bool) {
        var paths = SortedPaths()
        var comparedMax = 0
        for number in 0..<4_096 {
            comparedMax = max(comparedMax, paths.insert("\(10_000 + (isDescending ? -number : number)).json"))
        }
        #expect(comparedMax <= 13)
        #expect(paths.paths.count == 4_096)
        #expect(paths.paths == paths.paths.sorted())
    }

    @Test func `a file is found by the hosts that it waits for until its record is another`() {
        var ledger = Ledger()
        ledger.put(record(["a"], .held, awaited: ["a", "b"]), at: "1.json")
        ledger.put(record(["c"], .refused, awaited: ["b"]), at: "2.json")
        #expect(ledger.paths(awaiting: ["a"]) == ["1.json"])
        #expect(ledger.paths(awaiting: ["b", "x"]) == ["1.json", "2.json"])
        ledger.put(record(["a"], .held, awaited: ["a"]), at: "1.json")
        #expect(ledger.paths(awaiting: ["b"]) == ["2.json"])
        ledger.put(record(["c"]), at: "2.json")
        #expect(ledger.paths(awaiting: ["b"]) == [])
        ledger.put(nil, at: "1.json")
        #expect(ledger.paths(awaiting: ["a", "b"]) == [])
    }
}
