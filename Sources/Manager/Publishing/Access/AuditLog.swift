// Who has changed what. Each entry's digest covers the entry before it, so that no entry can be changed or removed without changing all
// that follow; whoever keeps the last digest elsewhere can prove that.

public import Database
public import SourceJSON
import TLS

/// An entry of the audit log.
public struct AuditEntry: Sendable, Equatable {
    public var seq: Int64
    /// In milliseconds since 1970.
    public var at: Int64
    public var actor: String
    /// Empty for what belongs to none.
    public var tenant: String
    public var action: String
    public var object: String
    public var detail: String
    public var digest: String

    /// The digest that the entry must have behind another one.
    func expected(after previous: String) -> String {
        let parts = [previous, "\(seq)", "\(at)", actor, tenant, action, object, detail]
        // The length of each part, so that no two entries have the same text.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return Digest.hexadecimal(Digest.sha256(Array(text.utf8)))
    }

    /// In one line, for people.
    public var line: String {
        "\(seq) \(APITime.text(at)) \(actor): \(action) \(object)"
            + (tenant.isEmpty || tenant == object ? "" : " of \(tenant)")
            + (detail.isEmpty ? "" : ": \(detail)")
    }

    static let members =
        "seq: integer, at: time, actor: text, tenant: text?, action: text, object: text, detail: text, digest: text"

    public var value: SourceValue {
        .object([
            ("seq", .integer(Int(seq))), ("at", APITime.value(at)), ("actor", .string(actor)),
            ("tenant", tenant.isEmpty ? .null : .string(tenant)), ("action", .string(action)),
            ("object", .string(object)), ("detail", .string(detail)), ("digest", .string(digest)),
        ])
    }
}

public enum AuditLog {
    static let pageMax: Int64 = 100

    /// Appends an entry in the transaction of what it describes, behind the lock of the feed.
    static func append(
        _ actor: String, _ action: String, _ object: String, tenant: String = "", detail: String = "",
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try Feed.lock(in: transaction)
        let last = try last(in: transaction)
        var entry = AuditEntry(
            seq: last.seq + 1, at: try transaction.now(), actor: actor, tenant: tenant, action: action, object: object,
            detail: detail, digest: "")
        entry.digest = entry.expected(after: last.digest)
        try transaction.execute(
            "insert into audit values (?, ?, ?, ?, ?, ?, ?, ?)", entry.seq, entry.at, actor, tenant, action, object,
            detail, entry.digest)
    }

    /// The last entry, whose digest covers all before it.
    static func last(in transaction: borrowing Transaction) throws(DatabaseError) -> (seq: Int64, digest: String) {
        let row = try transaction.query("select seq, hash from audit order by seq desc limit 1").first
        return (try row?[0] ?? 0, try row?[1] ?? "")
    }

    /// Empty if there is no such entry.
    static func digest(of seq: Int64, in transaction: borrowing Transaction) throws(DatabaseError) -> String {
        try transaction.query("select hash from audit where seq = ?", seq).first?[0] ?? ""
    }

    /// The entries after one, oldest first.
    /// - Parameter tenant: nil for those of all.
    public static func page(
        after seq: Int64, tenant: String? = nil, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [AuditEntry] {
        try page(seq, .max, "", tenant, in: transaction)
    }

    /// The entries before one, newest first.
    /// - Parameters:
    ///   - first: one that they are after.
    ///   - tenant: nil for those of all.
    static func page(
        before seq: Int64, after first: Int64 = 0, tenant: String?, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [AuditEntry] {
        try page(first, seq, " desc", tenant, in: transaction)
    }

    private static func page(
        _ after: Int64, _ before: Int64, _ order: String, _ tenant: String?, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [AuditEntry] {
        let own: [any ColumnType] = [tenant].compactMap { $0 }
        let rows = try transaction.query(
            """
            select seq, at, actor, tenant, action, object, detail, hash from audit
            where seq > ? and seq < ?\(tenant == nil ? "" : " and tenant = ?") order by seq\(order) limit ?
            """, values: [after, before] + own + [pageMax])
        return try rows.map { row throws(DatabaseError) in
            AuditEntry(
                seq: try row[0], at: try row[1], actor: try row[2], tenant: try row[3], action: try row[4],
                object: try row[5], detail: try row[6], digest: try row[7])
        }
    }

    /// The first entry of a page that is not what was written.
    /// - Parameter last: of the page before; updated.
    public static func fault(in entries: [AuditEntry], after last: inout (seq: Int64, digest: String)) -> AuditEntry? {
        for entry in entries {
            if entry.seq != last.seq + 1 || entry.digest != entry.expected(after: last.digest) { return entry }
            last = (entry.seq, entry.digest)
        }
        return nil
    }
}
