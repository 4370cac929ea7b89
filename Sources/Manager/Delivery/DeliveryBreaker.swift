// The circuit breaker of one service: when the service asks to wait, or when several requests in a row fail, no more are sent for a
// while. Then one request decides. A failure of the service is never a state of a host.

/// Whether a service may be queried. Times are in milliseconds of a clock that never goes back.
struct DeliveryBreaker: Hashable, Sendable {
    private var failures = 0
    private var openings = 0
    private var until: Int64 = 0
    /// Why no requests are sent; nil while they are.
    private(set) var problem: String?

    /// One failure may be that of one connection.
    private static let failuresMax = 3
    private static let waitSecondsMin: Int64 = 60
    private static let waitSecondsMax: Int64 = 3_600
    /// A service may ask for longer than its failures would cost.
    private static let retryAfterSecondsMax: Int64 = 86_400

    /// How long to wait before the next request.
    func waitMilliseconds(now: Int64) -> Int64 { max(0, until - now) }

    /// Whether an unusable answer with this status is a failure of the service. Most statuses of 4xx are about one host.
    static func isFailure(ofServiceWith status: Int) -> Bool {
        !(400..<500).contains(status) || [401, 403, 429].contains(status)
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
        problem = reason
        // One minute, two, four, and so on up to an hour.
        let usual = min(
            DeliveryBreaker.waitSecondsMax, DeliveryBreaker.waitSecondsMin << Int64(min(openings, 6)))
        let wanted = min(DeliveryBreaker.retryAfterSecondsMax, max(0, retryAfterSeconds ?? 0))
        let wait = max(usual, wanted) * 1_000
        openings += 1
        until = now + wait + Int64(draw % UInt64(wait / 5))
        return isNew
    }
}
