// Decides when a round starts and what it reads. Changes come in groups, so a round waits for a moment of quiet. A tenant's
// folder that took long rests before it is read again, and expensive folders share a round only within a limit: otherwise a
// tenant who replaces large pages continuously would delay the changes of all others. Pure: the time is passed in.

public struct ChangeGatherer: Sendable {
    private var pending = TreeChanges()
    /// When the first and the last pending change arrived, by the monotonic clock.
    private var firstMilliseconds: Int64 = 0
    private var lastMilliseconds: Int64 = 0
    private var isRequested = false
    /// Expensive folders, named as in `RoundCosts`, and changes in folders that still rest.
    private var expensive: [String: Expensive] = [:]
    private var resting = TreeChanges()

    private struct Expensive {
        let costMilliseconds: Int64
        let restsUntil: Int64
    }

    /// A group of changes ends after this long without another one, or after the maximum.
    static let quietMilliseconds: Int64 = 40
    static let gatherMillisecondsMax: Int64 = 500
    /// A folder that took less does not rest; others rest for this many times as long as they took.
    static let costMillisecondsMin: Int64 = 100
    static let restFactor: Int64 = 4
    static let restMillisecondsMax: Int64 = 10_000
    /// Folders that took more together do not share a round.
    static let roundMillisecondsMax: Int64 = 500

    public init() {}

    public mutating func note(_ changes: TreeChanges, at now: Int64) {
        if changes.isEmpty { return }
        if pending.isEmpty { firstMilliseconds = now }
        lastMilliseconds = now
        pending.merge(changes)
    }

    /// An operator wants a full reload now.
    public mutating func requestReload(at now: Int64) {
        isRequested = true
        note(.allAgain, at: now)
    }

    /// When `take` returns changes; nil if there are none.
    public var dueMilliseconds: Int64? {
        if isRequested { return 0 }
        let rested = resting.folders.compactMap { expensive[$0]?.restsUntil }.min()
        if pending.isEmpty { return rested }
        let due = min(
            lastMilliseconds + ChangeGatherer.quietMilliseconds,
            firstMilliseconds + ChangeGatherer.gatherMillisecondsMax)
        return rested.map { min($0, due) } ?? due
    }

    /// The changes to read in a round that begins now; nil if it is not due or everything rests.
    public mutating func take(at now: Int64) -> (changes: TreeChanges, isRequested: Bool)? {
        guard let due = dueMilliseconds, now >= due else { return nil }
        pending.merge(resting)
        resting = TreeChanges()
        if !isRequested, !pending.everything { resting = pending.take(foldersForLater(at: now)) }
        defer { (pending, isRequested) = (TreeChanges(), false) }
        return pending.isEmpty ? nil : (pending, isRequested)
    }

    /// The folders to leave out: those that rest, and those beyond the limit of a round. Folders that have waited longest come
    /// first.
    private func foldersForLater(at now: Int64) -> Set<String> {
        var left = ChangeGatherer.roundMillisecondsMax
        let known = pending.folders.compactMap { name in expensive[name].map { (name, $0) } }
        let later = known.sorted { ($0.1.restsUntil, $0.0) < ($1.1.restsUntil, $1.0) }.filter { _, folder in
            guard folder.restsUntil <= now, left > 0 else { return true }
            left -= folder.costMilliseconds
            return false
        }
        return Set(later.map(\.0))
    }

    /// A round has read these changes, and folders took this many milliseconds of it.
    public mutating func noteCosts(of changes: TreeChanges, _ costs: [String: Int64], at now: Int64) {
        for name in changes.folders { expensive[name] = nil }
        for (name, cost) in costs where cost >= ChangeGatherer.costMillisecondsMin {
            let rest = min(cost * ChangeGatherer.restFactor, ChangeGatherer.restMillisecondsMax)
            expensive[name] = Expensive(costMilliseconds: cost, restsUntil: now + rest)
        }
    }
}
