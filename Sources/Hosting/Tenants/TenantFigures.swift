// The state of all tenants: in numbers, which each round hands out, and which files and hosts these are.

public import Association
import Catalogue
import Telemetry

extension HostingFigures {
    mutating func count(_ standing: AppRecord.Standing, isServed: Bool) {
        switch standing {
        case .current: return
        case .broken: brokenFiles += 1
        case .held: heldFiles += 1
        case .gone: goneFiles += 1
        case .refused: refusedFiles += 1
        }
        if !isServed { unservedFiles += 1 }
    }

    mutating func count(_ severity: Severity) {
        switch severity {
        case .error: errors += 1
        case .warning: warnings += 1
        case .note: notes += 1
        }
    }
}

extension Tenants {
    /// What keeps something from being served at this moment.
    public var openFindings: [Finding] { memory.troubles.standing(in: source.label) }

    /// The hosts that are served by an earlier version of something than there is on disk.
    public var keptHosts: [String] {
        let ledger = memory.ledger
        return Set(ledger.troubled.filter(isServed).flatMap { ledger[$0]?.good?.hosts ?? [] }).union(memory.stale)
            .union(unreadHosts).union(unreadFiles.flatMap { ledger[$0]?.good?.hosts ?? [] }).sorted()
    }

    /// The hosts on a last good version, in order, each with the findings that are the reason; so many of them at most.
    /// To be called between rounds.
    public func keptReasons(hostsMax: Int) -> [(host: String, findings: [Finding])] {
        var reasons: [String: [Finding]] = [:]
        let (ledger, troubles) = (memory.ledger, memory.troubles)
        for path in ledger.troubled.sorted() {
            for host in ledger[path]?.good?.hosts ?? [] { reasons[host, default: []] += troubles.files[path] ?? [] }
        }
        for host in memory.stale { reasons[host, default: []] += troubles.hosts[host] ?? [] }
        for path in unreadFiles where !ledger.troubled.contains(path) {
            let findings = [troubles.tree.reason(hiding: path)].compactMap { $0 }
            for host in ledger[path]?.good?.hosts ?? [] { reasons[host, default: []] += findings }
        }
        if let trouble = troubles.hostsFolder {
            for host in unreadHosts { reasons[host, default: []].append(trouble) }
        }
        return reasons.sorted { $0.key < $1.key }.prefix(hostsMax).map { (host: $0.key, findings: $0.value) }
    }

    /// The hosts of which files of their own are live, while nobody can look at any of them.
    private var unreadHosts: [String] {
        guard memory.troubles.hostsFolder != nil else { return [] }
        return memory.folders.filter { $0.value.wellKnown != nil }.map(\.key)
    }

    /// The files with a last good version in folders that cannot be looked into.
    private var unreadFiles: [String] {
        if memory.troubles.tree.findings.isEmpty { return [] }
        return memory.ledger.records.filter { path, record in
            record.good != nil && memory.troubles.tree.hides(path)
        }.map(\.key).sorted()
    }

    /// Whether anything is served by a file that is not what is served. A last good version may be of another program, and
    /// of no use to this one.
    func isServed(_ path: String) -> Bool {
        guard let good = memory.ledger[path]?.good else { return false }
        return good.hosts.isEmpty || good.hosts.contains { shelf.tags(of: $0) != nil }
    }

    /// All tenants in numbers.
    func figures() -> HostingFigures {
        let ledger = memory.ledger
        let unservedCount = ledger.troubled.count { ledger[$0]?.good != nil && !isServed($0) }
        var figures = HostingFigures(appFiles: ledger.goodCount - unservedCount, hosts: shelf.catalogue.siteCount)
        figures.keptHosts = keptHosts.count
        for path in ledger.troubled {
            guard let record = ledger[path] else { continue }
            figures.count(record.standing, isServed: isServed(path))
        }
        for finding in openFindings { figures.count(finding.severity) }
        for counts in memory.hostLesser.values {
            figures.warnings += Int(counts.warnings)
            figures.notes += Int(counts.notes)
        }
        figures.warnings += ledger.lesser.warnings
        figures.notes += ledger.lesser.notes
        figures.guardedEntries = memory.troubles.guarded.values.reduce(0, +)
        return figures
    }
}
