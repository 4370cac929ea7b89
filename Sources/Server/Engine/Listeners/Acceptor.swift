// The listeners of one worker: which connections they admit, and how they are closed without resetting a connection. While the
// worker drains, it still accepts, unless another server has taken over the sockets; then only what waits at that moment.

import HTTP
import Posix

/// The times of the steps of a worker that is draining.
struct Drain {
    /// When to close the listeners, unless they are closed, and the idle connections.
    var closeAt: Int64?
    /// When to close the connections that were new at `closeAt`, if they are still idle.
    var sweepAt: Int64?
    /// When to give up on open requests.
    let deadline: Int64

    /// The time of the next step.
    var next: Int64 { min(closeAt ?? deadline, sweepAt ?? deadline) }
}

/// A worker's own duplicate of a listening socket.
final class WorkerListener {
    let listener: Listener
    let isSecure: Bool
    let expectsProxyHeader: Bool

    /// Seconds that the kernel waits for a client's first bytes before it hands over a silent connection. One is enough for
    /// clients that ask at once, and no more, because a connection that waits in the kernel is lost when the listener closes:
    /// `drainIdleMilliseconds` is a little longer.
    private static let deferAcceptSeconds: Int32 = 1

    init(_ socket: ListeningSocket, of group: ListenerGroup) throws(SystemError) {
        listener = try Listener(sharing: socket.listener)
        (isSecure, expectsProxyHeader) = (group.isSecure, group.expectsProxyHeader)
        listener.deferAccept(seconds: WorkerListener.deferAcceptSeconds)
    }
}

/// One worker's listeners and the counts of the connections that they admit.
struct Acceptor: ~Copyable {
    /// None when they are closed.
    private(set) var listeners: [WorkerListener] = []
    private var isAccepting = false
    /// When to accept again after descriptors had run out; nil while accepting.
    private(set) var acceptAgainAt: Int64?
    /// Nil unless the worker is draining.
    private(set) var drain: Drain?
    /// Shared with the other workers; nil when addresses are not limited.
    private let addressCounts: AddressCounts?
    private(set) var handshakes = Handshakes()
    var handshakeCount: Int { handshakes.count }
    private let handshakesMax: Int

    /// How long accepting pauses after descriptors or memory have run out.
    private static let pauseMilliseconds: Int64 = 100
    /// Takes the worker's share of the sockets.
    init(_ settings: EngineSettings, worker: Int, _ addressCounts: AddressCounts?) throws(SystemError) {
        self.addressCounts = addressCounts
        handshakesMax = max(16, settings.limits.handshakesMax / settings.workerCount)
        for group in settings.listeners {
            let share = ListenerGroup.share(
                of: group.sockets.count, worker: worker, workerCount: settings.workerCount)
            for index in share { listeners.append(try WorkerListener(group.sockets[index], of: group)) }
        }
    }

    var areListenersOpen: Bool { !listeners.isEmpty }

    mutating func startListening(_ poller: borrowing Poller, now: Int64) {
        acceptAgainAt = nil
        if !areListenersOpen || isAccepting { return }
        for index in listeners.indices {
            guard poller.addListener(listeners[index].listener.descriptor.number, token: UInt64(index)) else {
                for added in listeners[..<index] { poller.remove(added.listener.descriptor.number) }
                acceptAgainAt = now + Acceptor.pauseMilliseconds
                return
            }
        }
        isAccepting = true
    }

    mutating func stopListening(_ poller: borrowing Poller) {
        guard isAccepting else { return }
        for listener in listeners { poller.remove(listener.listener.descriptor.number) }
        isAccepting = false
    }

    /// Accepts the next connection of a listener.
    mutating func accept(
        from listener: Int, peer: inout SocketAddress, _ poller: borrowing Poller, now: Int64
    ) -> Listener.Acceptance {
        let acceptance = listeners[listener].listener.accept(peer: &peer)
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
    func count(_ remote: RemoteAddress, isTrustedProxy: Bool, inHandshake: Bool) -> UInt32? {
        guard !isTrustedProxy, let addressCounts else { return 0 }
        let weight = addressCounts.weight(inHandshake: inHandshake)
        return addressCounts.add(remote, weight: weight) ? weight : nil
    }

    /// Reduces the weight of a connection to `kept`.
    func release(_ remote: RemoteAddress, weight: UInt32, keeping kept: UInt32 = 0) {
        if weight > kept { addressCounts?.release(remote, weight: weight - kept) }
    }

    var hasRoomForHandshake: Bool { handshakeCount < handshakesMax }

    mutating func countHandshake(_ slot: Slot) { handshakes.insert(slot) }

    /// Counts a handshake as what its key costs. False when its address has too many.
    func weigh(_ slot: Slot, handshakeCost cost: Int) -> Bool {
        let counted = slot.connection.addressWeight
        guard let addressCounts, counted > 0 else { return true }
        let weight = addressCounts.weight(inHandshake: true, cost: cost)
        if weight <= counted { return true }
        guard addressCounts.add(slot.connection.remote, weight: weight - counted) else { return false }
        slot.connection.addressWeight = weight
        return true
    }

    /// Counts the end of a connection's handshake, whether it succeeded or not.
    mutating func endHandshake(_ slot: Slot) {
        handshakes.remove(slot)
        release(slot.connection.remote, weight: slot.connection.addressWeight, keeping: 1)
        slot.connection.addressWeight = min(slot.connection.addressWeight, 1)
    }

    /// Plans the steps of draining. Unless another server has taken over, connections are accepted for a while longer, because some may
    /// be on their way and a reset would look like a failure.
    mutating func beginDraining(isTakenOver: Bool, _ limits: Limits, now: Int64) {
        let deadline = now + limits.drainTimeoutMilliseconds
        drain = Drain(closeAt: min(deadline, now + limits.drainIdleMilliseconds), deadline: deadline)
        // Connections that the kernel holds back must be accepted before the listener closes, or they would be reset. Another server
        // that has taken over has the same sockets, with these options.
        if !isTakenOver { stopDeferring() }
    }

    func stopDeferring() { for listener in listeners { listener.listener.stopDeferring() } }

    mutating func closeListeners(_ poller: borrowing Poller) {
        stopListening(poller)
        listeners = []
    }

    /// The time of the listeners is over; connections that have only just come have until then.
    mutating func endClosing(sweepAt: Int64) {
        drain?.closeAt = nil
        drain?.sweepAt = sweepAt
    }

    mutating func endSweep() { drain?.sweepAt = nil }

    /// Whether the listeners are closed, and no connection is left or the drain time is over.
    func isFinished(connectionCount: Int, now: Int64) -> Bool {
        guard let drain, !areListenersOpen else { return false }
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
