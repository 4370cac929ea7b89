// When to look at what has changed. Changes come in groups, so a round waits for a moment of quiet. A host whose folders took long
// to look at rests for a while before they are looked at again: a tenant who replaces large pages without a pause would
// otherwise keep the changes of all other tenants waiting. Pure: it is told the time.

public struct ChangeGatherer: Sendable {
    private var pending = TreeChanges()
    /// When the first and the last of it came, by the monotonic clock.
    private var firstMilliseconds: Int64 = 0
    private var lastMilliseconds: Int64 = 0
    private var isAsked = false
    /// Until when folders rest, by name, and those of them that have changed meanwhile.
    private var rests: [String: Int64] = [:]
    private var resting = TreeChanges()

    /// This long without another change ends a group, and no group is waited for longer than that.
    static let quietMilliseconds: Int64 = 40
    static let gatherMillisecondsMax: Int64 = 500
    /// A round that took less is no reason to rest; after others, a folder rests for so many times as long.
    static let costMillisecondsMin: Int64 = 100
    static let restFactor: Int64 = 4
    static let restMillisecondsMax: Int64 = 10_000

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
        if isAsked { return 0 }
        let rested = names(of: resting).compactMap { rests[$0] }.min()
        if pending.isEmpty { return rested }
        let due = min(
            lastMilliseconds + ChangeGatherer.quietMilliseconds,
            firstMilliseconds + ChangeGatherer.gatherMillisecondsMax)
        return rested.map { min($0, due) } ?? due
    }

    /// What to look at in a round that begins now; nil when it is not due, or all of it rests.
    public mutating func take(at now: Int64) -> (changes: TreeChanges, isAsked: Bool)? {
        guard let due = dueMilliseconds, now >= due else { return nil }
        rests = rests.filter { $0.value > now }
        pending.merge(resting)
        resting = TreeChanges()
        if !isAsked, !pending.everything {
            resting.hostFolders = pending.hostFolders.filter { rests[$0] != nil }
            resting.pageFolders = pending.pageFolders.filter { rests[$0] != nil }
            pending.hostFolders.subtract(resting.hostFolders)
            pending.pageFolders.subtract(resting.pageFolders)
        }
        defer { (pending, isAsked) = (TreeChanges(), false) }
        return pending.isEmpty ? nil : (pending, isAsked)
    }

    /// A round has looked at these changes, and took so long.
    public mutating func ended(_ changes: TreeChanges, milliseconds cost: Int64, at now: Int64) {
        guard cost >= ChangeGatherer.costMillisecondsMin, !changes.everything else { return }
        let rest = min(cost * ChangeGatherer.restFactor, ChangeGatherer.restMillisecondsMax)
        for name in names(of: changes) { rests[name] = now + rest }
    }

    private func names(of changes: TreeChanges) -> Set<String> { changes.hostFolders.union(changes.pageFolders) }
}
