// The pause before the parent starts a process again, the same for a server and a manager.

/// Doubles with each start, up to a limit.
struct RestartDelay {
    private var next = minMilliseconds

    static let minMilliseconds: Int64 = 1_000
    static let maxMilliseconds: Int64 = 30_000
    /// The death of a process that has worked for so long counts as the first one.
    static let steadyMilliseconds: Int64 = 60_000

    /// The pause now; the next one is longer.
    mutating func take() -> Int64 {
        defer { next = min(next * 2, RestartDelay.maxMilliseconds) }
        return next
    }

    mutating func reset() { next = RestartDelay.minMilliseconds }
}
