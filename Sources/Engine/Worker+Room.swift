// What happens when there is no more room: for connections, for handshakes, for what connections hold in memory. The kind of
// connection that takes most of it gives up its oldest, so a client that says what it wants gets in beside any number that
// are silent, and no flood ends connections of another kind than its own.

import HTTP
import Telemetry

extension Worker {
    /// Makes room for one more connection. False when all are busy.
    mutating func makeRoom(isSecure: Bool) -> Bool {
        if table.isFull {
            guard let index = dispensable else { return false }
            evict(index)
        }
        let bytes = Limits.connectionBytes + (isSecure ? Limits.handshakeBytes : 0)
        while heldBytes + bytes > heldBytesMax, let index = heaviest { evict(index) }
        return true
    }

    /// Makes room for one more handshake: the oldest without a whole first message goes, else the oldest.
    mutating func makeRoomForHandshake() -> Bool {
        if handshakeCount < handshakesMax { return true }
        guard let index = deadlines.oldest(.hello) ?? deadlines.oldest(.handshake) else { return false }
        evict(index)
        return true
    }

    /// Reckons what a connection holds at the end of its turn, and makes room where that is too much for all together.
    /// Whatever clients do, what they hold together is bounded here.
    mutating func reckon(_ index: Int32) {
        let slot = table.slots + Int(index)
        guard slot.pointee.fd >= 0 else { return }
        let bytes = slot.pointee.heldBytes
        heldBytes += bytes - slot.pointee.reckonedBytes
        slot.pointee.reckonedBytes = bytes
        while heldBytes > heldBytesMax, let index = heaviest { evict(index) }
    }

    /// The connection to do without: of those that have not said yet what they want, or of those between two requests,
    /// whichever are more.
    private var dispensable: Int32? {
        let unheard = deadlines.count(.hello) + deadlines.count(.handshake) + deadlines.count(.head)
        let heard = deadlines.count(.idle) + deadlines.count(.linger)
        if unheard == 0 || unheard < heard { return deadlines.oldest(.idle) ?? deadlines.oldest(.linger) }
        guard let hello = deadlines.oldest(.hello) else {
            return deadlines.oldest(.head) ?? deadlines.oldest(.handshake)
        }
        guard let head = deadlines.oldest(.head) else { return hello }
        let isHelloOlder = deadlines.start(of: hello, in: table.slots) <= deadlines.start(of: head, in: table.slots)
        return isHelloOlder ? hello : head
    }

    /// The oldest of the kind that holds most, as far as its oldest is like the others.
    private var heaviest: Int32? {
        var (heaviest, most): (Int32?, Int) = (nil, 0)
        for kind in DeadlineKind.allCases {
            guard let index = deadlines.oldest(kind) else { continue }
            let bytes = deadlines.count(kind) * table.slots[Int(index)].reckonedBytes
            if bytes > most { (heaviest, most) = (index, bytes) }
        }
        return heaviest
    }

    private mutating func evict(_ index: Int32) {
        if table.slots[Int(index)].deadline.kind == .idle { closeGracefully(index, .evicted) }
        // An end that cannot be announced at once is not announced.
        if table.slots[Int(index)].fd >= 0 { close(index, .evicted) }
    }
}
