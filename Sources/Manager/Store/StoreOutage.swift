// The time in which the store cannot be used. Several threads use it, and some of what they do may work all the while: a full disk
// fails only those that write. So one success does not end an outage; some time without a failure does, or, for operators who ask, a
// write that was made to find out. Each failure is logged once in an outage, then hourly.

struct StoreOutage: Sendable {
    /// The last failure; nil if the store could be written since.
    private(set) var problem: String?
    /// The first failure; nil if there is no outage.
    private(set) var beganAt: Int64?
    private var failedAt: Int64 = 0
    /// The first success behind the last failure.
    private var succeededAt: Int64?
    /// When each failure was logged.
    private var loggedAt: [String: Int64] = [:]

    static let quietMilliseconds: Int64 = 60_000
    static let repeatMilliseconds: Int64 = 3_600_000
    /// Messages may quote what differs each time.
    static let problemsMax = 16

    /// Notes a failure. Returns whether to log it.
    mutating func isNews(_ problem: String, now: Int64) -> Bool {
        (self.problem, failedAt, succeededAt) = (problem, now, nil)
        beganAt = beganAt ?? now
        if let last = loggedAt[problem], now - last < StoreOutage.repeatMilliseconds { return false }
        guard loggedAt[problem] != nil || loggedAt.count < StoreOutage.problemsMax else { return false }
        loggedAt[problem] = now
        return true
    }

    /// Notes that a change was written.
    mutating func noteWriting() { problem = nil }

    /// Notes a success. Returns how long the outage was that it has ended, in milliseconds.
    mutating func endsWithSuccess(now: Int64) -> Int64? {
        guard let began = beganAt else { return nil }
        succeededAt = succeededAt ?? now
        guard now - failedAt >= StoreOutage.quietMilliseconds else { return nil }
        let duration = (succeededAt ?? now) - began
        self = StoreOutage()
        return duration
    }
}
