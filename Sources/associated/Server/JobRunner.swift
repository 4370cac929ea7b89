// Work that may take seconds, on a thread of its own, so that the thread that waits for signals always does.

import Hosting
import Posix

/// One piece of work at a time. Used by one thread.
final class Background {
    private let isDone: WakeUp
    private var thread: Thread?

    init() throws(SystemError) { isDone = try WakeUp() }

    /// Readable when the work is done.
    var descriptor: Int32 { isDone.descriptor.number }

    var isBusy: Bool { thread != nil }

    /// Starts the work, of which there is none at this time. Where no thread can be had, it is done at once.
    func start(_ work: @escaping @Sendable () -> Void) {
        precondition(!isBusy, "one piece of work at a time")
        do {
            thread = try Thread(name: "control work") { [self] in
                work()
                isDone.wake()
            }
        } catch {
            work()
            isDone.wake()
        }
    }

    /// To be called when the descriptor is readable.
    func finish() {
        isDone.clear()
        if let thread = thread.take() { thread.join() }
    }

    /// Waits a while for the end of the work, and says whether it has come.
    func wait(milliseconds: Int32) -> Bool {
        guard isDone.wait(milliseconds: milliseconds) else { return false }
        finish()
        return true
    }
}

extension Background: @unchecked Sendable {}

/// Where a round's outcome is put by the thread that runs it, for the one that joins it.
final class Outcome: @unchecked Sendable {
    var value: Result<RoundReport, ConfigurationError>?
    /// What was to be said about tidying up behind it.
    var tidied: RoundReport?
}
