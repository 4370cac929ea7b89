// The circuit breaker of one service: when the service asks to wait, or when several requests in a row fail, no more are sent for a
// while. Then one request decides. A failure of the service is never a state of a host. The breaker of a service that all nodes ask
// is in the store, so that a restart or another node does not ask again too early.

import Database

/// Whether a service may be queried. Times are in milliseconds of the caller's clock, or of the store's.
struct DeliveryBreaker: Hashable, Sendable {
    /// Failures in a row that this process has seen.
    private(set) var failures = 0
    private var openings: Int64 = 0
    /// When one request decides.
    private(set) var until: Int64 = 0
    /// Since when no requests are sent.
    private(set) var since: Int64 = 0
    /// Why no requests are sent; nil while they are.
    private(set) var problem: String?

    /// One failure may be that of one connection.
    private static let failuresMax = 3
    private static let waitSecondsMin: Int64 = 60
    private static let waitSecondsMax: Int64 = 3_600
    /// A service may ask for longer than its failures would cost.
    private static let retryAfterSecondsMax: Int64 = 86_400
    /// How long the request that decides may take.
    private static let trialMilliseconds: Int64 = 30_000

    /// How long to wait before the next request. A longer wait than any is due to a clock that was set back.
    func waitMilliseconds(now: Int64) -> Int64 {
        let wait = until - now
        return wait > DeliveryBreaker.retryAfterSecondsMax * 1_200 ? 0 : max(0, wait)
    }

    /// Whether an unusable answer with this status is a failure of the service. A service may pass on what a host sends with 200, so
    /// that is about the host, as are most statuses of 4xx. Apple gives a reason with each 404, so one without comes from something
    /// in between.
    static func isFailure(ofServiceWith status: Int) -> Bool {
        !(200..<300).contains(status)
            && (!(400..<500).contains(status) || [401, 403, 404, 407, 429].contains(status))
    }

    /// - Returns: whether requests were stopped before.
    mutating func noteAnswer() -> Bool {
        defer { self = DeliveryBreaker() }
        return problem != nil
    }

    /// A request without an answer, or with one that asks to wait.
    /// - Parameters:
    ///   - isRefusal: whether the service itself asks to wait (429, 503).
    ///   - retryAfterSeconds: as the service wants it; nil if it did not say.
    /// - Returns: whether this has stopped the requests.
    mutating func noteFailure(
        _ reason: String, isRefusal: Bool, retryAfterSeconds: Int64?, now: Int64, draw: UInt64
    ) -> Bool {
        failures += 1
        guard isRefusal || problem != nil || failures >= DeliveryBreaker.failuresMax else { return false }
        let isNew = problem == nil
        if isNew { since = now }
        problem = reason
        // One minute, two, four, and so on up to an hour.
        let usual = min(DeliveryBreaker.waitSecondsMax, DeliveryBreaker.waitSecondsMin << min(openings, 6))
        let wanted = min(DeliveryBreaker.retryAfterSecondsMax, max(0, retryAfterSeconds ?? 0))
        let wait = max(usual, wanted) * 1_000
        openings += 1
        until = now + wait + Int64(draw % UInt64(wait / 5))
        return isNew
    }

    // In the store, it is a row of work that no worker claims.

    private static let kind = "breaker"
    private static let state = "open"

    /// The breaker that all nodes share.
    /// - Parameter failures: in a row, that this process has seen.
    static func load(
        _ service: DeliveryVerifier, failures: Int = 0, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> DeliveryBreaker {
        var breaker = DeliveryBreaker()
        breaker.failures = failures
        let rows = try transaction.query(
            "select tries, due, since, problem from work where kind = ? and key = ?", kind, service.rawValue)
        if let row = rows.first {
            (breaker.openings, breaker.until) = (try row[0], try row[1])
            (breaker.since, breaker.problem) = (try row[2], try row[3])
        }
        return breaker
    }

    /// Stores it for all nodes. Without a problem, nothing is stored.
    func save(_ service: DeliveryVerifier, in transaction: borrowing Transaction) throws(DatabaseError) {
        guard let problem else {
            try transaction.execute(
                "delete from work where kind = ? and key = ?", DeliveryBreaker.kind, service.rawValue)
            return
        }
        try transaction.execute(
            """
            insert into work (kind, key, state, since, due, priority, tries, attempt, problem)
            values (?, ?, ?, ?, ?, 0, ?, 0, ?)
            on conflict (kind, key) do update set due = excluded.due, tries = excluded.tries, problem = excluded.problem
            """, DeliveryBreaker.kind, service.rawValue, DeliveryBreaker.state, since, until, openings, problem)
    }

    /// Lets one request decide; those of other nodes wait for its outcome.
    mutating func beginTrial(
        _ service: DeliveryVerifier, now: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        until = now + DeliveryBreaker.trialMilliseconds
        try save(service, in: transaction)
    }
}
