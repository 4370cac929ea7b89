// The listeners of one worker: which connections they admit, and how they are closed without resetting a connection. While the
// worker drains, the kernel gives new connections to another process if there is one; those that are waiting are still accepted.

import HTTP
import Posix

/// The times of the steps of a worker that is draining.
struct Drain {
    fileprivate let handOver: HandOver
    /// When to steer connections away before the listeners close.
    var prepareAt: Int64?
    /// When to close the listeners and the idle connections.
    var closeAt: Int64?
    /// When to close the connections that were new at `closeAt`, if they are still idle.
    var sweepAt: Int64?
    /// When to give up on open requests.
    let deadline: Int64

    /// The time of the next step.
    var next: Int64 { min(prepareAt ?? deadline, closeAt ?? deadline, sweepAt ?? deadline) }
}

/// One worker's listeners and the counts of the connections that they admit.
@safe struct Acceptor: ~Copyable {
    /// The first ones are for plain HTTP, the others for TLS.
    private let listeners: UnsafeMutableBufferPointer<Listener>
    private let plainListenerCount: Int
    /// For each listener.
    private let expectsProxyHeader: [Bool]
    private(set) var areListenersOpen = true
    private var isAccepting = false
    /// When to accept again after descriptors had run out; nil while accepting.
    private(set) var acceptAgainAt: Int64?
    /// Nil unless the worker is draining.
    private(set) var drain: Drain?
    /// Shared with the other workers; nil when addresses are not limited.
    private let addressCounts: AddressCounts?
    /// Handshakes in progress.
    private(set) var handshakeCount = 0
    private let handshakesMax: Int

    /// How long accepting pauses after descriptors or memory have run out.
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

    /// Accepts the next connection of a listener.
    mutating func accept(
        from listener: Int, peer: inout SocketAddress, _ poller: borrowing Poller, now: Int64
    ) -> Listener.Acceptance {
        let acceptance = unsafe listeners[listener].accept(peer: &peer)
        if case .exhausted = acceptance { pause(poller, now: now) }
        return acceptance
    }

    /// Pauses accepting when descriptors or memory have run out. The listener stays readable, so the loop would spin otherwise.
    mutating func pause(_ poller: borrowing Poller, now: Int64) {
        stopListening(poller)
        acceptAgainAt = now + Acceptor.pauseMilliseconds
    }

    /// Counts a client's connection and returns its weight; nil when its address has too many. The connections of a trusted
    /// proxy are not counted, because they belong to many clients.
    func admit(_ remote: RemoteAddress, isTrustedProxy: Bool, inHandshake: Bool) -> UInt32? {
        guard !isTrustedProxy, let addressCounts else { return 0 }
        let weight = addressCounts.weight(inHandshake: inHandshake)
        return addressCounts.admit(remote, weight: weight) ? weight : nil
    }

    /// Reduces the weight of a connection to `kept`.
    func release(_ remote: RemoteAddress, weight: UInt32, keeping kept: UInt32 = 0) {
        if weight > kept { addressCounts?.release(remote, weight: weight - kept) }
    }

    var hasRoomForHandshake: Bool { handshakeCount < handshakesMax }

    mutating func beginHandshake() { handshakeCount += 1 }

    /// Counts the end of a connection's handshake, whether it succeeded or not.
    mutating func endHandshake(_ slot: Slot) {
        handshakeCount -= 1
        unsafe release(slot.pointee.remote, weight: slot.pointee.addressWeight, keeping: 1)
        unsafe slot.pointee.addressWeight = min(slot.pointee.addressWeight, 1)
    }

    /// Plans the steps of draining. Connections are accepted for a while longer, because some may be on their way and a reset
    /// would look like a failure. If another process shares the port, new connections are steered there from now on.
    mutating func beginDraining(_ control: WorkerControl, _ settings: EngineSettings, now: Int64) {
        let (limits, others) = unsafe (settings.limits, listeners.indices.map { control.steering(of: $0) })
        let handOver = HandOver(worker: control.number, count: settings.workerCount, others: others)
        let deadline = now + limits.drainTimeoutMilliseconds
        let close = min(deadline, now + limits.drainIdleMilliseconds + handOver.delayMilliseconds)
        drain = Drain(
            handOver: handOver,
            prepareAt: handOver.delayMilliseconds > 0 ? close - HandOver.quietMilliseconds : nil, closeAt: close,
            deadline: deadline)
        for index in unsafe 0..<listeners.count { unsafe listeners[index].steer(to: others[index]) }
        // Connections that the kernel holds back must be accepted before the listener closes, or they would be reset.
        stopDeferring()
    }

    func stopDeferring() {
        for index in unsafe 0..<listeners.count { unsafe listeners[index].stopDeferring() }
    }

    /// Steers connections away from this worker's listeners, which may have got some because another worker of this process has
    /// closed its own.
    mutating func prepareToClose(_ control: WorkerControl) {
        guard let handOver = drain?.handOver else { return }
        drain?.prepareAt = nil
        for index in unsafe 0..<listeners.count {
            unsafe listeners[index].steer(to: handOver.steeringBeforeClosing(control.steering(of: index)))
        }
    }

    /// Steers new connections away from the listeners, which are closed next.
    mutating func beginClosing(_ control: WorkerControl) {
        guard let handOver = drain?.handOver else { return }
        drain?.closeAt = nil
        for index in unsafe 0..<listeners.count {
            unsafe listeners[index].steer(to: handOver.steeringWhileClosing(control.steering(of: index)))
        }
    }

    mutating func closeListeners(_ poller: borrowing Poller, sweepAt: Int64) {
        stopListening(poller)
        for index in unsafe 0..<listeners.count { unsafe (listeners.baseAddress! + index).deinitialize(count: 1) }
        areListenersOpen = false
        drain?.sweepAt = sweepAt
    }

    mutating func endSweep() { drain?.sweepAt = nil }

    /// Ends the steering that an earlier process has set in the kernel.
    func stopSteering() {
        guard areListenersOpen, drain == nil else { return }
        for index in unsafe 0..<listeners.count { unsafe listeners[index].stopSteering() }
    }

    /// Whether the listeners are closed, and no connection is left or the drain time is over.
    func isFinished(connectionCount: Int, now: Int64) -> Bool {
        guard let drain, drain.closeAt == nil else { return false }
        return connectionCount == 0 || now >= drain.deadline
    }
}

extension TrustedProxies {
    /// Whether a peer is a trusted proxy.
    func trusts(_ remote: RemoteAddress) -> Bool {
        switch remote.family {
        case .unknown: false
        case .local: networks.includesLocal
        case .ipv4: networks.contains(ClientAddress(ipv4: UInt32(truncatingIfNeeded: remote.low)))
        case .ipv6: networks.contains(ClientAddress(ipv6: remote.high, remote.low))
        }
    }
}

extension RemoteAddress {
    init(_ client: ClientAddress) {
        self.init(family: client.isIPv6 ? .ipv6 : .ipv4, high: client.high, low: client.low, port: client.port)
    }
}
