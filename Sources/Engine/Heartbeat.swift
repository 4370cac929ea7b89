// Whether a worker still goes round. One that has nothing to do sleeps for a minute, so its silence says nothing: it is
// asked, which wakes it, and that it has taken note of being woken is the answer.

import Synchronization

/// Shared by one worker, which says when it goes round, and those who ask.
final class Heartbeat: Sendable {
    /// How often the worker was woken.
    private let beats = Atomic<UInt64>(0)
    /// What that number was when it was asked, and when that was; no time when no question is open.
    private let open = Mutex(Question())

    private struct Question {
        var beats: UInt64 = 0
        var askedMilliseconds: Int64?
    }

    /// The worker's side, each time it has been woken.
    func beat() { beats.store(beats.load(ordering: .relaxed) &+ 1, ordering: .releasing) }

    /// For how long the worker has owed an answer; 0 when it has answered, and is then asked again with `ask`.
    func silentMilliseconds(now: Int64, ask: () -> Void) -> Int64 {
        open.withLock { question in
            let count = beats.load(ordering: .acquiring)
            if let asked = question.askedMilliseconds, count == question.beats { return max(0, now - asked) }
            question = Question(beats: count, askedMilliseconds: now)
            ask()
            return 0
        }
    }
}
