// The doors of one worker: its listeners, which clients they let in, and how they are closed without resetting anybody's
// connection. Draining, new connections go to another process where there is one, and those on their way are still taken.

import HTTP
import Posix

/// What a worker that was told to stop has still to do, and when.
struct Drain {
    fileprivate let handOver: HandOver
    /// To have the last connections led elsewhere.
    var prepareAt: Int64?
    /// To close the listeners, and the connections that are silent.
    var closeAt: Int64?
    /// To close the connections that had only just come then.
    var sweepAt: Int64?
    /// To give up on what is still in flight.
    let deadline: Int64

    /// The next of these.
    var next: Int64 { min(prepareAt ?? deadline, closeAt ?? deadline, sweepAt ?? deadline) }
}

/// One worker's listeners and what is counted of the connections that they let in.
@safe struct Acceptor: ~Copyable {
    /// The first of them speak plain HTTP, the others TLS.
    private let listeners: UnsafeMutableBufferPointer<Listener>
    private let plainListenerCount: Int
    /// Of each listener.
    private let expectsProxyHeader: [Bool]
    private(set) var areListenersOpen = true
    private var isAccepting = false
    /// When to accept again after descriptors had run out; nil while accepting.
    private(set) var acceptAgainAt: Int64?
    /// Nil until the worker is told to stop.
    private(set) var drain: Drain?
    /// Shared with the other workers; nil when addresses are not limited.
    private let addressCounts: AddressCounts?
    /// Handshakes under way.
    private(set) var handshakeCount = 0
    private let handshakesMax: Int

    /// How long no connection is accepted after descriptors or memory have run out.
    private static let pauseMilliseconds: Int64 = 100

    init(
        takingOwnershipOf listeners: UnsafeMutableBufferPointer<Listener>, _ settings: EngineSettings,
        _ addressCounts: AddressCounts?
    ) {
        unsafe self.listeners = listeners
        self.addressCounts = addressCounts
        plainListenerCount = settings.listening.plain.count
        expectsProxyHeader = settings.expectsProxyHeader
        handshakesMax = max(16, settings.limits.handshakesMax / settings.workerCount)
    }

    deinit {
        if areListenersOpen {
            for index in unsafe 0..<listeners.count { unsafe (listeners.baseAddress! + index).deinitialize(count: 1) }
        }
        unsafe listeners.deallocate()
    }

    var listenerCount: Int { unsafe listeners.count }

    func isSecure(_ listener: Int) -> Bool { listener >= plainListenerCount }

    func expectsProxyHeader(_ listener: Int) -> Bool { expectsProxyHeader[listener] }

    mutating func startListening(_ poller: borrowing Poller, now: Int64) {
        acceptAgainAt = nil
        if !areListenersOpen || isAccepting { return }
        for index in unsafe 0..<listeners.count {
            guard unsafe poller.addListener(listeners[index].descriptor.number, token: UInt64(index)) else {
                for added in 0..<index { unsafe poller.remove(listeners[added].descriptor.number) }
                acceptAgainAt = now + Acceptor.pauseMilliseconds
                return
            }
        }
        isAccepting = true
    }

    private mutating func stopListening(_ poller: borrowing Poller) {
        guard isAccepting else { return }
        for index in unsafe 0..<listeners.count { unsafe poller.remove(listeners[index].descriptor.number) }
        isAccepting = false
    }

    /// Takes the next connection that waits at a listener.
    mutating func accept(
        from listener: Int, peer: inout SocketAddress, _ poller: borrowing Poller, now: Int64
    ) -> Listener.Acceptance {
        let acceptance = unsafe listeners[listener].accept(peer: &peer)
        if case .exhausted = acceptance { pause(poller, now: now) }
        return acceptance
    }

    /// Descriptors or memory have run out. Without a pause the listener stays readable and the loop would spin.
    mutating func pause(_ poller: borrowing Poller, now: Int64) {
        stopListening(poller)
        acceptAgainAt = now + Acceptor.pauseMilliseconds
    }

    /// Counts a connection of a client's, and says what it counts; nil where its address has too many. A front has the
    /// connections of many clients, so those are not counted.
    func admit(_ remote: RemoteAddress, isFront: Bool, inHandshake: Bool) -> UInt32? {
        guard !isFront, let addressCounts else { return 0 }
        let weight = addressCounts.weight(inHandshake: inHandshake)
        return addressCounts.admit(remote, weight: weight) ? weight : nil
    }

    /// Takes back what a connection counts, but for so much.
    func release(_ remote: RemoteAddress, weight: UInt32, keeping kept: UInt32 = 0) {
        if weight > kept { addressCounts?.release(remote, weight: weight - kept) }
    }

    var hasRoomForHandshake: Bool { handshakeCount < handshakesMax }

    mutating func beginHandshake() { handshakeCount += 1 }

    /// The handshake of a connection is over, or will not come to its end.
    mutating func endHandshake(_ slot: Slot) {
        handshakeCount -= 1
        unsafe release(slot.pointee.remote, weight: slot.pointee.addressWeight, keeping: 1)
        unsafe slot.pointee.addressWeight = min(slot.pointee.addressWeight, 1)
    }

    /// Goes on accepting for a while: connections may be on their way, and resetting them would look like a failure. Where
    /// another process shares the port, new ones are led there from now on.
    mutating func beginDraining(_ control: WorkerControl, _ settings: EngineSettings, now: Int64) {
        let (limits, others) = unsafe (settings.limits, listeners.indices.map { control.lead(of: $0) })
        let handOver = HandOver(worker: control.number, count: settings.workerCount, others: others)
        let deadline = now + limits.drainTimeoutMilliseconds
        let close = min(deadline, now + limits.drainIdleMilliseconds + handOver.delayMilliseconds)
        drain = Drain(
            handOver: handOver,
            prepareAt: handOver.delayMilliseconds > 0 ? close - HandOver.quietMilliseconds : nil, closeAt: close,
            deadline: deadline)
        for index in unsafe 0..<listeners.count { unsafe listeners[index].lead(to: others[index]) }
        // A silent connection shall show itself before the listener closes, or it would be reset at its first byte.
        stopDeferring()
    }

    func stopDeferring() {
        for index in unsafe 0..<listeners.count { unsafe listeners[index].stopDeferring() }
    }

    /// Connections go elsewhere even if they have come here meanwhile because another worker of ours has closed.
    mutating func prepareToClose(_ control: WorkerControl) {
        guard let handOver = drain?.handOver else { return }
        drain?.prepareAt = nil
        for index in unsafe 0..<listeners.count {
            unsafe listeners[index].lead(to: handOver.leadBeforeClosing(control.lead(of: index)))
        }
    }

    /// Leads new connections away from the listeners, which are closed next.
    mutating func beginClosing(_ control: WorkerControl) {
        guard let handOver = drain?.handOver else { return }
        drain?.closeAt = nil
        for index in unsafe 0..<listeners.count {
            unsafe listeners[index].lead(to: handOver.leadWhileClosing(control.lead(of: index)))
        }
    }

    mutating func closeListeners(_ poller: borrowing Poller, sweepAt: Int64) {
        stopListening(poller)
        for index in unsafe 0..<listeners.count { unsafe (listeners.baseAddress! + index).deinitialize(count: 1) }
        areListenersOpen = false
        drain?.sweepAt = sweepAt
    }

    mutating func endSweep() { drain?.sweepAt = nil }

    /// Puts an end to what an earlier process has told the kernel.
    func standAlone() {
        guard areListenersOpen, drain == nil else { return }
        for index in unsafe 0..<listeners.count { unsafe listeners[index].leadNowhere() }
    }

    /// Whether nothing new comes, and what is in flight has had its time where there is any.
    func isFinished(connectionCount: Int, now: Int64) -> Bool {
        guard let drain, drain.closeAt == nil else { return false }
        return connectionCount == 0 || now >= drain.deadline
    }
}

extension FrontSettings {
    /// Whether a client may speak for others.
    func trusts(_ remote: RemoteAddress) -> Bool {
        switch remote.family {
        case .unknown: false
        case .local: trusted.includesLocal
        case .ipv4: trusted.contains(ClientAddress(ipv4: UInt32(truncatingIfNeeded: remote.low)))
        case .ipv6: trusted.contains(ClientAddress(ipv6: remote.high, remote.low))
        }
    }
}

extension RemoteAddress {
    init(_ client: ClientAddress) {
        self.init(family: client.isIPv6 ? .ipv6 : .ipv4, high: client.high, low: client.low, port: client.port)
    }
}
