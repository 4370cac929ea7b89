// Rate limits that all nodes share: token buckets that fill at a steady rate. They model the limits of a certificate authority.

public import Database

/// A rate limit in one scope, such as orders for one registered domain.
public struct Bucket: Hashable, Sendable {
    public let scope: String
    public let subject: String
    /// The number of tokens in a full bucket.
    public let capacity: Double
    /// The time in which an empty bucket fills.
    public let fillMilliseconds: Int64

    public init(scope: String, subject: String, capacity: Double, fillMilliseconds: Int64) {
        precondition(capacity > 0 && fillMilliseconds > 0, "a bucket holds something and fills")
        precondition(fillMilliseconds <= Bucket.fillMillisecondsMax, "a bucket that was not used for a week is full")
        (self.scope, self.subject, self.capacity, self.fillMilliseconds) = (scope, subject, capacity, fillMilliseconds)
    }

    /// After this time without a use, each bucket is full, as if it had never been used.
    public static let fillMillisecondsMax: Int64 = 7 * 86_400_000

    /// Removes buckets that are full again.
    public static func purge(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("delete from bucket where at < ?", try transaction.now() - fillMillisecondsMax)
    }

    /// The tokens that one use takes from a bucket.
    public struct Charge: Hashable, Sendable {
        public let bucket: Bucket
        public let tokens: Double
        /// The tokens that must be left afterwards.
        public let reserve: Double
        /// Whether all work needs this bucket, so that a shortage ends the search for work.
        public let isOfAll: Bool

        public init(_ bucket: Bucket, tokens: Double = 1, reserve: Double = 0, isOfAll: Bool = false) {
            precondition(tokens + reserve <= bucket.capacity, "a full bucket has enough for each charge")
            (self.bucket, self.tokens, self.reserve, self.isOfAll) = (bucket, tokens, reserve, isOfAll)
        }
    }

    /// Why charges cannot be taken now.
    public struct Shortage: Hashable, Sendable {
        /// Until all of them can be taken.
        public var milliseconds: Int64
        /// Whether only buckets are short from which all work takes.
        var isOfAll: Bool
    }

    /// Takes all charges, or none of them.
    /// - Returns: nil if they were taken.
    public static func take(_ charges: [Charge], in transaction: borrowing Transaction) throws(DatabaseError)
        -> Shortage?
    {
        guard !charges.isEmpty else { return nil }
        precondition(Set(charges.map(\.bucket)).count == charges.count, "each bucket is charged once")
        let now = try transaction.now()
        var shortage: Shortage?
        var left: [(bucket: Bucket, tokens: Double)] = []
        // Always in the same order, to prevent deadlocks between nodes.
        for charge in charges.sorted(by: { ($0.bucket.scope, $0.bucket.subject) < ($1.bucket.scope, $1.bucket.subject) }
        ) {
            let bucket = charge.bucket
            let tokens = try bucket.tokens(now, in: transaction) - charge.tokens
            let missing = charge.reserve - tokens
            if missing > 0 {
                shortage = Shortage(
                    milliseconds: max(shortage?.milliseconds ?? 0, bucket.milliseconds(filling: missing)),
                    isOfAll: charge.isOfAll && shortage?.isOfAll != false)
            }
            left.append((bucket, tokens))
        }
        if let shortage { return shortage }
        for (bucket, tokens) in left {
            try transaction.execute(
                "update bucket set tokens = ?, at = ? where scope = ? and subject = ?", tokens, now, bucket.scope,
                bucket.subject)
        }
        return nil
    }

    /// Gives back charges that were taken and not used.
    public static func credit(_ charges: [Charge], in transaction: borrowing Transaction) throws(DatabaseError) {
        // In the same order as they are taken.
        for charge in charges.sorted(by: { ($0.bucket.scope, $0.bucket.subject) < ($1.bucket.scope, $1.bucket.subject) }
        ) {
            let (bucket, tokens) = (charge.bucket, charge.tokens)
            try transaction.execute(
                """
                update bucket set tokens = case when tokens + ? < ? then tokens + ? else ? end
                where scope = ? and subject = ?
                """, tokens, bucket.capacity, tokens, bucket.capacity, bucket.scope, bucket.subject)
        }
    }

    /// Empties the bucket, so that it has one token after this time, and not before.
    /// - Returns: the tokens that were taken.
    public func drain(milliseconds: Int64, in transaction: borrowing Transaction) throws(DatabaseError) -> Double {
        let now = try transaction.now()
        let present = try tokens(now, in: transaction)
        let left = min(present, 1 - Double(milliseconds) * capacity / Double(fillMilliseconds))
        try transaction.execute(
            "update bucket set tokens = ?, at = ? where scope = ? and subject = ?", left, now, scope, subject)
        return present - left
    }

    /// Gives back what `drain` has taken.
    public func refill(_ count: Double, in transaction: borrowing Transaction) throws(DatabaseError) {
        let now = try transaction.now()
        try transaction.execute(
            "update bucket set tokens = ?, at = ? where scope = ? and subject = ?",
            min(capacity, try tokens(now, in: transaction) + count), now, scope, subject)
    }

    /// The tokens in the bucket now, locked until the transaction ends. A bucket is full before its first use.
    private func tokens(_ now: Int64, in transaction: borrowing Transaction) throws(DatabaseError) -> Double {
        // The change also locks a row that exists, so that it is not removed before it is read. A time in the future is corrected,
        // because the bucket would not fill until then: the database's clock was ahead.
        try transaction.execute(
            """
            insert into bucket (scope, subject, tokens, at) values (?, ?, ?, ?)
            on conflict (scope, subject) do update set
                at = case when bucket.at > excluded.at then excluded.at else bucket.at end
            """, scope, subject, capacity, now)
        let rows = try transaction.lock("select tokens, at from bucket where scope = ? and subject = ?", scope, subject)
        return tokens(Level(tokens: try rows[0][0], at: try rows[0][1]), now)
    }

    /// The tokens in a bucket at a time.
    public struct Level: Hashable, Sendable {
        var tokens: Double
        /// In milliseconds since 1970.
        public var at: Int64

        public init(tokens: Double, at: Int64) { (self.tokens, self.at) = (tokens, at) }
    }

    /// The tokens now, if none were taken since then.
    private func tokens(_ then: Level, _ now: Int64) -> Double {
        // The database's clock may have been set back.
        min(capacity, then.tokens + Double(max(0, now - then.at)) * capacity / Double(fillMilliseconds))
    }

    private func milliseconds(filling tokens: Double) -> Int64 {
        Int64((tokens * Double(fillMilliseconds) / capacity).rounded(.up))
    }

    /// The level now. A bucket is full before its first use.
    public func level(_ stored: Level?, _ now: Int64) -> Level {
        Level(tokens: stored.map { tokens($0, now) } ?? capacity, at: now)
    }

    /// Takes a charge as soon as there are enough tokens: at this time, or later.
    /// - Parameter known: the level after the charge before this one.
    /// - Returns: the level afterwards, and when that is.
    public func book(_ charge: Charge, _ known: Level, at time: Int64) -> Level {
        var level = Level(tokens: tokens(known, time), at: max(known.at, time))
        let short = charge.tokens + charge.reserve - level.tokens
        if short > 0 {
            let wait = milliseconds(filling: short)
            level = Level(tokens: tokens(level, level.at + wait), at: level.at + wait)
        }
        level.tokens -= charge.tokens
        return level
    }
}
