// Taking connections in, and stopping to.

import Catalogue
import HTTP
import Posix
import TLS

extension Worker {
    /// Connections taken in one go, so that those already here get their turn.
    private static let acceptsPerRoundMax = 64
    /// How long nobody is let in after descriptors or memory have run out.
    private static let pauseMilliseconds: Int64 = 100
    /// Rounds of accepting at the end: a full backlog, and not a flood without end.
    private static let lastRoundsMax = 128

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

    private mutating func stopListening() {
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
        if drainDeadline == nil, !isAccepting { listen() }
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

    /// Goes on accepting for a while: connections may be on their way, and resetting them would look like a failure. Where
    /// another process shares the port, new ones are led there from now on.
    mutating func beginDraining() {
        acceptAgainAt = nil
        drainDeadline = now + limits.drainTimeoutMilliseconds
        idleDrainDeadline = now + min(limits.drainIdleMilliseconds, limits.drainTimeoutMilliseconds)
        for index in 0..<listeners.count {
            listeners[index].lead(to: control.lead(of: index))
            // Who is silent shall show itself before the listener closes, or it would be reset at its first byte.
            listeners[index].stopDeferring()
        }
    }

    /// Puts an end to what an earlier process has told the kernel.
    func standAlone() {
        guard areListenersOpen, drainDeadline == nil else { return }
        for index in 0..<listeners.count { listeners[index].leadNowhere() }
    }

    /// Takes those who came until now, and closes the listeners and the connections between requests.
    mutating func endAccepting() {
        idleDrainDeadline = nil
        for index in 0..<listeners.count {
            var rounds = 0
            while rounds < Worker.lastRoundsMax, accept(from: index) { rounds += 1 }
        }
        stopListening()
        for index in 0..<listeners.count { (listeners.baseAddress! + index).deinitialize(count: 1) }
        areListenersOpen = false
        for index in 0..<Int32(table.slotCount) where table.slots[Int(index)].fd >= 0 {
            guard isBetweenRequests(index) else { continue }
            // A request may have come in this very moment; its answer then ends the connection.
            receive(index)
            if table.slots[Int(index)].fd >= 0, isBetweenRequests(index) { closeGracefully(index) }
        }
    }

    private func isBetweenRequests(_ index: Int32) -> Bool {
        guard case .idle = table.slots[Int(index)].phase else { return false }
        return table.slots[Int(index)].outgoing == nil
    }

    var isFinished: Bool {
        guard let drainDeadline, idleDrainDeadline == nil else { return false }
        return table.count == 0 || now >= drainDeadline
    }

    mutating func closeAll() {
        for index in 0..<Int32(table.slotCount) where table.slots[Int(index)].fd >= 0 { close(index) }
    }
}
