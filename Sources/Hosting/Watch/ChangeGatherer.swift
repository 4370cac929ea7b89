// When to look at what has changed. Changes come in groups, so a round waits for a moment of quiet. A folder of a tenant that took
// long to look at rests for a while before it is looked at again, and such folders share a round only within bounds: a tenant who
// replaces large pages without a pause would otherwise keep the changes of all other tenants waiting. Pure: it is told the time.

public struct ChangeGatherer: Sendable {
    private var pending = TreeChanges()
    /// When the first and the last of it came, by the monotonic clock.
    private var firstMilliseconds: Int64 = 0
    private var lastMilliseconds: Int64 = 0
    private var isAsked = false
    /// Folders that cost much, as `RoundCosts` names them, and what has changed in those that are not looked at yet.
    private var heavy: [String: Heavy] = [:]
    private var resting = TreeChanges()

    private struct Expensive {
        let costMilliseconds: Int64
        let restsUntil: Int64
    }

    /// This long without another change ends a group, and no group is waited for longer than that.
    static let quietMilliseconds: Int64 = 40
    static let gatherMillisecondsMax: Int64 = 500
    /// What took less is no reason to rest; others rest for so many times as long.
    static let costMillisecondsMin: Int64 = 100
    static let restFactor: Int64 = 4
    static let restMillisecondsMax: Int64 = 10_000
    /// Folders that cost more together do not share a round.
    static let roundMillisecondsMax: Int64 = 500

    public init() {}

    /// Whether there is nothing to look at, now or later.
    public var isEmpty: Bool { pending.isEmpty && resting.isEmpty }

    public mutating func note(_ changes: TreeChanges, at now: Int64) {
        if changes.isEmpty { return }
        if pending.isEmpty { firstMilliseconds = now }
        lastMilliseconds = now
        pending.merge(changes)
    }

    /// An operator wants everything to be looked at, now.
    public mutating func ask(at now: Int64) {
        isAsked = true
        note(.allAgain, at: now)
    }

    /// When there is something to take; nil while nothing is there.
    public var dueMilliseconds: Int64? {
        if isRequested { return 0 }
        let rested = resting.folders.compactMap { expensive[$0]?.restsUntil }.min()
        if pending.isEmpty { return rested }
        let due = min(
            lastMilliseconds + ChangeGatherer.quietMilliseconds,
            firstMilliseconds + ChangeGatherer.gatherMillisecondsMax)
        return rested.map { min($0, due) } ?? due
    }

    /// What to look at in a round that begins now; nil when it is not due, or all of it rests.
    public mutating func take(at now: Int64) -> (changes: TreeChanges, isAsked: Bool)? {
        guard let due = dueMilliseconds, now >= due else { return nil }
        pending.merge(resting)
        resting = TreeChanges()
        if !isRequested, !pending.everything { resting = pending.take(foldersForLater(at: now)) }
        defer { (pending, isRequested) = (TreeChanges(), false) }
        return pending.isEmpty ? nil : (pending, isRequested)
    }

    /// Those that rest, and of the others as many as are too much for one round. Those that have waited longest come first.
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

    /// A round has looked at these changes, and folders took so many milliseconds of it.
    public mutating func ended(_ changes: TreeChanges, _ costs: [String: Int64], at now: Int64) {
        for name in changes.folders { heavy[name] = nil }
        for (name, cost) in costs where cost >= ChangeGatherer.costMillisecondsMin {
            let rest = min(cost * ChangeGatherer.restFactor, ChangeGatherer.restMillisecondsMax)
            expensive[name] = Expensive(costMilliseconds: cost, restsUntil: now + rest)
        }
    }
}
