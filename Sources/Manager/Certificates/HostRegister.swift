// Adds work for the hosts that are served and need a certificate, and ends it for those that do not any more.

import DNS
public import Database

/// Compares the hosts that the server serves with the store.
public struct HostRegister: Sendable {
    private let control: ManagerControl
    private let places: ManagerPlaces
    /// Whether the settings allow certificates for a host, and have what its challenge needs.
    private let covers: @Sendable (String) -> Bool

    /// More rows at once would hold the database's lock for too long.
    private static let batchCount = 500

    public init(
        _ control: ManagerControl, places: ManagerPlaces, covers: @escaping @Sendable (String) -> Bool
    ) {
        (self.control, self.places, self.covers) = (control, places, covers)
    }

    /// Takes the served hosts.
    public func take(_ hosts: [String], _ store: inout Store) throws(DatabaseError) {
        let wanted = Set(
            hosts.lazy.filter { DomainName($0) != nil && covers($0) && places.ownCertificate(of: $0) == nil })
        control.want(wanted)
        let known: [String: String] = try store.read { transaction throws(DatabaseError) in
            try Work.states(CertificateWork.kind, in: transaction)
        }
        let new = wanted.filter { known[$0] == nil }.sorted().map { (host: $0, priority: CertificateWork.newPriority) }
        let isLeaving = IssuanceState.leaving.rawValue
        let changed = known.filter { wanted.contains($0.key) == ($0.value == isLeaving) }.map {
            (host: $0.key, priority: CertificateWork.waitingPriority)
        }
        let due = new + changed
        for start in stride(from: 0, to: due.count, by: HostRegister.batchCount) {
            try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                let now = try transaction.now()
                for (host, priority) in due[start..<min(due.count, start + HostRegister.batchCount)] {
                    try Work.add(
                        CertificateWork.kind, host, tenant: control.tenant(of: host),
                        state: IssuanceState.waitingForDNS.rawValue, due: now, priority: priority, in: transaction)
                }
            }
        }
        if !due.isEmpty { control.wake() }
    }
}
