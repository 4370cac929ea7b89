// Taking connections in.

import Catalogue
import HTTP
import Posix
import TLS

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
            case .accepted(let fd): admit(fd, from: peer, isSecure: listener >= plainListenerCount)
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
        if drain == nil, !isAccepting { listen() }
    }

    /// The first bytes are usually here already (`TCP_DEFER_ACCEPT`), so a connection that serves one request is never
    /// made known to the poller.
    private mutating func admit(_ fd: Int32, from peer: borrowing SocketAddress, isSecure: Bool) {
        if table.isFull || isSecure && handshakeCount >= handshakesMax { return refuse(fd, isSecure: isSecure) }
        var addressSlot: Int32 = -1
        switch addressCounts?.admit(peer) ?? .notCounted {
        case .counted(let slot): addressSlot = slot
        case .notCounted: break
        case .tooMany: return refuse(fd, isSecure: isSecure)
        }
        let index = table.insert(fd: fd)
        let slot = table.slots + Int(index)
        slot.pointee.addressSlot = addressSlot
        if isSecure {
            slot.pointee.session = secure.makeSession()
            slot.pointee.phase = .handshake
            handshakeCount += 1
            if slot.pointee.session == nil { return close(index) }
        }
        deadlines.set(isSecure ? .handshake : .head, for: index, now: now, in: table.slots)
        receive(index)
    }

    /// A full house says so, at once and without waiting for the question.
    private mutating func refuse(_ fd: Int32, isSecure: Bool) {
        // Saying it over TLS would take a handshake, which is what there is too much of.
        if !isSecure {
            output.clear()
            append(Response(status: .serviceUnavailable, closes: true))
            // Closing with the question unread would send a reset, which can overtake the answer (RFC 9112 §9.6).
            _ = Posix.receive(fd, into: records)
            _ = transmit(fd, output.bytes)
        }
        closeDescriptor(fd)
    }
}
