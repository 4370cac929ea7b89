// Work that some node has to do once: order a certificate, look what a verifier has. A node claims what is due and has
// it for ten minutes, or as long as it renews that. What a dead node had is free after that time. A node that was only
// slow finds that it has lost its claim: each claim has a number, and every change names it.

public import Database

/// A piece of work that this process has claimed.
public struct Work: Hashable, Sendable {
    /// For how long a claim lasts: longer than a slow certificate authority takes for one step.
    public static let claimMilliseconds: Int64 = 600_000
    /// How many pieces of work a claim looks at. What cannot be paid is put off, so the next claim looks at others.
    static let candidatesMax: Int64 = 16

    public let kind: String
    public let key: String
    public let state: String
    /// How often it has failed.
    public let tries: Int64
    /// What the node before has written down, to go on from there after a crash.
    public let journal: String?
    let holder: String
    /// The number of the claim.
    let attempt: Int64

    /// Adds work, or makes what is there due earlier and more important.
    public static func add(
        _ kind: String, _ key: String, state: String, due: Int64, priority: Int64 = 0,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            insert into work (kind, key, state, due, priority, tries, attempt) values (?, ?, ?, ?, ?, 0, 0)
            on conflict (kind, key) do update set
                due = case when excluded.due < work.due then excluded.due else work.due end,
                priority = case when excluded.priority > work.priority then excluded.priority else work.priority end
            """, kind, key, state, due, priority)
    }

    /// Claims the most important work that is due and can be paid for.
    /// - Parameter holder: this process, by a name that no other has had.
    /// - Parameter charges: what the work takes out of buckets. It is taken in this transaction, so no node can overdraw them.
    /// - Returns: nil if there is nothing to do.
    public static func claim(
        _ kind: String, by holder: String, in transaction: borrowing Transaction,
        charges: (Work) -> [Bucket.Charge] = { _ in [] }
    ) throws(DatabaseError) -> Work? {
        let now = try transaction.now()
        let rows = try transaction.claim(
            """
            select key, state, tries, journal, attempt from work
            where kind = ? and due <= ? and (until is null or until <= ?) order by priority desc, due, key limit ?
            """, kind, now, now, candidatesMax)
        for row in rows {
            let work = Work(
                kind: kind, key: try row[0], state: try row[1], tries: try row[2], journal: try row[3], holder: holder,
                attempt: try row[4] + 1)
            if let waitMilliseconds = try Bucket.debit(charges(work), in: transaction) {
                try transaction.execute(
                    "update work set due = ?, problem = 'limited' where kind = ? and key = ?", now + waitMilliseconds,
                    kind,
                    work.key)
                continue
            }
            try transaction.execute(
                "update work set holder = ?, until = ?, due = ?, attempt = ?, problem = null where kind = ? and key = ?",
                holder, now + claimMilliseconds, now + claimMilliseconds, work.attempt, kind, work.key)
            return work
        }
        return nil
    }

    /// Keeps the claim for another ten minutes. Like all changes below it says whether this claim was still the last
    /// one; if not, another node has the work, nothing was changed, and the caller must stop.
    public func renew(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        let until = try transaction.now() + Work.claimMilliseconds
        return try change("due = \(Work.dueUnlessAdded), until = ?", until, until, in: transaction)
    }

    /// Writes down how far the work has come, before the step that cannot be repeated.
    public func record(state: String, journal: String, in transaction: borrowing Transaction) throws(DatabaseError)
        -> Bool
    {
        try change("state = ?, journal = ?", state, journal, in: transaction)
    }

    /// Gives the work back, to be done later.
    public func postpone(
        to due: Int64, state: String, problem: String?, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try change(
            "due = \(Work.dueUnlessAdded), state = ?, problem = ?, tries = ?, holder = null, until = null", due, state,
            problem, problem == nil ? 0 : tries + 1, in: transaction)
    }

    /// Removes the work, which is done; or gives it back, if it was added again meanwhile.
    public func finish(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        let isRemoved =
            try transaction.execute(
                "delete from work where kind = ? and key = ? and holder = ? and attempt = ? and due >= until", kind,
                key, holder,
                attempt) == 1
        if isRemoved { return true }
        return try change("journal = null, problem = null, tries = 0, holder = null, until = null", in: transaction)
    }

    /// While work is claimed it is due when the claim ends. An earlier time means that it was added again.
    private static let dueUnlessAdded = "case when due < until then due else ? end"

    private func change(
        _ assignments: String, _ values: any ColumnType..., in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let fence: [any ColumnType] = [kind, key, holder, attempt]
        return try transaction.execute(
            "update work set \(assignments) where kind = ? and key = ? and holder = ? and attempt = ?",
            values: values + fence) == 1
    }
}
