// A limit of the whole account at a certificate authority, as the authority has put it in an answer with 429. New hosts wait in the queue
// until it ends. An order that the authority accepts shows that it is over, and an operator may lift it. It is a row of work that no worker claims.

import ACME
public import Database
import Store

public struct AccountLimit: Sendable, Equatable {
    /// The host of the authority's directory.
    public let authority: String
    /// In the authority's words.
    public let problem: String
    /// In milliseconds since 1970.
    public let since: Int64
    public let until: Int64

    private static let kind = "account-limit"

    /// The limits that are in force.
    public static func all(in transaction: borrowing Transaction) throws(DatabaseError) -> [AccountLimit] {
        try transaction.query(
            "select key, problem, since, due from work where kind = ? and due > ? order by key", kind,
            try transaction.now()
        ).map { row throws(DatabaseError) in
            AccountLimit(authority: try row[0], problem: try row[1], since: try row[2], until: try row[3])
        }
    }

    /// Empties the bucket of the account until the limit ends.
    static func note(
        _ problem: String, milliseconds: Int64, at url: AuthorityURL, _ bucket: Bucket,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        // What the bucket would have without the limit, so that lifting it can give that back.
        let taken =
            try takenTokens(at: url, in: transaction) + bucket.drain(milliseconds: milliseconds, in: transaction)
        let now = try transaction.now()
        try transaction.execute(
            """
            insert into work (kind, key, state, since, due, priority, tries, attempt, problem, journal)
            values (?, ?, ?, ?, ?, 0, 0, 0, ?, ?)
            on conflict (kind, key) do update set
                since = excluded.since, due = excluded.due, problem = excluded.problem, journal = excluded.journal
            """, kind, url.host, IssuanceState.limited.rawValue, now, now + milliseconds, problem, "\(taken)")
    }

    /// Ends a limit.
    /// - Returns: whether there was one.
    static func lift(
        at url: AuthorityURL, _ bucket: Bucket, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let taken = try takenTokens(at: url, in: transaction)
        guard taken > 0 else { return false }
        try transaction.execute("delete from work where kind = ? and key = ?", kind, url.host)
        // Their waits were the authority's answer to the limit that is over.
        try transaction.execute(
            "update work set due = ? where kind = ? and state = ?", try transaction.now(), CertificateWork.kind,
            IssuanceState.limited.rawValue)
        try bucket.refill(taken, in: transaction)
        return true
    }

    /// Of the limit in force; otherwise the bucket has filled again.
    private static func takenTokens(
        at url: AuthorityURL, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Double {
        let rows = try transaction.query(
            "select journal from work where kind = ? and key = ? and due > ?", kind, url.host, try transaction.now())
        let text: String? = try rows.first.map { row throws(DatabaseError) in try row[0] }
        return text.flatMap { Double($0) } ?? 0
    }
}

extension IssuanceRules {
    /// Lifts the limits of the account at all authorities, because an operator knows better.
    /// - Returns: whether there was one.
    public func liftLimits(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        var isLifted = false
        for url in directories {
            guard let bucket = budget(url).account else { continue }
            if try AccountLimit.lift(at: url, bucket, in: transaction) { isLifted = true }
        }
        return isLifted
    }
}
