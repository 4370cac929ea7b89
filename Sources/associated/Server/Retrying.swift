// Looks that came to nothing because the process had no descriptor or no memory left: what they were for, and when they are made
// again. The longer it lasts, the longer the pause. One line says when it begins and one when it is over.

import Hosting
import Posix

/// Looks to repeat although nothing has changed.
struct Retrying {
    private var changes = TreeChanges()
    /// Whether the folders are to be watched anew.
    private var watches = false
    private var dueMilliseconds: Int64 = 0
    private var pauseMilliseconds = Retrying.pauseMillisecondsMin
    private var isSaid = false

    private static let pauseMillisecondsMin: Int64 = 500
    private static let pauseMillisecondsMax: Int64 = 15_000

    /// Nothing waits to be looked at again.
    private var isEmpty: Bool { changes.isEmpty && !watches }

    /// Notes that a look came to its end, and whether what it has found could be written down.
    mutating func note(_ report: RoundReport) {
        if let shortage = report.unsaved {
            var changes = TreeChanges()
            changes.records = true
            return add(changes, shortage)
        }
        guard isEmpty, isSaid else { return }
        self = Retrying()
        ReloadLog.recovered()
    }

    /// Adds work to repeat.
    mutating func add(
        _ more: TreeChanges, watches isUnwatched: Bool = false, _ reason: SystemError
    ) {
        changes.merge(more)
        watches = watches || isUnwatched
        dueMilliseconds = Clock.monotonicMilliseconds() + pauseMilliseconds
        pauseMilliseconds = min(pauseMilliseconds * 2, Retrying.pauseMillisecondsMax)
        if !isSaid { ReloadLog.starved(reason) }
        isSaid = true
    }

    /// The work that is due, if any.
    mutating func take(now: Int64) -> (changes: TreeChanges, watches: Bool)? {
        guard !isEmpty, now >= dueMilliseconds else { return nil }
        defer { (changes, watches) = (TreeChanges(), false) }
        return (changes, watches)
    }
}
