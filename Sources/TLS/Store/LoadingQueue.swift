// Names whose certificates have to be read from the disk, and the handshakes that wait for them. Reading takes from a
// millisecond to as long as a disk or an encrypted key takes, and a worker must not stand still for that: the handshake
// pauses at its first message, a thread of the control plane reads, and the worker is told where to go on.

public import Posix
import Synchronization

/// Handshakes of one worker that can go on.
public final class ReadyHandshakes: Sendable {
    /// Has a descriptor that is readable when there are some.
    public let wakeUp: WakeUp
    private let tokens = Mutex<[UInt64]>([])

    public init() throws(SystemError) { wakeUp = try WakeUp() }

    /// What has become ready since the last call, as the worker's own numbers for its connections.
    public func take() -> [UInt64] {
        wakeUp.clear()
        return tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
    }

    func add(_ token: UInt64) {
        tokens.withLock { $0.append(token) }
        wakeUp.wake()
    }
}

/// The queue, for all workers. What is asked for twice is read once.
public final class LoadingQueue: Sendable {
    private let certificates: CertificateStore
    private let work: Semaphore
    private let state = Mutex(State())

    /// A handshake that waits.
    private struct Waiter {
        var ready: ReadyHandshakes
        var token: UInt64
    }

    private struct State {
        /// What is to be read, the oldest first.
        var readings: [CertificateReading] = []
        /// Who waits, if anybody; also while it is being read.
        var waiters: [CertificateReading: [Waiter]] = [:]
        var isEnding = false
    }

    public init(_ certificates: CertificateStore) throws(SystemError) {
        self.certificates = certificates
        work = try Semaphore()
    }

    /// Puts a handshake behind a reading; without one, nobody waits for it.
    func add(_ reading: CertificateReading, _ waiter: (token: UInt64, ready: ReadyHandshakes)? = nil) {
        let isNew = state.withLock { state in
            let isNew = state.waiters[reading] == nil
            let more = waiter.map { [Waiter(ready: $0.ready, token: $0.token)] } ?? []
            state.waiters[reading, default: []] += more
            if isNew { state.readings.append(reading) }
            return isNew
        }
        if isNew { work.signal() }
    }

    /// The work of a thread: reads what is asked for until `end`.
    public func run() {
        while true {
            work.wait()
            if state.withLock({ $0.isEnding }) { return }
            readNext()
        }
    }

    /// Reads what is asked for at this moment.
    func readAll() {
        while readNext() {}
    }

    /// Makes so many threads return from `run`. What nobody has begun to read stays unread.
    public func end(threads: Int) {
        state.withLock { $0.isEnding = true }
        for _ in 0..<threads { work.signal() }
    }

    @discardableResult
    private func readNext() -> Bool {
        let next = state.withLock { state in state.readings.isEmpty ? nil : state.readings.removeFirst() }
        guard let next else { return false }
        certificates.read(next)
        for waiter in state.withLock({ $0.waiters.removeValue(forKey: next) }) ?? [] { waiter.ready.add(waiter.token) }
        return true
    }
}
