// Why hosts are served by an earlier version than there is on disk, for those who ask host by host.

public import Association

extension Tenants {
    /// The hosts on a last good version, in order, each with the findings that are the reason; so many of them at most.
    /// To be called between rounds.
    public func keptReasons(hostsMax: Int) -> [(host: String, findings: [Finding])] {
        var reasons: [String: [Finding]] = [:]
        for path in ledger.troubled.sorted() {
            for host in ledger[path]?.good?.hosts ?? [] { reasons[host, default: []] += troubles[path] ?? [] }
        }
        for host in stale { reasons[host, default: []] += hostTroubles[host] ?? [] }
        for path in unreadFiles where !ledger.troubled.contains(path) {
            let folder = treeTroubles.keys.sorted().last { $0.isEmpty || path.hasPrefix("\($0)/") }
            let findings = [folder.flatMap { treeTroubles[$0] }].compactMap { $0 }
            for host in ledger[path]?.good?.hosts ?? [] { reasons[host, default: []] += findings }
        }
        if let hostsTrouble {
            for host in unreadHosts { reasons[host, default: []].append(hostsTrouble) }
        }
        return reasons.sorted { $0.key < $1.key }.prefix(hostsMax).map { (host: $0.key, findings: $0.value) }
    }
}
