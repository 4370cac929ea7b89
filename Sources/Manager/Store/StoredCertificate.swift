// Issued certificates, and other secrets of the manager. Private keys are sealed before they are stored, so the database, its
// backups and its operators never see them.

public import Database
import TLS

/// A certificate with its chain and its sealed key.
public struct StoredCertificate: Hashable, Sendable {
    public var name: String
    /// Such as `p256`: a host may have one certificate for each kind of key.
    public var keyKind: String
    /// The certificate and its intermediates, in PEM.
    public var chain: String
    public var issuer: String
    public var sealedKey: [UInt8]
    public var notBefore: Int64
    public var notAfter: Int64
    /// When to renew it: a random moment that is chosen once, so that a restart does not change it.
    public var renewAt: Int64

    public init(
        name: String, keyKind: String, chain: String, issuer: String, sealedKey: [UInt8], notBefore: Int64,
        notAfter: Int64,
        renewAt: Int64
    ) {
        (self.name, self.keyKind, self.chain, self.issuer) = (name, keyKind, chain, issuer)
        (self.sealedKey, self.notBefore, self.notAfter) = (sealedKey, notBefore, notAfter)
        self.renewAt = renewAt
    }

    /// The place for which the key of a certificate is sealed, so that it cannot be used for another host.
    public static func sealingPlace(_ name: String, _ keyKind: String) -> String { "certificate/\(name)/\(keyKind)" }

    /// Identifies the certificate at its authority; nil if it has no such name.
    var renewalID: String? { (try? IssuedChain(pem: Array(chain.utf8)))?.renewalID }

    private static let columns = "name, key_kind, chain, issuer, sealed_key, not_before, not_after, renew_at"

    /// Stores the certificate, replacing the previous one.
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

    /// The certificates of a host, one for each kind of key.
    public static func load(
        _ name: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [StoredCertificate] {
        try transaction.query("select \(columns) from certificate where name = ? order by key_kind", name).map(read)
    }

    /// What tells a certificate from any other, without reading all of it.
    struct Mark: Hashable, Sendable {
        var name: String
        /// The beginning of the sealed key. It has the nonce, which is new each time.
        var sealing: [UInt8]
    }

    /// The marks of the certificates after a name, in the database's order of names.
    static func marks(
        after name: String, limit: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Mark] {
        try transaction.query(
            """
            select name, substr(sealed_key, 1, 32) from certificate where name > ? order by name, key_kind limit ?
            """, name, limit
        ).map { row throws(DatabaseError) in Mark(name: try row[0], sealing: try row[1]) }
    }

    /// Removes the certificates of a host.
    public static func remove(_ name: String, in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("delete from certificate where name = ?", name)
    }

    private static func read(_ row: Row) throws(DatabaseError) -> StoredCertificate {
        StoredCertificate(
            name: try row[0], keyKind: try row[1], chain: try row[2], issuer: try row[3], sealedKey: try row[4],
            notBefore: try row[5], notAfter: try row[6], renewAt: try row[7])
    }
}

/// A secret of the whole fleet, such as the account key at a certificate authority.
public enum StoredSecret {
    /// The place for which a secret is sealed.
    public static func sealingPlace(_ name: String) -> String { "secret/\(name)" }

    /// Stores a sealed secret unless one with this name exists.
    /// - Returns: the stored one, so that several nodes that create one at the same time all use the same.
    public static func saveIfAbsent(
        _ name: String, sealed: [UInt8], in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [UInt8] {
        try transaction.execute("insert into secret (name, sealed) values (?, ?) on conflict do nothing", name, sealed)
        return try load(name, in: transaction) ?? sealed
    }

    /// Replaces a sealed secret, unless another node has done so.
    static func replace(
        _ name: String, sealed: [UInt8], insteadOf present: [UInt8], in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "update secret set sealed = ? where name = ? and sealed = ?", sealed, name, present)
    }

    public static func load(_ name: String, in transaction: borrowing Transaction) throws(DatabaseError) -> [UInt8]? {
        try transaction.query("select sealed from secret where name = ?", name).first.map { row throws(DatabaseError) in
            try row[0]
        }
    }
}
