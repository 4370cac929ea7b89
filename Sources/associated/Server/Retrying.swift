// Repeats rounds that failed because descriptors or memory ran out, with growing pauses. One line is logged when it begins and
// one when it is over.

import Hosting
import Posix

/// What to repeat although nothing has changed.
struct Retrying {
    private var changes = TreeChanges()
    /// Whether watching must start again.
    private var watches = false
    private var dueMilliseconds: Int64 = 0
    private var pauseMilliseconds = Retrying.pauseMillisecondsMin
    private var isSaid = false

    private static let pauseMillisecondsMin: Int64 = 500
    private static let pauseMillisecondsMax: Int64 = 15_000

    private var isEmpty: Bool { changes.isEmpty && !watches }

    /// A round has succeeded; notes whether its state could be saved.
    mutating func note(_ report: RoundReport) {
        if let shortage = report.unsaved {
            return add(TreeChanges(savesState: true), shortage)
        }
        guard isEmpty, isSaid else { return }
        self = Retrying()
        ReloadLog.recovered()
    }

    mutating func add(
        _ more: TreeChanges, watches isUnwatched: Bool = false, _ reason: SystemError
    ) {
        changes.merge(more)
        watches = watches || isUnwatched
        dueMilliseconds = Clock.monotonicMilliseconds() + pauseMilliseconds
        pauseMilliseconds = min(pauseMilliseconds * 2, Retrying.pauseMillisecondsMax)
        if !isSaid { ReloadLog.shortage(reason) }
        isSaid = true
    }

    /// The changes that are due, if any.
    mutating func take(now: Int64) -> (changes: TreeChanges, watches: Bool)? {
        guard !isEmpty, now >= dueMilliseconds else { return nil }
        defer { (changes, watches) = (TreeChanges(), false) }
        return (changes, watches)
    }
}
