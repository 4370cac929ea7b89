// Taking connections in, and stopping to.

import Catalogue
import HTTP
import Posix

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

    mutating func accept(from listener: Int) {
        var peer = SocketAddress.unknown
        for _ in 0..<Worker.acceptsPerRoundMax {
            switch listeners[listener].accept(peer: &peer) {
            case .accepted(let fd): admit(fd, from: peer)
            case .lost: continue
            case .nobody: return
            case .exhausted:
                // Without this pause the listener stays readable and the loop would spin.
                stopListening()
                acceptAgainAt = now + 100
                return
            }
        }
    }

    mutating func resumeAccepting() {
        acceptAgainAt = nil
        if drainDeadline == nil, !isAccepting { listen() }
    }

    /// The first bytes are usually here already (`TCP_DEFER_ACCEPT`), so a connection that serves one request is never
    /// made known to the poller.
    private mutating func admit(_ fd: Int32, from peer: borrowing SocketAddress) {
        if table.isFull { return refuse(fd) }
        var addressSlot: Int32 = -1
        switch addressCounts?.admit(peer) ?? .notCounted {
        case .counted(let slot): addressSlot = slot
        case .notCounted: break
        case .tooMany: return refuse(fd)
        }
        let index = table.insert(fd: fd)
        table.slots[Int(index)].addressSlot = addressSlot
        deadlines.set(.head, for: index, now: now, in: table.slots)
        receive(index)
    }

    /// A full house says so, at once and without waiting for the question.
    private mutating func refuse(_ fd: Int32) {
        output.clear()
        append(Response(status: .serviceUnavailable, closes: true))
        _ = transmit(fd, output.bytes)
        closeDescriptor(fd)
    }

    mutating func beginDraining() {
        for listener in 0..<listeners.count { accept(from: listener) }
        stopListening()
        acceptAgainAt = nil
        drainDeadline = now + limits.drainTimeoutMilliseconds
        idleDrainDeadline = now + min(limits.drainIdleMilliseconds, limits.drainTimeoutMilliseconds)
    }

    /// Closes the connections between requests. They had a while, because a request may already be on its way, and closing
    /// then would look like a failure to the client.
    mutating func closeIdleConnections() {
        idleDrainDeadline = nil
        for index in 0..<Int32(table.slotCount) where table.slots[Int(index)].fd >= 0 {
            guard case .idle = table.slots[Int(index)].phase, table.slots[Int(index)].outgoing == nil else { continue }
            close(index)
        }
    }

    var isFinished: Bool {
        guard let drainDeadline else { return false }
        return table.count == 0 || now >= drainDeadline
    }

    mutating func closeAll() {
        for index in 0..<Int32(table.slotCount) where table.slots[Int(index)].fd >= 0 { close(index) }
    }
}
