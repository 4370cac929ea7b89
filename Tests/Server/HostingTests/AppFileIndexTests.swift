// The index of app files and hosts, and its costs.

import Testing

@testable import Hosting

struct AppFileIndexTests {
    private func record(
        _ hosts: [String], _ state: AppRecord.State = .current, awaitedHosts: Set<String> = []
    ) -> AppRecord {
        let good = AppRecord.GoodVersion(text: .memory([]), modified: 0, hosts: hosts, otherHosts: [])
        return AppRecord(mark: nil, state: state, good: good, awaitedHosts: awaitedHosts)
    }

    @Test func `a host's files are sorted by path, in whatever order they are added`() {
        var appFiles = AppFileIndex()
        let paths = (0..<100).map { "\(($0 * 37) % 100 + 100).json" }
        for path in paths { appFiles.put(record(["x.example"]), at: path) }
        #expect(appFiles.paths(naming: "x.example") == paths.sorted())
        appFiles.put(record(["x.example", "y.example"]), at: paths[3])
        appFiles.put(record([]), at: paths[4])
        appFiles.put(nil, at: paths[5])
        #expect(appFiles.paths(naming: "x.example") == paths.sorted().filter { $0 != paths[4] && $0 != paths[5] })
        #expect(appFiles.paths(naming: "y.example") == [paths[3]])
        for path in paths { appFiles.put(nil, at: path) }
        #expect(appFiles.paths(naming: "x.example").isEmpty)
        #expect(appFiles.hosts.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a path is compared with few others, not with all of a host`(isDescending: Bool) {
        var paths = SortedPaths()
        var comparedMax = 0
        for number in 0..<4_096 {
            comparedMax = max(comparedMax, paths.insert("\(10_000 + (isDescending ? -number : number)).json"))
        }
        #expect(comparedMax <= 13)
        #expect(paths.paths.count == 4_096)
        #expect(paths.paths == paths.paths.sorted())
    }

    @Test func `a file is found by the hosts that it waits for until its record changes`() {
        var appFiles = AppFileIndex()
        appFiles.put(record(["a"], .held, awaitedHosts: ["a", "b"]), at: "1.json")
        appFiles.put(record(["c"], .refused, awaitedHosts: ["b"]), at: "2.json")
        #expect(appFiles.paths(awaiting: ["a"]) == ["1.json"])
        #expect(appFiles.paths(awaiting: ["b", "x"]) == ["1.json", "2.json"])
        appFiles.put(record(["a"], .held, awaitedHosts: ["a"]), at: "1.json")
        #expect(appFiles.paths(awaiting: ["b"]) == ["2.json"])
        appFiles.put(record(["c"]), at: "2.json")
        #expect(appFiles.paths(awaiting: ["b"]) == [])
        appFiles.put(nil, at: "1.json")
        #expect(appFiles.paths(awaiting: ["a", "b"]) == [])
    }
}
