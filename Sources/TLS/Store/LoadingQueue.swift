// The queue of names whose certificates have to be read from disk, and the handshakes that wait for them. Reading takes a
// millisecond, or much longer with a slow disk, and must not block a worker: the handshake pauses at its first
// message, another thread reads, and the worker continues with the result.

public import Posix
import Synchronization

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
    /// One signal for each name.
    private let work: Semaphore
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
        var names: [[UInt8]] = []
        /// The handshakes that wait for each name, also while it is being read.
        var waiters: [[UInt8]: [Waiter]] = [:]
        var isEnding = false
    }

    public init(_ certificates: CertificateStore) throws(SystemError) {
        self.certificates = certificates
        work = try Semaphore()
    }

    /// Queues a name, with a handshake that waits for it, or without one to refresh the cache.
    func add(_ name: [UInt8], _ waiter: (token: UInt64, ready: ReadyHandshakes)? = nil) {
        let isNew = state.withLock { state in
            let isNew = state.waiters[name] == nil
            if isNew, waiter == nil, state.waiters.count >= LoadingQueue.refreshesMax { return false }
            let more = waiter.map { [Waiter(ready: $0.ready, token: $0.token)] } ?? []
            state.waiters[name, default: []] += more
            if isNew { state.names.append(name) }
            return isNew
        }
        if isNew { work.signal() }
    }

    private static let threadCount = 3

    /// Starts the reading threads. If one cannot be started, `end` ends the others.
    public func start() throws(SystemError) {
        for number in 0..<LoadingQueue.threadCount {
            // Never joined: a read in progress may take long.
            try Thread(name: "certificates \(number)") { self.run() }.detach()
        }
    }

    func run() {
        while true {
            work.wait()
            if state.withLock({ $0.isEnding }) { return }
            readNext()
        }
    }

    /// Reads everything that is queued now.
    public func readAll() {
        while readNext() {}
    }

    /// Ends the reading threads, without waiting for a read in progress. Queued names are not read any more.
    public func end() {
        state.withLock { $0.isEnding = true }
        for _ in 0..<LoadingQueue.threadCount { work.signal() }
    }

    @discardableResult
    private func readNext() -> Bool {
        guard let next = state.withLock({ $0.names.isEmpty ? nil : $0.names.removeFirst() }) else { return false }
        let certificate = certificates.read(next)
        for waiter in state.withLock({ $0.waiters.removeValue(forKey: next) }) ?? [] {
            waiter.ready.leave { $0.append(ReadyHandshake(token: waiter.token, certificate: certificate)) }
        }
        return true
    }
}
