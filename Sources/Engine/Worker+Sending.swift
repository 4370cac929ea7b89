// From answers to sent bytes, and what becomes of the connection then.

import Catalogue
import HTTP
import Posix

extension Worker {
    /// Sends what is in the output, and a body behind it. False when not everything could be sent now (the rest is kept and
    /// goes on when the client reads) or the connection is gone.
    mutating func flush(
        _ index: Int32, body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        owner: Unmanaged<Catalogue>? = nil
    ) -> Bool {
        let slot = table.slots + Int(index)
        let total = output.count + body.count
        guard total > 0 else { return true }
        let outcome =
            body.isEmpty ? transmit(slot.pointee.fd, output.bytes) : transmit(slot.pointee.fd, output.bytes, body)
        var sent = 0
        switch outcome {
        case .moved(let count): sent = count
        case .wouldBlock: break
        case .ended, .failed:
            output.clear()
            close(index)
            return false
        }
        if sent < total {
            slot.pointee.outgoing = Outgoing(output.bytes, body: body, owner: owner ?? self.owner, sent: sent)
            deadlines.set(.write, for: index, now: now, in: table.slots)
            wait(index, for: .writable)
        }
        output.clear()
        return sent == total
    }

    /// The client takes more: sends what is left, and goes on where the connection stopped.
    mutating func resumeSending(_ index: Int32) {
        let slot = table.slots + Int(index)
        while let outgoing = slot.pointee.outgoing {
            let outcome =
                outgoing.head.isEmpty
                ? transmit(slot.pointee.fd, outgoing.body) : transmit(slot.pointee.fd, outgoing.head, outgoing.body)
            switch outcome {
            case .moved(let count):
                slot.pointee.outgoing?.advance(count)
                if outgoing.count > count { continue }
                slot.pointee.outgoing?.release()
                slot.pointee.outgoing = nil
            case .wouldBlock: return
            case .ended, .failed: return close(index)
            }
        }
        if slot.pointee.held.count > 0, slot.pointee.ending == .none {
            processHeld(index, andReceived: 0)
        } else {
            output.clear()
            settle(index, unused: 0..<0)
        }
    }

    /// Ends a round for a connection: sends the answers, keeps what is unused of the input, and waits for what comes next.
    mutating func settle(_ index: Int32, unused: Range<Int>) {
        let slot = table.slots + Int(index)
        if slot.pointee.ending == .close, !unused.isEmpty { slot.pointee.ending = .linger }
        if slot.pointee.ending == .none { hold(index, unused) }
        guard flush(index) else { return }
        switch slot.pointee.ending {
        case .close: close(index)
        case .linger: linger(index)
        case .none:
            if case .idle = slot.pointee.phase, drainDeadline != nil { return close(index) }
            armDeadline(slot.pointee.phase, index)
            wait(index, for: .readable)
        }
    }

    /// Keeps the bytes of the input that are not used yet, unless the connection is gone.
    func hold(_ index: Int32, _ unused: Range<Int>) {
        let slot = table.slots + Int(index)
        guard slot.pointee.fd >= 0, slot.pointee.ending == .none else { return }
        slot.pointee.held = HeldBytes(copying: UnsafeRawBufferPointer(rebasing: input[unused]))
    }

    /// A head and a body have one deadline each, however often something of them comes.
    private mutating func armDeadline(_ phase: Connection.Phase, _ index: Int32) {
        let kind: DeadlineKind =
            switch phase {
            case .idle: .idle
            case .head: .head
            case .body: .body
            case .lingering: .linger
            }
        if kind == .idle || table.slots[Int(index)].deadline.kind != kind {
            deadlines.set(kind, for: index, now: now, in: table.slots)
        }
    }

    /// Closes our direction and reads on for a while: closing both with bytes unread would make the kernel send a reset,
    /// which can overtake the answer (RFC 9112 §9.6).
    private mutating func linger(_ index: Int32) {
        let slot = table.slots + Int(index)
        slot.pointee.held.release()
        slot.pointee.phase = .lingering
        finishSending(slot.pointee.fd)
        deadlines.set(.linger, for: index, now: now, in: table.slots)
        wait(index, for: .readable)
    }

    /// Makes the poller wait for something, if it does not already.
    mutating func wait(_ index: Int32, for interest: Poller.Interest) {
        let slot = table.slots + Int(index)
        guard slot.pointee.interest != interest else { return }
        if slot.pointee.interest == nil {
            poller.add(slot.pointee.fd, interest, token: table.token(index))
        } else {
            poller.change(slot.pointee.fd, interest, token: table.token(index))
        }
        slot.pointee.interest = interest
    }

    /// Ends a connection and gives back all that it has.
    mutating func close(_ index: Int32) {
        let slot = table.slots + Int(index)
        deadlines.remove(index, in: table.slots)
        leaveBody(slot)
        slot.pointee.held.release()
        slot.pointee.outgoing?.release()
        slot.pointee.outgoing = nil
        closeDescriptor(slot.pointee.fd)
        table.remove(index)
    }

    /// Lets go of the catalogue that an unfinished request's answer is in.
    func leaveBody(_ slot: UnsafeMutablePointer<Connection>) {
        guard case .body(_, _, let catalogue) = slot.pointee.phase else { return }
        slot.pointee.phase = .idle
        catalogue.release()
    }
}
