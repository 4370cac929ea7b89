// Taking connections in, and stopping to.

import Catalogue
import HTTP
import Posix
import TLS

extension Worker {
    /// Connections taken in one go, so that those already here get their turn.
    private static let acceptsPerRoundMax = 64

    mutating func listen() {
        for index in 0..<listeners.count {
            poller.add(listeners[index].descriptor.number, .readable, token: UInt64(index))
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
                acceptAgainAt = now + 100
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
        for index in 0..<listeners.count { listeners[index].leadElsewhere(past: settings.workerCount) }
    }

    /// Takes those who came until now, and closes the listeners and the connections between requests.
    mutating func endAccepting() {
        idleDrainDeadline = nil
        for index in 0..<listeners.count {
            while accept(from: index) {}
        }
        stopListening()
        for index in 0..<listeners.count { (listeners.baseAddress! + index).deinitialize(count: 1) }
        areListenersOpen = false
        for index in 0..<Int32(table.slotCount) where table.slots[Int(index)].fd >= 0 {
            guard case .idle = table.slots[Int(index)].phase, table.slots[Int(index)].outgoing == nil else { continue }
            closeGracefully(index)
        }
    }

    var isFinished: Bool {
        guard let drainDeadline, idleDrainDeadline == nil else { return false }
        return table.count == 0 || now >= drainDeadline
    }

    mutating func closeAll() {
        for index in 0..<Int32(table.slotCount) where table.slots[Int(index)].fd >= 0 { close(index) }
    }
}
