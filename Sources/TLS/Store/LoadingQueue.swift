// The queue of names whose certificates have to be read from disk, and the handshakes that wait for them. Reading takes a
// millisecond, or much longer with a slow disk or an encrypted key, and must not block a worker: the handshake pauses at its first
// message, a thread of the control plane reads, and the worker continues with the result.
//
// Keys that take long to open have a lane of their own, so that those of one host do not delay the others. Each name is in one
// lane at a time, and is read by one thread at a time.

public import Posix
import Synchronization

/// The lanes of reading threads.
public enum ReadingLane: Sendable {
    case quick
    /// For keys whose passphrase needs many rounds of derivation.
    case slow
}

/// Handshakes of one worker that can continue.
public final class ReadyHandshakes: Sendable {
    /// Its descriptor is readable when there are some.
    public let wakeUp: WakeUp
    private let handshakes = Mutex<[Handshake]>([])

    public struct Handshake: Sendable {
        /// The worker's token of the connection.
        public let token: UInt64
        /// The result. It is passed to the handshake directly, because it may be evicted from the cache meanwhile.
        public let certificate: CertificateStore.Lookup
    }

    public init() throws(SystemError) { wakeUp = try WakeUp() }

    /// The handshakes that became ready since the last call.
    public func take() -> [Handshake] {
        wakeUp.clear()
        return handshakes.exchange([])
    }

    func add(_ handshake: Handshake) {
        handshakes.withLock { $0.append(handshake) }
        wakeUp.wake()
    }
}

/// The queue of all workers. A name that is requested twice is read once.
public final class LoadingQueue: Sendable {
    private let certificates: CertificateStore
    /// One signal for each name in a lane.
    private let quickWork: Semaphore
    private let slowWork: Semaphore
    private let state = Mutex(State())

    /// The most queued names for which no handshake waits; further ones are dropped, and will be requested again.
    private static let refreshesMax = 1_024

    /// A waiting handshake.
    private struct Waiter {
        var ready: ReadyHandshakes
        var token: UInt64
    }

    private struct State {
        /// The names to be read, the oldest first.
        var quick = Line()
        var slow = Line()
        /// The handshakes that wait for each name, also while it is being read.
        var waiters: [[UInt8]: [Waiter]] = [:]
        var isEnding = false
    }

    /// A first-in-first-out queue of names.
    private struct Line {
        private var names: [[UInt8]] = []
        private var first = 0

        mutating func append(_ name: [UInt8]) { names.append(name) }

        mutating func removeFirst() -> [UInt8]? {
            if first == names.count { return nil }
            defer {
                first += 1
                // Moving the rest only sometimes costs less than moving it each time.
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

    /// Queues a name, with a handshake that waits for it, or without one to refresh the cache.
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

    /// The work of a reading thread, until `end`.
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

    /// Reads everything that is queued now.
    public func readAll() {
        while readNext(.quick) || readNext(.slow) {}
    }

    /// Makes the threads of these lanes return from `run`. Queued names are not read any more.
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
        guard let certificate = certificates.read(next, lane) else {
            state.withLock { $0.slow.append(next) }
            slowWork.signal()
            return true
        }
        for waiter in state.withLock({ $0.waiters.removeValue(forKey: next) }) ?? [] {
            waiter.ready.add(ReadyHandshakes.Handshake(token: waiter.token, certificate: certificate))
        }
        return true
    }
}
