// Issued certificates. Private keys are sealed before they are stored, so the database, its backups and its operators never see them.

public import Database
import Posix
import TLS

/// A certificate with its chain and its sealed key.
public struct StoredCertificate: Hashable, Sendable {
    public var name: String
    /// Such as `p256`. Earlier versions stored a certificate for each of two kinds; only the first of them by name is used.
    public var keyKind: String
    /// The certificate and its intermediates, in PEM.
    public var chain: String
    public var issuer: String
    public var sealedKey: [UInt8]
    public var notBefore: Int64
    public var notAfter: Int64
    /// When to renew it: a random moment that is chosen once, so that a restart does not change it.
    public var renewAt: Int64

    /// Chooses the moment of its renewal, in the window of the authority if that has one.
    mutating func chooseRenewal(in window: Range<Int64>?) {
        renewAt = RenewalPlan.renewalMilliseconds(
            notBeforeMilliseconds: notBefore, notAfterMilliseconds: notAfter, windowMilliseconds: window,
            draw: .random(in: .min ... .max))
    }

    /// The place for which the key of a certificate is sealed, so that it cannot be used for another host.
    public static func sealingPlace(_ name: String, _ keyKind: String) -> String { "certificate/\(name)/\(keyKind)" }

    /// Whether less than a sixth of its life is left.
    var isUrgent: Bool { isUrgent(now: Clock.wallSeconds() * 1_000) }
    func isUrgent(now: Int64) -> Bool { notAfter - now < max(0, notAfter - notBefore) / 6 }

    /// Identifies the certificate at its authority; nil if it has no such name.
    var renewalID: String? { (try? IssuedChain(pem: Array(chain.utf8)))?.renewalID }

    private static let columns = "name, key_kind, chain, issuer, sealed_key, not_before, not_after, renew_at"

    /// Among the rows of a host, the one that is used.
    static let isUsed = """
        not exists (select 1 from certificate earlier
            where earlier.name = certificate.name and earlier.key_kind < certificate.key_kind)
        """

    /// Stores the certificate in place of the host's previous one.
    func replace(in transaction: borrowing Transaction) throws(DatabaseError) {
        try StoredCertificate.remove(name, in: transaction)
        try save(in: transaction)
    }

    /// Stores the certificate, replacing the previous one with the same kind of key.
    public func save(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            insert into certificate (\(StoredCertificate.columns)) values (?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (name, key_kind) do update set
                chain = excluded.chain, issuer = excluded.issuer, sealed_key = excluded.sealed_key,
                not_before = excluded.not_before, not_after = excluded.not_after, renew_at = excluded.renew_at
            """, name, keyKind, chain, issuer, sealedKey, notBefore, notAfter, renewAt)
    }

    /// Stores the same key sealed again, unless the certificate has been renewed meanwhile.
    func reseal(_ sealed: [UInt8], in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            "update certificate set sealed_key = ? where name = ? and key_kind = ? and sealed_key = ?", sealed, name,
            keyKind,
            sealedKey)
    }

    /// The certificate of a host.
    public static func load(
        _ name: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> StoredCertificate? {
        try transaction.query("select \(columns) from certificate where name = ? and \(isUsed)", name).first.map(read)
    }

    /// What tells the certificate of a host from any other, without reading all of it.
    struct Mark: Hashable, Sendable {
        var name: String
        /// The beginning of the sealed key. It has the nonce, which is new each time.
        var sealing: [UInt8]
    }

    /// The marks of hosts after a name, in the database's order of names.
    static func marks(
        after name: String, limit: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Mark] {
        let rows = try transaction.query(
            """
            select name, substr(sealed_key, 1, 32) from certificate where name > ? and \(isUsed) order by name limit ?
            """, name, limit)
        var marks: [Mark] = []
        for row in rows { marks.append(Mark(name: try row[0], sealing: try row[1])) }
        return marks
    }

    public static func remove(_ name: String, in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("delete from certificate where name = ?", name)
    }

    private static func read(_ row: Row) throws(DatabaseError) -> StoredCertificate {
        StoredCertificate(
            name: try row[0], keyKind: try row[1], chain: try row[2], issuer: try row[3], sealedKey: try row[4],
            notBefore: try row[5], notAfter: try row[6], renewAt: try row[7])
    }
}

extension StoredCertificate {
    /// A certificate that was issued or imported.
    init(_ chain: IssuedChain, of name: String, keyKind: String, sealedKey: [UInt8]) {
        let facts = chain.facts
        self.init(
            name: name, keyKind: keyKind, chain: chain.pem, issuer: facts.issuer, sealedKey: sealedKey,
            notBefore: facts.notBefore * 1_000, notAfter: facts.notAfter * 1_000, renewAt: 0)
        chooseRenewal(in: nil)
    }
}
