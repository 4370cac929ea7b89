// Names whose certificates have to be read from the disk, and the handshakes that wait for them. Reading takes from a
// millisecond to as long as a disk or an encrypted key takes, and a worker must not stand still for that: the handshake
// pauses at its first message, a thread of the control plane reads, and the worker goes on with the answer.
//
// Keys that take long to open have a lane of their own, so that those of one host do not delay the others. Each name is in one
// lane at a time, and is read by one thread at a time.

public import Posix
import Synchronization

/// Which readings a thread takes.
public enum ReadingLane: Sendable {
    case quick
    /// Those that derive a key from a passphrase in many rounds.
    case slow
}

/// Handshakes of one worker that can go on.
public final class ReadyHandshakes: Sendable {
    /// Has a descriptor that is readable when there are some.
    public let wakeUp: WakeUp
    private let handshakes = Mutex<[Handshake]>([])

    public struct Handshake: Sendable {
        /// The worker's number for its connection.
        public let token: UInt64
        /// What was read for it. It is carried to the handshake, so that no other name can take its place in memory meanwhile.
        public let certificate: CertificateStore.Lookup
    }

    public init() throws(SystemError) { wakeUp = try WakeUp() }

    /// What has become ready since the last call.
    public func take() -> [Handshake] {
        wakeUp.clear()
        return handshakes.withLock { handshakes in
            defer { handshakes = [] }
            return handshakes
        }
    }

    func add(_ handshake: Handshake) {
        handshakes.withLock { $0.append(handshake) }
        wakeUp.wake()
    }
}

/// The queue, for all workers. What is asked for twice is read once.
public final class LoadingQueue: Sendable {
    private let certificates: CertificateStore
    /// One signal for each name in a lane.
    private let quickWork: Semaphore
    private let slowWork: Semaphore
    private let state = Mutex(State())

    /// Readings that nothing waits for are dropped beyond so many; they are asked for again.
    private static let refreshesMax = 1_024

    /// A handshake that waits.
    private struct Waiter {
        var ready: ReadyHandshakes
        var token: UInt64
    }

    private struct State {
        /// What is to be read, the oldest first.
        var quick = Line()
        var slow = Line()
        /// The handshakes that wait for a name, if any; also while it is being read.
        var waiters: [[UInt8]: [Waiter]] = [:]
        var isEnding = false
    }

    /// Names in a row.
    private struct Line {
        private var names: [[UInt8]] = []
        private var first = 0

        mutating func append(_ name: [UInt8]) { names.append(name) }

        mutating func removeFirst() -> [UInt8]? {
            if first == names.count { return nil }
            defer {
                first += 1
                // Moving the rest now and then costs less than moving it each time.
                if first * 2 > names.count {
                    names.removeFirst(first)
                    first = 0
                }
            }
            return names[first]
        }
    }

    public init(_ certificates: CertificateStore) throws(SystemError) {
        self.certificates = certificates
        quickWork = try Semaphore()
        slowWork = try Semaphore()
    }

    /// Puts a handshake behind the reading of a name; without one, nothing waits for it.
    func add(_ name: [UInt8], _ waiter: (token: UInt64, ready: ReadyHandshakes)? = nil) {
        let isNew = state.withLock { state in
            let isNew = state.waiters[name] == nil
            if isNew, waiter == nil, state.waiters.count >= LoadingQueue.refreshesMax { return false }
            let more = waiter.map { [Waiter(ready: $0.ready, token: $0.token)] } ?? []
            state.waiters[name, default: []] += more
            if isNew { state.quick.append(name) }
            return isNew
        }
        if isNew { quickWork.signal() }
    }

    /// The work of a thread: reads what is asked for until `end`.
    public func run(_ lane: ReadingLane) {
        while true {
            switch lane {
            case .quick: quickWork.wait()
            case .slow: slowWork.wait()
            }
            if state.withLock({ $0.isEnding }) { return }
            readNext(lane)
        }
    }

    /// Reads what is asked for at this moment.
    package func readAll() {
        while readNext(.quick) || readNext(.slow) {}
    }

    /// Makes the threads of these lanes return from `run`. What has not begun to be read stays unread.
    public func end(_ lanes: some Sequence<ReadingLane>) {
        state.withLock { $0.isEnding = true }
        for lane in lanes {
            switch lane {
            case .quick: quickWork.signal()
            case .slow: slowWork.signal()
            }
        }
    }

    @discardableResult
    private func readNext(_ lane: ReadingLane) -> Bool {
        let next = state.withLock { state in lane == .quick ? state.quick.removeFirst() : state.slow.removeFirst() }
        guard let next else { return false }
        switch certificates.read(next, lane) {
        case .slow:
            state.withLock { $0.slow.append(next) }
            slowWork.signal()
        case .answer(let certificate):
            for waiter in state.withLock({ $0.waiters.removeValue(forKey: next) }) ?? [] {
                waiter.ready.add(ReadyHandshakes.Handshake(token: waiter.token, certificate: certificate))
            }
        }
        return true
    }
}
