// The communication of the engine and the reading threads with one worker, and a way to wake it.

import Posix
import Synchronization
import TLS

/// Shared by the engine and one worker.
final class WorkerMailboxes: Sendable {
    let number: Int
    let wakeUp: WakeUp
    let readyHandshakes: CertificateQueue.Replies
    let heartbeat = Heartbeat()
    let challenges: ChallengeQueue.Replies
    private let wanted = Atomic<UInt8>(0)

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
        readyHandshakes = try CertificateQueue.Replies([])
        challenges = try ChallengeQueue.Replies([])
    }

    /// Nil while the worker is to serve.
    var draining: Draining? { Draining(rawValue: wanted.load(ordering: .acquiring)) }

    func drain(_ draining: Draining) {
        wanted.store(draining.rawValue, ordering: .releasing)
        wakeUp.wake()
    }
}

/// Checks that a worker's loop still runs. An idle worker sleeps for up to a minute, so the check wakes it, and each wake-up of the
/// worker is its answer.
final class Heartbeat: Sendable {
    /// When the worker was asked, if it has not answered since.
    private let askedMilliseconds = Atomic<Int64>(Heartbeat.notAsked)
    private static let notAsked = Int64.min
    private static let ended = Int64.max

    /// Called by the worker each time it was woken.
    func beat() { askedMilliseconds.store(Heartbeat.notAsked, ordering: .releasing) }

    /// The worker has ended, as those of a server that stops do, and answers no more.
    func end() { askedMilliseconds.store(Heartbeat.ended, ordering: .releasing) }

    /// For how long the worker has not answered; 0 when it has or has ended. When it has, it is checked again with `ask`.
    func silentMilliseconds(now: Int64, ask: () -> Void) -> Int64 {
        let asked = askedMilliseconds.load(ordering: .acquiring)
        if asked == Heartbeat.ended { return 0 }
        if asked != Heartbeat.notAsked { return max(0, now - asked) }
        let isAsked = askedMilliseconds.compareExchange(
            expected: Heartbeat.notAsked, desired: now, ordering: .acquiringAndReleasing
        ).exchanged
        if isAsked { ask() }
        return 0
    }
}
