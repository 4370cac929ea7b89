// Limits on how often something may be done, shared by all nodes: a bucket of tokens that fills at a steady rate. The
// limits of a certificate authority are modelled with these.

public import Database

/// What is allowed in one scope, such as orders for one registered domain.
public struct Bucket: Hashable, Sendable {
    public let scope: String
    public let subject: String
    /// How much may be used at once.
    public let capacity: Double
    /// How long an empty bucket takes until it is full.
    public let fillMilliseconds: Int64

    public init(scope: String, subject: String, capacity: Double, fillMilliseconds: Int64) {
        precondition(capacity > 0 && fillMilliseconds > 0, "a bucket holds something and fills")
        (self.scope, self.subject, self.capacity, self.fillMilliseconds) = (scope, subject, capacity, fillMilliseconds)
    }

    /// What one use takes out of a bucket.
    public struct Charge: Hashable, Sendable {
        public let bucket: Bucket
        public let tokens: Double

        public init(_ bucket: Bucket, tokens: Double = 1) {
            precondition(tokens <= bucket.capacity, "what a bucket cannot hold could never be paid")
            (self.bucket, self.tokens) = (bucket, tokens)
        }
    }

    /// Takes all the charges, or none of them.
    /// - Returns: nil if they were taken; otherwise after how many milliseconds they could be.
    public static func debit(_ charges: [Charge], in transaction: borrowing Transaction) throws(DatabaseError) -> Int64?
    {
        guard !charges.isEmpty else { return nil }
        precondition(Set(charges.map(\.bucket)).count == charges.count, "each bucket is charged once")
        let now = try transaction.now()
        var wait: Int64 = 0
        var left: [(bucket: Bucket, tokens: Double)] = []
        // Always in the same order, so that two nodes do not wait for each other.
        for charge in charges.sorted(by: { ($0.bucket.scope, $0.bucket.subject) < ($1.bucket.scope, $1.bucket.subject) }
        ) {
            let bucket = charge.bucket
            let tokens = try bucket.tokens(now, in: transaction) - charge.tokens
            if tokens < 0 {
                wait = max(wait, Int64((-tokens * Double(bucket.fillMilliseconds) / bucket.capacity).rounded(.up)))
            }
            left.append((bucket, tokens))
        }
        guard wait == 0 else { return wait }
        for (bucket, tokens) in left {
            try transaction.execute(
                "update bucket set tokens = ?, at = ? where scope = ? and subject = ?", tokens, now, bucket.scope,
                bucket.subject)
        }
        return nil
    }

    /// What is in the bucket now, locked until the transaction ends. A bucket that nobody has used is full.
    private func tokens(_ now: Int64, in transaction: borrowing Transaction) throws(DatabaseError) -> Double {
        try transaction.execute(
            "insert into bucket (scope, subject, tokens, at) values (?, ?, ?, ?) on conflict do nothing", scope,
            subject,
            capacity, now)
        let rows = try transaction.lock("select tokens, at from bucket where scope = ? and subject = ?", scope, subject)
        let (tokens, at): (Double, Int64) = (try rows[0][0], try rows[0][1])
        // The database's clock may have been set back.
        return min(capacity, tokens + Double(max(0, now - at)) * capacity / Double(fillMilliseconds))
    }
}
