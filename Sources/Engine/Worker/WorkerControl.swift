// The communication of the engine and the reading threads with one worker, and a way to wake it.

import Posix
import Synchronization
import TLS

/// Shared by the engine and one worker.
final class WorkerControl: Sendable {
    /// The worker's number.
    let number: Int
    let wakeUp: WakeUp
    let readyHandshakes: ReadyHandshakes
    let heartbeat = Heartbeat()
    private let requests = Atomic<UInt8>(0)
    private let steeringTargets = Mutex<[Range<Int>]>([])
    private let challenges = Mutex<[ChallengeAnswer]>([])

    /// Requests of the engine; several may be pending.
    struct Requests: OptionSet {
        let rawValue: UInt8

        /// Stop accepting, finish open requests and exit.
        static let drain = Requests(rawValue: 1)
        /// End the steering of connections that another process has set in the kernel.
        static let stopSteering = Requests(rawValue: 2)
    }

    init(number: Int) throws(SystemError) {
        self.number = number
        wakeUp = try WakeUp()
        readyHandshakes = try ReadyHandshakes()
    }

    var isDraining: Bool { Requests(rawValue: requests.load(ordering: .acquiring)).contains(.drain) }

    /// Makes the worker drain. New connections to each listener are steered to these positions of its address.
    func drain(steeringTo targets: [Range<Int>] = []) {
        steeringTargets.withLock { $0 = targets }
        request(.drain)
    }

    func stopSteering() { request(.stopSteering) }

    /// The positions to which connections of a listener are steered while draining; empty if there is no other process.
    func steering(of listener: Int) -> Range<Int> {
        steeringTargets.withLock { listener < $0.count ? $0[listener] : 0..<0 }
    }

    /// Whether the worker has to end steering. True once for each request.
    func takeStopSteering() -> Bool {
        guard Requests(rawValue: requests.load(ordering: .relaxed)).contains(.stopSteering) else { return false }
        requests.bitwiseAnd(~Requests.stopSteering.rawValue, ordering: .acquiringAndReleasing)
        return true
    }

    /// Passes the worker the answer that one of its connections waits for.
    func answer(_ challenge: ChallengeAnswer) {
        challenges.withLock { $0.append(challenge) }
        wakeUp.wake()
    }

    /// The answers since the last call.
    func takeChallenges() -> [ChallengeAnswer] {
        challenges.withLock { challenges in
            defer { challenges = [] }
            return challenges
        }
    }

    private func request(_ request: Requests) {
        requests.bitwiseOr(request.rawValue, ordering: .releasing)
        wakeUp.wake()
    }
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
