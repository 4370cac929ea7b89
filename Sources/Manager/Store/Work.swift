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
    /// The number of candidates for a claim at each level. Work without enough tokens is postponed, so the next claim gets others.
    static let candidatesMax: Int64 = 16

    /// What is to be done. Its owner names it, and knows its states.
    public struct Kind: Hashable, Sendable, ExpressibleByStringLiteral, ColumnType {
        /// In the column `kind`.
        public let name: String
        /// The states in which nothing is wrong, in SQL.
        let settledStates: String

        public init(_ name: String, settled: [String] = []) {
            self.name = name
            settledStates = "('\(settled.joined(separator: "', '"))')"
        }

        public init(stringLiteral name: String) { self.init(name) }

        public static let columnTypeName = "text"
        public init?(_ value: Value) {
            guard let name = String(value) else { return nil }
            self.init(name)
        }
        public var value: Value { .text(name) }
    }

    public let kind: Kind
    public let key: String
    public let state: String
    /// 0 if no other work of its tenant was due when it was added, and one less each time that number doubles.
    public let turn: Int64
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
    /// - Parameter tenant: whose work it is. The more of a tenant's work is due within a day, the later is the turn of what is added:
    ///   a tenant with ten thousand hosts does not delay one with a single host. Empty for work of no tenant.
    public static func add(
        _ kind: Kind, _ key: String, tenant: String = "", state: String, due: Int64, priority: Int64 = 0,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        var turn: Int64 = 0
        if !tenant.isEmpty {
            let rows = try transaction.query(
                """
                select count(*) from (
                    select 1 as one from work where kind = ? and tenant = ? and priority <= ? and due <= ? and key <> ? limit ?) as earlier
                """, kind, tenant, priority, due + turnMilliseconds, key,
                turnCountMax)
            let count: Int64 = try rows[0][0]
            turn = -Int64(Int64.bitWidth - count.leadingZeroBitCount)
        }
        try transaction.execute(
            """
            insert into work (kind, key, tenant, state, since, began, due, priority, turn, tries, attempt)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)
            on conflict (kind, key) do update set
                turn = case when excluded.due < work.due and excluded.tenant <> '' then excluded.turn else work.turn end,
                due = case when excluded.due < work.due then excluded.due else work.due end,
                priority = case when excluded.priority > work.priority then excluded.priority else work.priority end,
                tenant = case when excluded.tenant = '' then work.tenant else excluded.tenant end
            """, kind, key, tenant, state, now, now, due, priority, turn)
    }

    /// Work that is due within this time counts for the turn of more work of the same tenant.
    private static let turnMilliseconds: Int64 = 86_400_000
    /// Counting more would cost more than it tells.
    private static let turnCountMax: Int64 = 1_024

    /// Records that work has been done by other means, or adds it in that state. A claim on it is lost, with its notes.
    public static func settle(
        _ kind: Kind, _ key: String, state: String, due: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        try transaction.execute(
            """
            insert into work (kind, key, state, since, began, due, priority, tries, attempt) values (?, ?, ?, ?, ?, ?, 0, 0, 0)
            on conflict (kind, key) do update set
                since = case when work.state = excluded.state then work.since else excluded.since end,
                began = case when work.state in \(kind.settledStates) then coalesce(work.began, work.since) else excluded.began end,
                state = excluded.state, due = excluded.due, tries = 0, attempt = work.attempt + 1, holder = null,
                until = null, journal = null, problem = null
            """, kind, key, state, now, now, due)
    }

    /// The states of some work of a kind, in the order of the keys.
    /// - Parameter after: the last key that was read before.
    public static func states(
        _ kind: Kind, after: String, countMax: Int, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [(key: String, state: String)] {
        try transaction.query(
            "select key, state from work where kind = ? and key > ? order by key limit ?", kind, after, Int64(countMax)
        ).map { row throws(DatabaseError) in (key: try row[0], state: try row[1]) }
    }

    /// One claim in this number should go by age. Otherwise a tenant with much work would wait forever where others always have some.
    public static let ageInterval = 4

    /// Claims the most important work that is due and within its rate limits: by priority, then by turn, then by time.
    /// - Parameter holder: a unique name of this process.
    /// - Parameter priorities: other work is left alone.
    /// - Parameter byAge: whether the time comes before the turn.
    /// - Parameter charges: the tokens that the work takes from buckets. They are taken in this transaction, so no node can
    ///   exceed a limit.
    /// - Returns: nil if there is nothing to do.
    public static func claim(
        _ kind: Kind, by holder: String, priorities: ClosedRange<Int64> = .min ... .max, byAge: Bool = false,
        in transaction: borrowing Transaction, charges: (Work) -> [Bucket.Charge] = { _ in [] }
    ) throws(DatabaseError) -> Work? {
        let now = try transaction.now()
        var (level, oldest) = (Level(priority: priorities.upperBound, turn: .max, due: 0), Level?.none)
        while let next = try level.next(kind, in: transaction),
            next.priority >= oldest?.priority ?? priorities.lowerBound
        {
            level = next
            if byAge {
                if next.due <= now, next.due < oldest?.due ?? .max { oldest = next }
                continue
            }
            switch try claim(kind, by: holder, at: level, now, in: transaction, charges: charges) {
            case .work(let work): return work
            case .none: continue
            case .exhausted: return nil
            }
        }
        if let oldest,
            case .work(let work) = try claim(kind, by: holder, at: oldest, now, in: transaction, charges: charges)
        {
            return work
        }
        try correctTimes(kind, now, in: transaction)
        return nil
    }

    /// Work of the same kind, priority and turn.
    private struct Level {
        let priority: Int64
        let turn: Int64
        /// The earliest time of its work.
        let due: Int64

        /// The level that comes after this one. Each query is one step in the index: one for all levels would sort everything that is
        /// due, and with one for the next pair of both numbers, SQLite walks through everything before it.
        func next(_ kind: Kind, in transaction: borrowing Transaction) throws(DatabaseError) -> Level? {
            let here = try transaction.query(
                """
                select priority, turn, due from work where kind = ? and priority = ? and turn < ?
                order by turn desc, due limit 1
                """, kind, priority, turn)
            let rows =
                try here.isEmpty
                ? transaction.query(
                    """
                    select priority, turn, due from work where kind = ? and priority < ?
                    order by priority desc, turn desc, due limit 1
                    """, kind, priority) : here
            guard let row = rows.first else { return nil }
            return Level(priority: try row[0], turn: try row[1], due: try row[2])
        }
    }

    private enum Claim {
        case work(Work)
        case none
        /// What all work takes from is empty, so there is no use in looking further.
        case exhausted
    }

    private static func claim(
        _ kind: Kind, by holder: String, at level: Level, _ now: Int64,
        in transaction: borrowing Transaction, charges: (Work) -> [Bucket.Charge]
    ) throws(DatabaseError) -> Claim {
        let rows = try transaction.claim(
            """
            select key, state, tries, journal, attempt, problem, holder from work
            where kind = ? and priority = ? and turn = ? and due <= ? and (until is null or until <= ? or until > ?)
            order by due, key limit ?
            """, kind, level.priority, level.turn, now, now, now + claimMillisecondsMax, candidatesMax)
        for row in rows {
            let lastHolder: String? = try row[6]
            let work = Work(
                kind: kind, key: try row[0], state: try row[1], turn: level.turn,
                tries: try row[2], problem: try row[5], journal: try row[3], holder: holder,
                isTakenOver: lastHolder != nil, attempt: try row[4] + 1)
            let charges = charges(work)
            if !work.isTakenOver, let shortage = try Bucket.take(charges, in: transaction) {
                if shortage.isOfAll { return .exhausted }
                try transaction.execute(
                    "update work set due = ? where kind = ? and key = ?", now + shortage.milliseconds, kind, work.key)
                continue
            }
            try transaction.execute(
                "update work set holder = ?, until = ?, due = ?, attempt = ? where kind = ? and key = ?", holder,
                now + claimMilliseconds, now + claimMilliseconds, work.attempt, kind, work.key)
            return .work(work)
        }
        return .none
    }

    /// Makes work due that would wait for longer than any has to. A machine may start with a clock that is a year ahead.
    private static func correctTimes(
        _ kind: Kind, _ now: Int64, in transaction: borrowing Transaction
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
    public func record(
        state: String, journal: String, priority: Int64? = nil, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let now = try transaction.now()
        return try change(
            "\(sinceChange), state = ?, journal = ?, priority = coalesce(?, priority)", state, now, state, now,
            state,
            journal, priority, in: transaction)
    }

    /// Releases the work until a later time.
    /// - Parameter tries: the number of failed attempts from now on.
    public func postpone(
        to due: Int64, state: String, problem: String?, tries: Int64, journal: String? = nil, priority: Int64? = nil,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let now = try transaction.now()
        return try change(
            """
            \(sinceChange), due = \(Work.dueUnlessAdded), state = ?, problem = ?, tries = ?, journal = ?,
            priority = coalesce(?, priority), holder = null, until = null
            """, state, now, state, now, due, state, problem, tries, journal, priority, in: transaction)
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

    /// When the state last changed, and when it last became settled or stopped being so.
    private var sinceChange: String {
        """
        since = case when state = ? then since else ? end,
        began = case when (state in \(kind.settledStates)) = (? in \(kind.settledStates)) then coalesce(began, since) else ? end
        """
    }

    private func change(
        _ assignments: String, _ values: any ColumnType..., in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let fence: [any ColumnType] = [kind, key, holder, attempt]
        return try transaction.execute(
            "update work set \(assignments) where kind = ? and key = ? and holder = ? and attempt = ?",
            values: values + fence) == 1
    }
}
