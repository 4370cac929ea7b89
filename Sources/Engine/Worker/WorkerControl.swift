// What the engine, the readers of certificates and one of the workers say to each other: little, and a way to wake the
// worker.

import Posix
import Synchronization
import TLS

/// Shared by the engine and one worker.
final class WorkerControl: Sendable {
    /// Which of the workers it is.
    let number: Int
    let wakeUp: WakeUp
    let readyHandshakes: ReadyHandshakes
    let heartbeat = Heartbeat()
    private let wishes = Atomic<UInt8>(0)
    private let leads = Mutex<[Range<Int>]>([])
    private let challenges = Mutex<[ChallengeAnswer]>([])

    /// What the engine wants; more than one at a time.
    struct Wishes: OptionSet {
        let rawValue: UInt8

        /// To stop accepting, to finish what is in flight and to end.
        static let drain = Wishes(rawValue: 1)
        /// To take every connection to a listener's address as it comes, whatever others have told the kernel.
        static let standAlone = Wishes(rawValue: 2)
    }

    init(number: Int) throws(SystemError) {
        self.number = number
        wakeUp = try WakeUp()
        readyHandshakes = try ReadyHandshakes()
    }

    var isDraining: Bool { Wishes(rawValue: wishes.load(ordering: .acquiring)).contains(.drain) }

    /// Asks the worker to drain. New connections to each listener are led to those of the sockets at its address.
    func drain(leading: [Range<Int>] = []) {
        leads.withLock { $0 = leading }
        wish(.drain)
    }

    func standAlone() { wish(.standAlone) }

    /// Where connections to a listener are led while draining; empty for nowhere else.
    func lead(of listener: Int) -> Range<Int> {
        leads.withLock { listener < $0.count ? $0[listener] : 0..<0 }
    }

    /// Whether the worker is to stand alone. Said once for each time it is asked.
    func takeStandingAlone() -> Bool {
        guard Wishes(rawValue: wishes.load(ordering: .relaxed)).contains(.standAlone) else { return false }
        wishes.bitwiseAnd(~Wishes.standAlone.rawValue, ordering: .acquiringAndReleasing)
        return true
    }

    /// Hands the worker what one of its connections waits for.
    func answer(_ challenge: ChallengeAnswer) {
        challenges.withLock { $0.append(challenge) }
        wakeUp.wake()
    }

    /// What has been handed over since the last call.
    func takeChallenges() -> [ChallengeAnswer] {
        challenges.withLock { challenges in
            defer { challenges = [] }
            return challenges
        }
    }

    private func wish(_ wish: Wishes) {
        wishes.bitwiseOr(wish.rawValue, ordering: .releasing)
        wakeUp.wake()
    }
}

/// Whether a worker still goes round. One that has nothing to do sleeps for a minute, so its silence says nothing: it is
/// asked, which wakes it, and that it has taken note of being woken is the answer.
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
