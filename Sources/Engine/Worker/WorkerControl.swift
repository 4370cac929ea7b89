// The communication of the engine and the reading threads with one worker, and a way to wake it.

import Posix
import Synchronization
import TLS

/// Shared by the engine and one worker.
final class WorkerControl: Sendable {
    let number: Int
    let wakeUp: WakeUp
    let readyHandshakes: ReadyHandshakes
    let heartbeat = Heartbeat()
    private let wanted = Atomic<UInt8>(0)
    private let challenges = Mutex<[ChallengeAnswer]>([])

    /// How to stop accepting, finish open requests and exit.
    enum Draining: UInt8 {
        /// Connections on their way are still accepted.
        case stop = 1
        /// Another process accepts from the same sockets.
        case takenOver = 2
    }

    init(number: Int) throws(SystemError) {
        self.number = number
        wakeUp = try WakeUp()
        readyHandshakes = try ReadyHandshakes([])
    }

    /// Nil while the worker is to serve.
    var draining: Draining? { Draining(rawValue: wanted.load(ordering: .acquiring)) }

    func drain(_ draining: Draining) {
        wanted.store(draining.rawValue, ordering: .releasing)
        wakeUp.wake()
    }

    /// Passes the worker the answer that one of its connections waits for.
    func answer(_ challenge: ChallengeAnswer) {
        challenges.withLock { $0.append(challenge) }
        wakeUp.wake()
    }

    /// The answers since the last call.
    func takeChallenges() -> [ChallengeAnswer] { challenges.exchange([]) }
}

/// Checks that a worker's loop still runs. An idle worker sleeps for up to a minute, so the check wakes it, and the worker counts
/// each wake-up as its answer.
final class Heartbeat: Sendable {
    /// The worker's wake-ups.
    private let beats = Atomic<UInt64>(0)
    /// The number and the time at the last check.
    private let open = Mutex(Question())

    private struct Question {
        var beats: UInt64 = 0
        var askedMilliseconds: Int64?
    }

    /// Called by the worker each time it was woken.
    func beat() { beats.store(beats.load(ordering: .relaxed) &+ 1, ordering: .releasing) }

    /// For how long the worker has not answered; 0 when it has, and then it is checked again with `ask`.
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
