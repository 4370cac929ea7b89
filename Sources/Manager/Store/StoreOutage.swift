// The time in which the store cannot be used. Several threads use it, and some of what they do may work all the while: a full disk
// fails only those that write. So one success does not end an outage; some time without a failure does. Each failure is logged
// once in an outage, then hourly.

struct StoreOutage: Sendable {
    /// The last failure; nil if there is no outage.
    private(set) var problem: String?
    private var failedAt: Int64 = 0
    /// When each failure was logged.
    private var loggedAt: [String: Int64] = [:]

    static let quietMilliseconds: Int64 = 60_000
    static let repeatMilliseconds: Int64 = 3_600_000
    /// Messages may quote what differs each time.
    static let problemsMax = 16

    /// Notes a failure. Returns whether to log it.
    mutating func isNews(_ problem: String, now: Int64) -> Bool {
        (self.problem, failedAt) = (problem, now)
        if let last = loggedAt[problem], now - last < StoreOutage.repeatMilliseconds { return false }
        guard loggedAt[problem] != nil || loggedAt.count < StoreOutage.problemsMax else { return false }
        loggedAt[problem] = now
        return true
    }

    /// Notes a success. Returns whether it has ended an outage.
    mutating func endsWithSuccess(now: Int64) -> Bool {
        guard problem != nil, now - failedAt >= StoreOutage.quietMilliseconds else { return false }
        self = StoreOutage()
        return true
    }
}
