// The queue of names whose certificates have to be read from disk, and the handshakes that wait for them. Reading takes a
// millisecond, or much longer with a slow disk or an encrypted key, and must not block a worker: the handshake pauses at its first
// message, another thread reads, and the worker continues with the result.
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

/// A handshake that can continue.
public struct ReadyHandshake: Sendable {
    /// The worker's token of the connection.
    public let token: UInt64
    /// The result. It is passed to the handshake directly, because it may be evicted from the cache meanwhile.
    public let certificate: CertificateStore.Lookup
}

/// Handshakes of one worker that can continue.
public typealias ReadyHandshakes = Mailbox<[ReadyHandshake]>

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
        var quick: [[UInt8]] = []
        var slow: [[UInt8]] = []
        /// The handshakes that wait for each name, also while it is being read.
        var waiters: [[UInt8]: [Waiter]] = [:]
        var isEnding = false

        mutating func takeFirst(_ lane: ReadingLane) -> [UInt8]? {
            if lane == .quick { return quick.isEmpty ? nil : quick.removeFirst() }
            return slow.isEmpty ? nil : slow.removeFirst()
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

    /// Keys that take long to open have a thread of their own, so that the others do not wait for them.
    private static let lanes: [ReadingLane] = [.quick, .quick, .slow]

    /// Starts the reading threads. If one cannot be started, `end` ends the others.
    public func start() throws(SystemError) {
        for (number, lane) in LoadingQueue.lanes.enumerated() {
            // Never joined: a read in progress may take long.
            try Thread(name: "certificates \(number)") { self.run(lane) }.detach()
        }
    }

    func run(_ lane: ReadingLane) {
        while true {
            if lane == .quick { quickWork.wait() } else { slowWork.wait() }
            if state.withLock({ $0.isEnding }) { return }
            readNext(lane)
        }
    }

    /// Reads everything that is queued now.
    public func readAll() {
        while readNext(.quick) || readNext(.slow) {}
    }

    /// Ends the reading threads, without waiting for a read in progress. Queued names are not read any more.
    public func end() {
        state.withLock { $0.isEnding = true }
        for lane in LoadingQueue.lanes { if lane == .quick { quickWork.signal() } else { slowWork.signal() } }
    }

    @discardableResult
    private func readNext(_ lane: ReadingLane) -> Bool {
        guard let next = state.withLock({ $0.takeFirst(lane) }) else { return false }
        guard let certificate = certificates.read(next, lane) else {
            state.withLock { $0.slow.append(next) }
            slowWork.signal()
            return true
        }
        for waiter in state.withLock({ $0.waiters.removeValue(forKey: next) }) ?? [] {
            waiter.ready.leave { $0.append(ReadyHandshake(token: waiter.token, certificate: certificate)) }
        }
        return true
    }
}
