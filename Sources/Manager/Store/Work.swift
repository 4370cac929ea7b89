// Work that one node has to do once, such as ordering a certificate or checking a verifier's copy. A node claims work that is
// due. The claim lasts ten minutes and can be renewed; after a crash it expires. Each claim has a number, and every change
// names it, so a node that was only slow notices that it has lost its claim.

public import Database

/// A piece of work that this process has claimed.
public struct Work: Hashable, Sendable {
    /// The duration of a claim: longer than one step of a slow certificate authority.
    public static let claimMilliseconds: Int64 = 600_000
    /// A claim that lasts longer was made when the database's clock was ahead.
    private static let claimMillisecondsMax = 2 * claimMilliseconds
    /// Work waits at most this long: the longest wait that an authority may ask for is eight days. What is due later was written
    /// when the database's clock was ahead.
    static let waitMillisecondsMax: Int64 = 10 * 86_400_000
    /// The number of candidates for a claim. Work without enough tokens is postponed, so the next claim gets other candidates.
    static let candidatesMax: Int64 = 16
    /// The problem of work without enough tokens, until it is claimed.
    static let limitedProblem = "waits for the rate limit of the authority"
    /// The states of work that waits for something outside.
    private static let waitingStates = "waiting-%"

    public let kind: String
    public let key: String
    public let state: String
    public let priority: Int64
    /// The number of failed attempts.
    public var tries: Int64
    /// Why the last attempt failed, for people.
    public let problem: String?
    /// Notes of the node that worked on it last, with which the next one continues after a crash.
    public let journal: String?
    let holder: String
    /// Whether its last holder neither finished nor released it, because it crashed or was slow. What that holder took from rate
    /// limits is now this one's.
    let isTakenOver: Bool
    /// The number of the claim.
    let attempt: Int64

    /// Adds work; if it exists, makes it due earlier or more important.
    public static func add(
        _ kind: String, _ key: String, state: String, due: Int64, priority: Int64 = 0,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            insert into work (kind, key, state, since, due, priority, tries, attempt) values (?, ?, ?, ?, ?, ?, 0, 0)
            on conflict (kind, key) do update set
                due = case when excluded.due < work.due then excluded.due else work.due end,
                priority = case when excluded.priority > work.priority then excluded.priority else work.priority end
            """, kind, key, state, try transaction.now(), due, priority)
    }

    /// Records that work has been done by other means, or adds it in that state. A claim on it is lost, with its notes.
    static func settle(
        _ kind: String, _ key: String, state: String, due: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            insert into work (kind, key, state, since, due, priority, tries, attempt) values (?, ?, ?, ?, ?, 0, 0, 0)
            on conflict (kind, key) do update set
                since = case when work.state = excluded.state then work.since else excluded.since end,
                state = excluded.state, due = excluded.due, tries = 0, attempt = work.attempt + 1, holder = null,
                until = null, journal = null, problem = null
            """, kind, key, state, try transaction.now(), due)
    }

    /// The states of all work of a kind, by key.
    public static func states(
        _ kind: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [String: String] {
        var states: [String: String] = [:]
        for row in try transaction.query("select key, state from work where kind = ?", kind) {
            states[try row[0]] = try row[1] as String
        }
        return states
    }

    /// Claims the most important work that is due and within its rate limits. Work that waits for something outside, such as DNS
    /// records, and was tried before comes after all other work: what it waits for may be slow on purpose.
    /// - Parameter holder: a unique name of this process.
    /// - Parameter condition: on the row, in SQL; other work is left alone.
    /// - Parameter charges: the tokens that the work takes from buckets. They are taken in this transaction, so no node can
    ///   exceed a limit.
    /// - Returns: nil if there is nothing to do.
    public static func claim(
        _ kind: String, by holder: String, where condition: String = "", in transaction: borrowing Transaction,
        charges: (Work) -> [Bucket.Charge] = { _ in [] }
    ) throws(DatabaseError) -> Work? {
        let now = try transaction.now()
        let rows = try transaction.claim(
            """
            select key, state, tries, journal, attempt, priority, problem, holder from work
            where kind = ? and due <= ? and (until is null or until <= ? or until > ?) \(condition.isEmpty ? "" : "and \(condition)")
            order by case when tries > 0 and state like '\(waitingStates)' then 1 else 0 end, priority desc, due, key
            limit ?
            """, kind, now, now, now + claimMillisecondsMax, candidatesMax)
        for row in rows {
            let (problem, lastHolder): (String?, String?) = (try row[6], try row[7])
            let work = Work(
                kind: kind, key: try row[0], state: try row[1], priority: try row[5], tries: try row[2],
                problem: problem == limitedProblem ? nil : problem, journal: try row[3], holder: holder,
                isTakenOver: lastHolder != nil, attempt: try row[4] + 1)
            let charges = charges(work)
            if !work.isTakenOver, let waitMilliseconds = try Bucket.debit(charges, in: transaction) {
                try transaction.execute(
                    "update work set due = ?, problem = ? where kind = ? and key = ?", now + waitMilliseconds,
                    limitedProblem, kind, work.key)
                continue
            }
            try transaction.execute(
                "update work set holder = ?, until = ?, due = ?, attempt = ?, problem = ? where kind = ? and key = ?",
                holder, now + claimMilliseconds, now + claimMilliseconds, work.attempt, work.problem, kind, work.key)
            return work
        }
        try correctTimes(kind, now, in: transaction)
        return nil
    }

    /// Makes work due that would wait for longer than any has to. A machine may start with a clock that is a year ahead.
    private static func correctTimes(
        _ kind: String, _ now: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let end = now + claimMilliseconds
        try transaction.execute(
            """
            update work set due = case when holder is null then ? else ? end, until = case when holder is null then until else ? end
            where kind = ? and due > ?
            """, now, end, end, kind, now + waitMillisecondsMax)
    }

    /// Ends the claims of processes that are known to have ended. The work keeps its holder, as after a claim that has expired:
    /// what it took from rate limits is not taken again.
    /// - Parameter prefix: how the names of these processes begin.
    public static func freeClaims(
        ofHolders prefix: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        try transaction.execute(
            """
            update work set due = case when due < until then due else ? end, until = ?
            where substr(holder, 1, length(?)) = ?
            """, now, now, prefix, prefix)
    }

    /// Extends the claim by ten minutes. Like all changes below, it returns false if the claim is no longer the latest one:
    /// then another node has the work, nothing was changed, and the caller must stop.
    public func renew(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        let until = try transaction.now() + Work.claimMilliseconds
        return try change("due = \(Work.dueUnlessAdded), until = ?", until, until, in: transaction)
    }

    /// Records the progress, before a step that cannot be repeated.
    public func record(state: String, journal: String, in transaction: borrowing Transaction) throws(DatabaseError)
        -> Bool
    {
        try change(
            "\(Work.sinceChange), state = ?, journal = ?", state, try transaction.now(), state, journal, in: transaction
        )
    }

    /// Releases the work until a later time.
    /// - Parameter tries: the number of failed attempts from now on.
    public func postpone(
        to due: Int64, state: String, problem: String?, tries: Int64, journal: String? = nil,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try change(
            """
            \(Work.sinceChange), due = \(Work.dueUnlessAdded), state = ?, problem = ?, tries = ?, journal = ?,
            holder = null, until = null
            """, state, try transaction.now(), due, state, problem, tries, journal, in: transaction)
    }

    /// Removes finished work, or releases it if it was added again in the meantime.
    public func finish(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        let isRemoved =
            try transaction.execute(
                "delete from work where kind = ? and key = ? and holder = ? and attempt = ? and due >= until", kind,
                key, holder,
                attempt) == 1
        if isRemoved { return true }
        return try change("journal = null, problem = null, tries = 0, holder = null, until = null", in: transaction)
    }

    /// Claimed work is due when its claim ends. An earlier time means that it was added again.
    private static let dueUnlessAdded = "case when due < until then due else ? end"

    /// The time of the last change of the state.
    private static let sinceChange = "since = case when state = ? then since else ? end"

    private func change(
        _ assignments: String, _ values: any ColumnType..., in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let fence: [any ColumnType] = [kind, key, holder, attempt]
        return try transaction.execute(
            "update work set \(assignments) where kind = ? and key = ? and holder = ? and attempt = ?",
            values: values + fence) == 1
    }
}
