// The memory of the control plane: every app file by its path, and which of them name a host. Small on purpose: what app
// files say is read again when it is needed, from the last good text.

import Posix

/// What is known about all app files.
struct Ledger: Sendable {
    /// By path below `config/apps`.
    private(set) var records: [String: AppRecord] = [:]
    /// The files whose last good version names a host.
    private var pathsByHost: [String: SortedPaths] = [:]
    /// How many files name a host in another environment and not in this one.
    private var otherHosts: [String: Int] = [:]
    /// The files that are not what is served.
    private(set) var troubled: Set<String> = []

    /// The files that something is served from.
    private(set) var goodCount = 0
    /// What all files in service have of less than errors.
    private(set) var lesser = (warnings: 0, notes: 0)
    /// The files that are to be looked at again when something about a host changes.
    private var pathsByAwaited: [String: Set<String>] = [:]

    subscript(path: String) -> AppRecord? { records[path] }

    /// Every host that an app file names.
    var hosts: some Collection<String> { pathsByHost.keys }

    /// Every host that is named in another environment and not in this one, and some that are.
    var hostsElsewhere: some Collection<String> { otherHosts.keys }

    /// The files that name a host, in the order of their paths.
    func paths(naming host: String) -> [String] { pathsByHost[host]?.paths ?? [] }

    /// Whether a host belongs to another environment, and so to another server.
    func isElsewhere(_ host: String) -> Bool { pathsByHost[host] == nil && otherHosts[host] != nil }

    /// How many files name a host in another environment and not in this one.
    func countNamingElsewhere(_ host: String) -> Int { otherHosts[host] ?? 0 }

    /// The files whose verdict depends on one of these hosts.
    func paths(awaiting hosts: @autoclosure () -> Set<String>) -> Set<String> {
        if pathsByAwaited.isEmpty { return [] }
        return hosts().reduce(into: []) { $0.formUnion(pathsByAwaited[$1] ?? []) }
    }

    /// Makes room for so many files more, most of which name a host.
    mutating func reserve(_ count: Int) {
        records.reserveCapacity(records.count + count)
        pathsByHost.reserveCapacity(pathsByHost.count + count)
    }

    /// Puts a record in the place of what was known; nil forgets the file.
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
        lesser.warnings += Int(record?.lesser.warnings ?? 0) - Int(records[path]?.lesser.warnings ?? 0)
        lesser.notes += Int(record?.lesser.notes ?? 0) - Int(records[path]?.lesser.notes ?? 0)
        goodCount += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        for host in records[path]?.awaited ?? [] {
            pathsByAwaited[host]?.remove(path)
            if pathsByAwaited[host]?.isEmpty == true { pathsByAwaited[host] = nil }
        }
        for host in record?.awaited ?? [] { pathsByAwaited[host, default: []].insert(path) }
        records[path] = record
        if let record, record.standing != .current { troubled.insert(path) } else { troubled.remove(path) }
    }

    /// A host of many files costs no more to note than one of few.
    private mutating func add(_ path: String, to host: String) {
        pathsByHost[host, default: SortedPaths()].insert(path)
    }

    private mutating func remove(_ path: String, from host: String) {
        pathsByHost[host]?.remove(path)
        if pathsByHost[host]?.paths.isEmpty == true { pathsByHost[host] = nil }
    }
}

/// Paths in their order, each once.
struct SortedPaths: Sendable {
    private(set) var paths: [String] = []

    /// Returns how many paths it was compared with.
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

    /// Where the first path is that does not come before this one.
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
