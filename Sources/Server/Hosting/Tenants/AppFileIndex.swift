// What is known about every app file, and which files name a host. Records are small: the content of an app file is parsed again
// from its last good text when it is needed.

/// All app files by path.
struct AppFileIndex: Sendable {
    /// By path below `config/apps`.
    private(set) var records: [String: AppRecord] = [:]
    /// The files whose last good version names a host.
    private var pathsByHost: [String: SortedPaths] = [:]
    /// How many files name a host in another environment and not in this one.
    private var otherHosts: [String: Int] = [:]
    /// The files whose version on disk is not the one in service.
    private(set) var notInService: Set<String> = []

    /// How many files have a last good version.
    private(set) var goodCount = 0
    /// Warnings and notes about all files in service.
    private(set) var warningCounts = (warnings: 0, notes: 0)
    /// The held and refused files that wait for a change of a host.
    private var pathsByAwaitedHost: [String: Set<String>] = [:]

    subscript(path: String) -> AppRecord? { records[path] }

    /// Every host that an app file names.
    var hosts: some Collection<String> { pathsByHost.keys }

    /// Every host that is named in another environment; some of them in this one too.
    var hostsElsewhere: some Collection<String> { otherHosts.keys }

    /// The files that name a host, sorted.
    func paths(naming host: String) -> [String] { pathsByHost[host]?.paths ?? [] }

    /// Whether a host is named in another environment only.
    func isElsewhere(_ host: String) -> Bool { pathsByHost[host] == nil && otherHosts[host] != nil }

    /// How many files name a host in another environment and not in this one.
    func countNamingElsewhere(_ host: String) -> Int { otherHosts[host] ?? 0 }

    /// The files that wait for a change of one of these hosts.
    func paths(awaiting hosts: @autoclosure () -> Set<String>) -> Set<String> {
        if pathsByAwaitedHost.isEmpty { return [] }
        return hosts().reduce(into: []) { $0.formUnion(pathsByAwaitedHost[$1] ?? []) }
    }

    /// Reserves space for this many more files, assuming about one host each.
    mutating func reserve(_ count: Int) {
        records.reserveCapacity(records.count + count)
        pathsByHost.reserveCapacity(pathsByHost.count + count)
    }

    /// Replaces the record of a file; nil removes it.
    mutating func put(_ record: AppRecord?, at path: String) {
        let old = records[path]?.good
        let new = record?.good
        if old?.hosts != new?.hosts {
            for host in old?.hosts ?? [] { remove(path, from: host) }
            for host in new?.hosts ?? [] { add(path, to: host) }
        }
        for host in old?.otherHosts ?? [] {
            otherHosts[host, default: 1] -= 1
            if otherHosts[host] == 0 { otherHosts[host] = nil }
        }
        for host in new?.otherHosts ?? [] { otherHosts[host, default: 0] += 1 }
        warningCounts.warnings +=
            Int(record?.warningCounts.warnings ?? 0) - Int(records[path]?.warningCounts.warnings ?? 0)
        warningCounts.notes += Int(record?.warningCounts.notes ?? 0) - Int(records[path]?.warningCounts.notes ?? 0)
        goodCount += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        for host in records[path]?.awaitedHosts ?? [] {
            pathsByAwaitedHost[host]?.remove(path)
            if pathsByAwaitedHost[host]?.isEmpty == true { pathsByAwaitedHost[host] = nil }
        }
        for host in record?.awaitedHosts ?? [] { pathsByAwaitedHost[host, default: []].insert(path) }
        records[path] = record
        if let record, record.state != .current { notInService.insert(path) } else { notInService.remove(path) }
    }

    /// Costs the same for a host with many files as for one with few.
    private mutating func add(_ path: String, to host: String) {
        pathsByHost[host, default: SortedPaths()].insert(path)
    }

    private mutating func remove(_ path: String, from host: String) {
        pathsByHost[host]?.remove(path)
        if pathsByHost[host]?.paths.isEmpty == true { pathsByHost[host] = nil }
    }
}

/// Distinct paths, sorted.
struct SortedPaths: Sendable {
    private(set) var paths: [String] = []

    /// Returns the number of comparisons.
    @discardableResult
    mutating func insert(_ path: String) -> Int {
        let (index, comparedCount) = place(of: path)
        if index == paths.count || paths[index] != path { paths.insert(path, at: index) }
        return comparedCount
    }

    mutating func remove(_ path: String) {
        let index = place(of: path).index
        if index < paths.count, paths[index] == path { paths.remove(at: index) }
    }

    /// The index of the first path that is not less than this one.
    private func place(of path: String) -> (index: Int, comparedCount: Int) {
        var (low, high, comparedCount) = (0, paths.count, 0)
        while low < high {
            let middle = (low + high) / 2
            comparedCount += 1
            if paths[middle] < path { low = middle + 1 } else { high = middle }
        }
        return (low, comparedCount)
    }
}
