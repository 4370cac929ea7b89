// Adds work for the hosts that are served and need a certificate, and ends it for those that do not any more.

import DNS
public import Database
public import Store

/// Compares the hosts that the server serves with the store.
public struct HostRegister: Sendable {
    private let issuance: IssuanceStatus
    private let places: ManagerPlaces
    /// Whether the settings allow certificates for a host, and have what its challenge needs.
    private let covers: @Sendable (String) -> Bool
    /// The hosts that had a certificate of the operator at the last comparison.
    private var owned: Set<String> = []

    /// More rows at once would hold the database's lock for too long.
    private static let batchCount = 500

    public init(_ issuance: IssuanceStatus, places: ManagerPlaces, covers: @escaping @Sendable (String) -> Bool) {
        (self.issuance, self.places, self.covers) = (issuance, places, covers)
    }

    /// Takes the served hosts. What the store has is read in parts, so that it needs no memory for each host.
    public mutating func synchronize(with served: ServedNames, in store: inout Store) throws(DatabaseError) {
        var hosts = served
        let ownedBefore = owned
        owned = []
        hosts.select { host in
            guard DomainName(host) != nil, covers(host) else { return false }
            if places.ownCertificate(of: host) == nil {
                // A deployment may replace the folder, so that there is none for a moment.
                return !ownedBefore.contains(host)
            }
            owned.insert(host)
            return false
        }
        issuance.noteHosts(hosts)
        var (isNew, last) = (hosts.isWanted, String?(""))
        while let after = last {
            let known = try store.read { transaction throws(DatabaseError) in
                try Work.states(CertificateWork.kind, after: after, countMax: HostRegister.batchCount, in: transaction)
            }
            let changed = known.filter { hosts.isWanted($0.key) == ($0.state == IssuanceState.leaving.rawValue) }
            for index in known.compactMap({ hosts.index(of: $0.key) }) { isNew[index] = false }
            try add(changed.map(\.key), &store)
            last = known.last?.key
        }
        var new: [String] = []
        for index in isNew.indices where isNew[index] {
            new.append(hosts[index])
            if new.count < HostRegister.batchCount { continue }
            try add(new, &store)
            new = []
        }
        try add(new, &store)
    }

    private func add(_ hosts: [String], _ store: inout Store) throws(DatabaseError) {
        if hosts.isEmpty { return }
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            let now = try transaction.now()
            for host in hosts {
                try Work.add(
                    CertificateWork.kind, host, tenant: issuance.tenant(of: host),
                    state: IssuanceState.new.rawValue, due: now,
                    priority: CertificateWork.checkPriority, in: transaction)
            }
        }
        issuance.control.wake()
    }
}
