// Adds work for the hosts that are served and need a certificate, and ends it for those that do not any more.

import DNS
public import Database
import Posix

/// Compares the hosts that the server serves with the store.
public struct HostRegister: Sendable {
    private let control: ManagerControl
    private let suffixes: PublicSuffixes
    /// Whether the operator's own certificate for a host exists.
    private let hasOwn: @Sendable (String) -> Bool
    /// Whether the settings allow certificates for a host, and have what its challenge needs.
    private let covers: @Sendable (String) -> Bool

    /// More rows at once would hold the database's lock for too long.
    private static let batchCount = 500

    public init(
        _ control: ManagerControl, places: ManagerPlaces, suffixes: PublicSuffixes,
        covers: @escaping @Sendable (String) -> Bool
    ) {
        (self.control, self.suffixes, self.covers) = (control, suffixes, covers)
        hasOwn = { host in
            let wildcard = host.split(separator: ".", maxSplits: 1).last.map { "_wildcard.\($0)" }
            return [host, wildcard].compactMap(\.self).contains {
                File.exists("\(places.hosts)/\($0)/fullchain.pem")
            }
        }
    }

    /// Takes the served hosts.
    public func take(_ hosts: [String], _ store: inout Store) throws(DatabaseError) {
        let wanted = Set(hosts.lazy.filter { DomainName($0) != nil && covers($0) && !hasOwn($0) })
        control.want(wanted)
        let known: [String: String] = try store.read { transaction throws(DatabaseError) in
            try Work.states(CertificateWork.kind, in: transaction)
        }
        var ranks: [String: Int64] = [:]
        for (host, state) in known where state != IssuanceState.issued.rawValue {
            ranks[suffixes.registeredDomain(of: host), default: 0] += 1
        }
        // The first host of each domain comes before the second of any: a tenant with thousands delays no other.
        let new = wanted.filter { known[$0] == nil }.sorted().map { host -> (host: String, priority: Int64) in
            let domain = suffixes.registeredDomain(of: host)
            defer { ranks[domain, default: 0] += 1 }
            return (host, -(ranks[domain] ?? 0))
        }
        let isLeaving = IssuanceState.leaving.rawValue
        let changed = known.filter { wanted.contains($0.key) == ($0.value == isLeaving) }.map { ($0.key, Int64.min) }
        let due = new + changed
        for start in stride(from: 0, to: due.count, by: HostRegister.batchCount) {
            try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                let now = try transaction.now()
                for (host, priority) in due[start..<min(due.count, start + HostRegister.batchCount)] {
                    try Work.add(
                        CertificateWork.kind, host, state: IssuanceState.waitingForDNS.rawValue, due: now,
                        priority: priority, in: transaction)
                }
            }
        }
        if !due.isEmpty { control.wake() }
    }
}
