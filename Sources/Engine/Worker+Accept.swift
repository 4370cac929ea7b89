// Taking connections in.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// Connections taken in one go, so that those already here get their turn.
    private static let acceptsPerRoundMax = 64
    /// How long nobody is let in after descriptors or memory have run out.
    private static let pauseMilliseconds: Int64 = 100

    mutating func listen() {
        for index in 0..<listeners.count {
            guard poller.addListener(listeners[index].descriptor.number, token: UInt64(index)) else {
                for added in 0..<index { poller.remove(listeners[added].descriptor.number) }
                acceptAgainAt = now + Worker.pauseMilliseconds
                return
            }
        }
        isAccepting = true
    }

    mutating func stopListening() {
        guard isAccepting else { return }
        for index in 0..<listeners.count { poller.remove(listeners[index].descriptor.number) }
        isAccepting = false
    }

    /// Takes some of the connections that wait. True when more may be waiting.
    @discardableResult
    mutating func accept(from listener: Int) -> Bool {
        var peer = SocketAddress.unknown
        for _ in 0..<Worker.acceptsPerRoundMax {
            switch listeners[listener].accept(peer: &peer) {
            case .accepted(let fd): admit(fd, from: RemoteAddress(peer), at: listener)
            case .lost: continue
            case .nobody: return false
            case .exhausted:
                // Without this pause the listener stays readable and the loop would spin.
                stopListening()
                acceptAgainAt = now + Worker.pauseMilliseconds
                return false
            }
        }
        return true
    }

    mutating func resumeAccepting() {
        acceptAgainAt = nil
        if areListenersOpen, !isAccepting { listen() }
    }

    /// The first bytes are usually here already (`TCP_DEFER_ACCEPT`), so a connection that serves one request is never
    /// made known to the poller.
    private mutating func admit(_ fd: Int32, from remote: RemoteAddress, at listener: Int) {
        let isSecure = listener >= plainListenerCount
        let isFront = isTrusted(remote)
        // Whoever else said whose connection it is could say what they like.
        if expectsProxyHeader[listener], !isFront { return refuse(fd, from: remote, .notFromFront, isSilent: true) }
        // First, so that an address that has enough takes no place from others. A front has the connections of many.
        var weight: UInt32 = 0
        if !isFront, let addressCounts {
            weight = addressCounts.weight(inHandshake: isSecure)
            guard addressCounts.admit(remote, weight: weight) else {
                return refuse(fd, from: remote, .tooManyFromAddress, isSilent: isSecure)
            }
        }
        if let reason = objection(isSecure: isSecure, startsHandshake: isSecure && !expectsProxyHeader[listener]) {
            addressCounts?.release(remote, weight: weight)
            return refuse(fd, from: remote, reason, isSilent: isSecure)
        }
        recorder.counters.add(to: .connectionsAccepted)
        let index = table.insert(fd: fd)
        let slot = table.slots + Int(index)
        slot.pointee.addressWeight = weight
        slot.pointee.remote = remote
        slot.pointee.isFront = isFront
        if expectsProxyHeader[listener] {
            slot.pointee.phase = .proxyHeader
            slot.pointee.isSecure = isSecure
            deadlines.set(.head, for: index, now: now, in: table.slots)
        } else if !isSecure {
            deadlines.set(.head, for: index, now: now, in: table.slots)
        } else if !beginHandshake(index) {
            return
        }
        receive(index)
        reckon(index)
    }

    /// Why there is no room for one more, although what could be done without is gone; nil when there is.
    private mutating func objection(isSecure: Bool, startsHandshake: Bool) -> AdmissionRefusal? {
        if startsHandshake, !makeRoomForHandshake() { return .tooManyHandshakes }
        return makeRoom(isSecure: isSecure) ? nil : .tooManyConnections
    }

    /// False when there is no memory for it, and the connection is gone.
    mutating func beginHandshake(_ index: Int32) -> Bool {
        let slot = table.slots + Int(index)
        slot.pointee.session = secure.makeSession()
        slot.pointee.phase = .handshake
        handshakeCount += 1
        deadlines.set(.hello, for: index, now: now, in: table.slots)
        if slot.pointee.session == nil { close(index, .error) }
        return slot.pointee.session != nil
    }

    /// The handshake of a connection is over, or will not come to its end.
    mutating func endHandshake(_ slot: UnsafeMutablePointer<Connection>) {
        handshakeCount -= 1
        guard slot.pointee.addressWeight > 1 else { return }
        addressCounts?.release(slot.pointee.remote, weight: slot.pointee.addressWeight - 1)
        slot.pointee.addressWeight = 1
    }

    /// A full house says so, at once and without waiting for the question. Saying it over TLS would take a handshake, which
    /// is what there is too much of.
    private mutating func refuse(
        _ fd: Int32, from remote: RemoteAddress, _ reason: AdmissionRefusal, isSilent: Bool
    ) {
        recorder.counters.add(to: .connectionsRefused(reason))
        if !isSilent {
            exchanges.append(Exchange(from: remote, at: roundBeganMicroseconds))
            append(Response(status: .serviceUnavailable, closes: true))
            // Closing with the question unread would send a reset, which can overtake the answer (RFC 9112 §9.6).
            _ = Posix.receive(fd, into: records)
            if case .moved(let count) = transmit(fd, output.bytes) { recorder.counters.add(count, to: .bytesSent) }
            output.clear()
            finishExchanges(nil)
        }
        closeDescriptor(fd)
    }
}
