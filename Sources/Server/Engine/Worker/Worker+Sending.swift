// Sends the answers, and decides how the connection continues.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// Sends the output, and a body of the catalogue after it. False when not everything could be sent now (the rest is sent when
    /// the client reads) or the connection is gone.
    mutating func flush(_ slot: Slot, body: Body = .none, owner: Unmanaged<Catalogue>? = nil) -> Bool {
        let isSent = unsafe sendOrKeep(slot, body, owner ?? catalogue.owner)
        accounting.finishOrHold(slot, isSent: isSent)
        return isSent
    }

    /// Sends the output and a body after it, and keeps what the kernel does not take.
    private mutating func sendOrKeep(_ slot: Slot, _ body: Body, _ owner: Unmanaged<Catalogue>) -> Bool {
        guard let (ready, body) = unsafe encryptIfSecure(slot, body) else { return false }
        if ready.count + body.count == 0 { return true }
        guard let sent = unsafe send(slot, ready, body) else { return false }
        if sent < ready.count + body.count {
            unsafe keepUnsent(slot, ready, body, owner, sent: sent)
            clearOutput(slot)
            // Everything that was offered to the kernel is sent, so it may accept more.
            return sent == ready.count && sendKept(slot)
        }
        clearOutput(slot)
        return true
    }

    /// The bytes to send, and the rest of the body: with TLS the output and the first bytes of the body are encrypted. Nil when
    /// the session is broken; the connection is closed then.
    private mutating func encryptIfSecure(_ slot: Slot, _ body: Body) -> (UnsafeRawBufferPointer, Body)? {
        guard let session = slot.connection.session else { return unsafe (writer.output.bytes, body) }
        guard let rest = layer.encrypt(session, &writer, body) else {
            close(slot, .error)
            return nil
        }
        // The end of the session is announced together with the last bytes.
        if rest.count == 0, slot.connection.ending != .none { session.finish(layer.context) }
        return unsafe (layer.context.output, rest)
    }

    private mutating func clearOutput(_ slot: Slot) {
        writer.clear()
        if slot.connection.session != nil { layer.context.clearOutput() }
    }

    /// Returns the number of bytes that were sent; nil when the connection is broken, which is closed then.
    private mutating func send(_ slot: Slot, _ ready: UnsafeRawBufferPointer, _ body: Body) -> Int? {
        switch unsafe slot.connection.transport.send(slot.connection.fd, ready, body) {
        case .moved(let count):
            accounting.counters.add(count, to: .bytesSent)
            return count
        case .wouldBlock: return 0
        case .ended, .failed:
            // Also when a file has become shorter: the client notices that the answer is incomplete.
            close(slot, .error)
            return nil
        }
    }

    /// Keeps unsent bytes until the client reads.
    private mutating func keepUnsent(
        _ slot: Slot, _ ready: UnsafeRawBufferPointer, _ body: Body, _ owner: Unmanaged<Catalogue>, sent: Int
    ) {
        var rest = unsafe (
            copied: UnsafeRawBufferPointer(rebasing: ready[min(sent, ready.count)...]),
            body: body.dropping(max(0, sent - ready.count))
        )
        // A body that was copied from the catalogue need not be copied again.
        if slot.connection.session == nil, body.count == 0 { unsafe rest = writer.output.rest(from: sent) }
        unsafe slot.connection.outgoing = Outgoing(rest.copied, body: rest.body, owner: owner)
        slot.connection.progress = 0
        table.deadlines.set(.write, slot, now: now)
        watch(slot, for: .writable)
    }

    /// Sends kept bytes as far as the kernel accepts them. True when all are sent.
    private mutating func sendKept(_ slot: Slot) -> Bool {
        var turn = 0
        while let outgoing = slot.connection.outgoing, turn < Transport.bytesPerTurnMax {
            if unsafe outgoing.head.isEmpty, slot.connection.session != nil {
                guard refill(slot, outgoing.body) else { return false }
                continue
            }
            guard let count = unsafe send(slot, outgoing.head, outgoing.body), count > 0 else { return false }
            turn += count
            slot.connection.progress += count
            slot.connection.outgoing?.advance(count)
            if slot.connection.outgoing?.count == 0 {
                slot.connection.outgoing?.release()
                slot.connection.outgoing = nil
            }
        }
        return slot.connection.outgoing == nil
    }

    /// Replaces sent bytes with the output and a body after it.
    private mutating func refill(_ slot: Slot, _ body: Body) -> Bool {
        guard let (ready, rest) = unsafe encryptIfSecure(slot, body) else { return false }
        unsafe slot.connection.outgoing?.refill(ready, body: rest)
        clearOutput(slot)
        return true
    }

    /// Sends the rest when the kernel accepts more, then continues where the connection stopped.
    mutating func resumeSending(_ slot: Slot) {
        guard sendKept(slot) else { return }
        accounting.resumeExchanges(of: slot)
        accounting.recordAnswered(slot.connection.session)
        accounting.holdExchanges(of: slot)
        if slot.connection.held.count > 0, slot.connection.ending == .none {
            processInput(slot, receivedCount: 0)
        } else {
            writer.clear()
            finishTurn(slot, unused: 0..<0)
        }
    }

    /// Ends a connection's turn: sends the answers, holds unused input, and waits for the next event.
    mutating func finishTurn(_ slot: Slot, unused: Range<Int>) {
        if slot.connection.ending == .none, slot.connection.hasEnded {
            slot.connection.ending = .close
            slot.connection.closeReason = .client
        }
        if slot.connection.ending == .none { holdInput(slot, unused) }
        guard unsafe flush(slot) else { return }
        // A request whose body has not arrived yet.
        accounting.holdExchanges(of: slot)
        switch slot.connection.ending {
        case .close: close(slot, .finished)
        case .linger: linger(slot)
        case .none:
            if case .idle = slot.connection.phase, let drain = acceptor.drain, drain.closeAt == nil {
                return closeGracefully(slot, .drained)
            }
            armDeadline(slot)
            watch(slot, for: .readable)
        }
    }

    /// Copies unused bytes of the input, unless the connection is gone.
    func holdInput(_ slot: Slot, _ unused: Range<Int>) {
        guard slot.connection.fd >= 0, slot.connection.ending == .none else { return }
        unsafe slot.connection.held = HeldBytes(copying: UnsafeRawBufferPointer(rebasing: input[unused]))
    }

    /// Sets the deadline for what is received next. A head or a body keeps its deadline when a part of it arrives.
    private mutating func armDeadline(_ slot: Slot) {
        let kind: DeadlineKind =
            switch slot.connection.phase {
            case .handshake, .certificate: .handshake
            case .idle: .idle
            case .proxyHeader, .head, .challenge: .head
            case .body: .body
            case .lingering: .linger
            }
        // A client that pipelines requests may be in the middle of one at every turn, but each one gets its own deadline.
        let isOfSameRequest = slot.connection.deadlineRequestCount == slot.connection.requestCount
        if kind != .idle, slot.connection.deadline.kind == kind, isOfSameRequest { return }
        slot.connection.progress = 0
        slot.connection.untakenBytes = 0
        slot.connection.deadlineRequestCount = slot.connection.requestCount
        table.deadlines.set(kind, slot, now: now)
    }

    /// Closes the sending direction and continues to read for a while: closing with unread bytes would make the kernel send a
    /// reset, which can overtake the answer (RFC 9112 §9.6).
    mutating func linger(_ slot: Slot) {
        slot.connection.held.release()
        slot.connection.phase = .lingering
        slot.connection.untakenBytes = 0
        finishSending(slot.connection.fd)
        table.deadlines.set(.linger, slot, now: now)
        watch(slot, for: .readable)
    }

    /// Registers a connection with the poller.
    mutating func watch(_ slot: Slot, for interest: Poller.Interest) {
        guard slot.connection.interest != interest else { return }
        if slot.connection.interest == nil {
            // If the kernel has no room, the connection gets no events and ends at its deadline.
            guard poller.add(slot.connection.fd, interest, token: table.token(slot)) else { return }
        } else {
            poller.change(slot.connection.fd, interest, token: table.token(slot))
        }
        slot.connection.interest = interest
    }

    /// Removes a connection from the poller.
    mutating func stopWatching(_ slot: Slot) {
        guard slot.connection.interest != nil else { return }
        poller.remove(slot.connection.fd)
        slot.connection.interest = nil
    }

    /// Ends a connection that has no unanswered request, or only a part of one.
    mutating func closeGracefully(_ slot: Slot, _ reason: CloseReason) {
        slot.connection.closeReason = reason
        slot.connection.ending = .close
        writer.clear()
        finishTurn(slot, unused: 0..<0)
    }

    /// Closes a connection and releases everything it has. `reason` is counted if none was decided before.
    mutating func close(_ slot: Slot, _ reason: CloseReason) {
        accounting.counters.add(to: .connectionsClosed(slot.connection.closeReason ?? reason))
        accounting.abandonExchanges(of: slot, unsentBytes: slot.connection.outgoing?.count ?? Int.max)
        forgetQuestion(slot)
        switch slot.connection.phase {
        case .certificate:
            let token = table.token(slot)
            turns.removeAll { $0.token == token }
            endHandshake(slot, HandshakeOutcome(reason))
        case .handshake: endHandshake(slot, HandshakeOutcome(reason))
        case .proxyHeader, .idle, .head, .body, .challenge, .lingering: break
        }
        slot.connection.session?.end()
        // Output for this client must never reach the next one.
        clearOutput(slot)
        slot.connection.transport = .plain
        slot.connection.leaveBody()
        slot.connection.held.release()
        slot.connection.outgoing?.release()
        slot.connection.outgoing = nil
        acceptor.release(slot.connection.remote, weight: slot.connection.addressWeight)
        closeDescriptor(slot.connection.fd)
        table.remove(slot)
    }
}
