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

/// The queue, for all workers. Its length is bounded by the number of handshakes under way.
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
        /// Names to be read, the oldest first. The empty one is for clients that name nobody.
        var names: [[UInt8]] = []
        /// Who waits, by name; also while a name is being read.
        var waiters: [[UInt8]: [Waiter]] = [:]
    }

    public init(_ certificates: CertificateStore) throws(SystemError) {
        self.certificates = certificates
        work = try Semaphore()
    }

    /// Puts a handshake behind a name. One that is being read already is not read again.
    func add(_ name: Span<UInt8>, token: UInt64, ready: ReadyHandshakes) {
        let name = name.withUnsafeBytes { Array($0) }
        let waiter = Waiter(ready: ready, token: token)
        let isNew = state.withLock { state in
            state.waiters[name, default: []].append(waiter)
            guard state.waiters[name]?.count == 1 else { return false }
            state.names.append(name)
            return true
        }
        if isNew { work.signal() }
    }

    /// The work of a thread: reads what is asked for until `end`.
    public func run() {
        while let name = next() {
            _ = name.isEmpty ? certificates.identityWithoutName() : certificates.identity(for: name.span)
            for waiter in state.withLock({ $0.waiters.removeValue(forKey: name) }) ?? [] {
                waiter.ready.add(waiter.token)
            }
        }
    }

    /// Makes so many threads return from `run`, once all that was asked for is read.
    public func end(threads: Int) {
        for _ in 0..<threads { work.signal() }
    }

    /// A name; nil for a signal behind which there is none, which is that of the end.
    private func next() -> [UInt8]? {
        work.wait()
        return state.withLock { state in
            state.names.isEmpty ? nil : state.names.removeFirst()
        }
    }
}
