// From answers to sent bytes, and what becomes of the connection then.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// Sends what is in the output, and a body of the catalogue's behind it. False when not everything could be sent now
    /// (the rest goes on when the client reads) or the connection is gone.
    mutating func flush(_ slot: Slot, body: Body = .none, owner: Unmanaged<Catalogue>? = nil) -> Bool {
        let isSent = send(slot, body, owner ?? catalogue.owner)
        accounting.settle(slot, isSent: isSent)
        return isSent
    }

    /// Sends what is in the output, and a body in several parts behind it, as `flush` does one in one. The end of the last
    /// part is left in the output.
    mutating func flush(_ slot: Slot, parts: Multipart, owner: Unmanaged<Catalogue>) -> Bool {
        var parts = parts
        while let body = writer.writeNext(of: &parts), body.count > 0 {
            if send(slot, body, owner) { continue }
            slot.pointee.outgoing?.append(parts, owner: owner)
            accounting.settle(slot, isSent: false)
            return false
        }
        return true
    }

    private mutating func send(_ slot: Slot, _ body: Body, _ owner: Unmanaged<Catalogue>) -> Bool {
        guard let (ready, body) = prepare(slot, body, isLast: true) else { return false }
        if ready.count + body.count == 0 { return true }
        guard let sent = sentCount(slot.pointee.transport.send(slot.pointee.fd, ready, body), slot) else {
            return false
        }
        if sent < ready.count + body.count {
            keepUnsent(slot, ready, body, owner, sent: sent)
            clearOutput(slot)
            // There is more than could be offered to the kernel at once.
            return sent == ready.count && sendUnsent(slot)
        }
        clearOutput(slot)
        return true
    }

    /// What is ready to be sent, and the body behind it: the output, or the records that are made of it and of the first
    /// bytes of the body. Nil when the session is broken, and the connection closed here.
    private mutating func prepare(_ slot: Slot, _ body: Body, isLast: Bool) -> (UnsafeRawBufferPointer, Body)? {
        guard let session = slot.pointee.session else { return (writer.output.bytes, body) }
        guard let rest = layer.seal(session, &writer, body) else {
            close(slot, .error)
            return nil
        }
        // The end is announced with the last bytes before it.
        if isLast, rest.count == 0, slot.pointee.ending != .none { session.finish(layer.context) }
        return (layer.context.output, rest)
    }

    private mutating func clearOutput(_ slot: Slot) {
        writer.clear()
        if slot.pointee.session != nil { layer.context.clearOutput() }
    }

    /// How many bytes are on their way; nil when the connection is gone, and closed here.
    private mutating func sentCount(_ outcome: Transfer, _ slot: Slot) -> Int? {
        switch outcome {
        case .moved(let count):
            accounting.counters.add(count, to: .bytesSent)
            return count
        case .wouldBlock: return 0
        case .ended, .failed:
            // A file that has become shorter ends here too: the client sees that its answer is not whole.
            close(slot, .error)
            return nil
        }
    }

    /// Keeps what could not be sent until the client reads.
    private mutating func keepUnsent(
        _ slot: Slot, _ ready: UnsafeRawBufferPointer, _ body: Body, _ owner: Unmanaged<Catalogue>, sent: Int
    ) {
        var rest = (
            copied: UnsafeRawBufferPointer(rebasing: ready[min(sent, ready.count)...]),
            body: body.dropping(max(0, sent - ready.count))
        )
        // A copy of the catalogue's in the output need not be copied again.
        if case .plain = slot.pointee.transport, body.count == 0 { rest = writer.output.rest(from: sent) }
        slot.pointee.outgoing = Outgoing(rest.copied, body: rest.body, owner: owner)
        slot.pointee.progress = 0
        table.deadlines.set(.write, slot, now: now)
        watch(slot, for: .writable)
    }

    /// Sends what was kept, as far as the client takes it. True when all of it is on its way.
    private mutating func sendUnsent(_ slot: Slot) -> Bool {
        var turn = 0
        while let outgoing = slot.pointee.outgoing, turn < Transport.bytesPerTurnMax {
            if outgoing.head.isEmpty, slot.pointee.session != nil {
                guard refill(slot, outgoing.body, isLast: outgoing.isLast) else { return false }
                continue
            }
            let outcome = slot.pointee.transport.send(slot.pointee.fd, outgoing.head, outgoing.body)
            guard let count = sentCount(outcome, slot), count > 0 else { return false }
            turn += count
            slot.pointee.progress += count
            slot.pointee.outgoing?.advance(count)
            if slot.pointee.outgoing?.count == 0 {
                // The next part of a body in several.
                if let part = slot.pointee.outgoing?.writeNextPart(into: &writer) {
                    guard refill(slot, part, isLast: part.count == 0) else { return false }
                } else {
                    slot.pointee.outgoing?.release()
                    slot.pointee.outgoing = nil
                }
            }
        }
        return slot.pointee.outgoing == nil
    }

    /// Puts what is in the output, and a body behind it, in place of what has been sent.
    private mutating func refill(_ slot: Slot, _ body: Body, isLast: Bool) -> Bool {
        guard let (ready, rest) = prepare(slot, body, isLast: isLast) else { return false }
        slot.pointee.outgoing?.refill(ready, body: rest)
        clearOutput(slot)
        return true
    }

    /// The client takes more: sends what is left, and goes on where the connection stopped.
    mutating func resumeSending(_ slot: Slot) {
        guard sendUnsent(slot) else { return }
        accounting.resume(slot)
        accounting.finish(slot.pointee.session)
        accounting.hold(for: slot)
        if slot.pointee.held.count > 0, slot.pointee.ending == .none {
            processHeld(slot, andReceived: 0)
        } else {
            writer.clear()
            finishTurn(slot, unused: 0..<0)
        }
    }

    /// Ends a turn for a connection: sends the answers, keeps what is unused of the input, and waits for what comes next.
    mutating func finishTurn(_ slot: Slot, unused: Range<Int>) {
        if slot.pointee.ending == .close, !unused.isEmpty { slot.pointee.ending = .linger }
        if slot.pointee.ending == .none, slot.pointee.hasEnded {
            slot.pointee.ending = .close
            slot.pointee.closeReason = .client
        }
        if slot.pointee.ending == .none { holdInput(slot, unused) }
        guard flush(slot) else { return }
        // A request whose body is still to come.
        accounting.hold(for: slot)
        switch slot.pointee.ending {
        case .close: close(slot, .finished)
        case .linger: linger(slot)
        case .none:
            if case .idle = slot.pointee.phase, let drain = acceptor.drain, drain.closeAt == nil {
                return closeGracefully(slot, .drained)
            }
            armDeadline(slot)
            watch(slot, for: .readable)
        }
    }

    /// Keeps the bytes of the input that are not used yet, unless the connection is gone.
    func holdInput(_ slot: Slot, _ unused: Range<Int>) {
        guard slot.pointee.fd >= 0, slot.pointee.ending == .none else { return }
        slot.pointee.held = HeldBytes(copying: UnsafeRawBufferPointer(rebasing: input[unused]))
    }

    /// A head and a body have one deadline each, however often something of them comes.
    private mutating func armDeadline(_ slot: Slot) {
        let kind: DeadlineKind =
            switch slot.pointee.phase {
            case .handshake, .certificate: .handshake
            case .idle: .idle
            case .proxyHeader, .head, .challenge: .head
            case .body: .body
            case .lingering: .linger
            }
        // A client that sends requests without a pause may always be in the middle of one, but of another each time.
        let isOfSameRequest = slot.pointee.deadlineRequestCount == slot.pointee.requestCount
        if kind != .idle, slot.pointee.deadline.kind == kind, isOfSameRequest { return }
        slot.pointee.progress = 0
        slot.pointee.untakenBytes = 0
        slot.pointee.deadlineRequestCount = slot.pointee.requestCount
        table.deadlines.set(kind, slot, now: now)
    }

    /// Closes our direction and reads on for a while: closing both with bytes unread would make the kernel send a reset,
    /// which can overtake the answer (RFC 9112 §9.6).
    mutating func linger(_ slot: Slot) {
        slot.pointee.held.release()
        slot.pointee.phase = .lingering
        slot.pointee.untakenBytes = 0
        finishSending(slot.pointee.fd)
        table.deadlines.set(.linger, slot, now: now)
        watch(slot, for: .readable)
    }

    /// Makes the poller wait for something, if it does not already.
    mutating func watch(_ slot: Slot, for interest: Poller.Interest) {
        guard slot.pointee.interest != interest else { return }
        if slot.pointee.interest == nil {
            // A connection that the kernel has no room for is heard of no more; its deadline ends it.
            guard poller.add(slot.pointee.fd, interest, token: table.token(slot)) else { return }
        } else {
            poller.change(slot.pointee.fd, interest, token: table.token(slot))
        }
        slot.pointee.interest = interest
    }

    /// Makes the poller leave a connection alone until it is waited for again.
    mutating func stopWatching(_ slot: Slot) {
        guard slot.pointee.interest != nil else { return }
        poller.remove(slot.pointee.fd)
        slot.pointee.interest = nil
    }

    /// Ends a connection on which nothing is under way.
    mutating func closeGracefully(_ slot: Slot, _ reason: CloseReason) {
        slot.pointee.closeReason = reason
        slot.pointee.ending = .close
        writer.clear()
        finishTurn(slot, unused: 0..<0)
    }

    /// Ends a connection and gives back all that it has. `reason` counts where none was settled before.
    mutating func close(_ slot: Slot, _ reason: CloseReason) {
        accounting.counters.add(to: .connectionsClosed(slot.pointee.closeReason ?? reason))
        accounting.abandon(slot, unsentBytes: slot.pointee.outgoing?.unsentCount(writer) ?? Int.max)
        switch slot.pointee.phase {
        case .handshake, .certificate: endHandshake(slot, HandshakeOutcome(reason))
        case .proxyHeader, .idle, .head, .body, .challenge, .lingering: break
        }
        slot.pointee.session?.end()
        // What was made for this client must never reach the next one.
        clearOutput(slot)
        slot.pointee.transport = .plain
        slot.pointee.leaveBody()
        slot.pointee.held.release()
        slot.pointee.outgoing?.release()
        slot.pointee.outgoing = nil
        acceptor.release(slot.pointee.remote, weight: slot.pointee.addressWeight)
        closeDescriptor(slot.pointee.fd)
        table.remove(slot)
    }
}
