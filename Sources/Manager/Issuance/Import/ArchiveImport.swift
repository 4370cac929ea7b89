// Stores the certificates of an archive as if the manager had ordered them: with sealed keys and a moment for renewal. Their work is
// due at once, so the manager writes their files; it orders nothing before they have to be renewed. Storing them again changes
// nothing.

public import Database
import Posix
public import Store
import TLS

/// What has become of a certificate from elsewhere.
public struct ImportedCertificate: Hashable, Sendable {
    public let file: String
    /// Seconds since 1970.
    public let notAfter: Int64
    /// Stored for these hosts.
    public internal(set) var stored: [String] = []
    /// Hosts for which this certificate was stored before.
    public internal(set) var known: [String] = []
    /// Hosts for which the store has a certificate that is valid for as long or longer.
    public internal(set) var superseded: [String] = []
}

/// The import of an archive into a store.
public struct ArchiveImport {
    public private(set) var certificates: [ImportedCertificate] = []
    /// Certificates that are not needed here.
    public let omissions: [ClientArchive.Omission]
    private let plan: ImportPlan

    /// - Parameter revoked: certificates that are not imported.
    /// - Parameter covers: whether the settings allow certificates for a host.
    public init(
        _ archive: ClientArchive, revoked: RevokedCertificates? = nil, covers: (String) -> Bool
    ) {
        let known = revoked?.all
        let (out, valid) = archive.certificates.reduce(
            into: ([ClientArchive.Omission](), [ClientArchive.Certificate]())
        ) {
            if known?.contains($1.chain) != true { return $0.1.append($1) }
            $0.0.append(.init(file: $1.file, reason: "it was revoked by `associated acme revoke`", isFailure: false))
        }
        plan = ImportPlan(valid, covers: covers)
        omissions = out + plan.omissions
    }

    /// Stores the certificates, each with all of its hosts or not at all.
    public mutating func run(_ store: inout Store) throws(DatabaseError) {
        for item in plan.items {
            let (chain, key) = (item.certificate.chain, item.certificate.key)
            var rows: [StoredCertificate] = []
            for host in item.hosts {
                let sealed = try store.seal(key.pem, for: StoredCertificate.sealingPlace(host, key.kindName))
                rows.append(StoredCertificate(chain, of: host, keyKind: key.kindName, sealedKey: sealed))
            }
            let empty = ImportedCertificate(file: item.certificate.file, notAfter: chain.facts.notAfter)
            let now = Clock.wallSeconds() * 1_000
            let imported = try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                var imported = empty
                for row in rows { try ArchiveImport.save(row, now, &imported, in: transaction) }
                return imported
            }
            certificates.append(imported)
        }
    }

    /// Stores one row unless the store has a certificate that is as good.
    /// - Parameter now: milliseconds since 1970.
    private static func save(
        _ row: StoredCertificate, _ now: Int64, _ imported: inout ImportedCertificate,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let (kind, state, due) = (CertificateWork.kind, IssuanceState.issued.rawValue, try transaction.now())
        // Also locks the work, so that no worker stores another certificate meanwhile.
        try Work.add(kind, row.name, state: state, due: due, priority: CertificateWork.renewalPriority, in: transaction)
        let present = try StoredCertificate.load(row.name, in: transaction)
        if present?.chain == row.chain { return imported.known.append(row.name) }
        if let present, present.notAfter >= row.notAfter, present.notAfter > now {
            return imported.superseded.append(row.name)
        }
        try row.replace(in: transaction)
        try Work.settle(kind, row.name, state: state, due: due, in: transaction)
        imported.stored.append(row.name)
    }
}
