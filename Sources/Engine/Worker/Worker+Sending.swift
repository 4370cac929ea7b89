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
        unsafe accounting.finishOrHold(slot, isSent: isSent)
        return isSent
    }

    /// Sends the output and a body after it, and keeps what the kernel does not take.
    private mutating func sendOrKeep(_ slot: Slot, _ body: Body, _ owner: Unmanaged<Catalogue>) -> Bool {
        guard let (ready, body) = unsafe encryptIfSecure(slot, body) else { return false }
        if ready.count + body.count == 0 { return true }
        guard let sent = unsafe send(slot, ready, body) else { return false }
        if sent < ready.count + body.count {
            unsafe keepUnsent(slot, ready, body, owner, sent: sent)
            unsafe clearOutput(slot)
            // Everything that was offered to the kernel is sent, so it may accept more.
            return unsafe sent == ready.count && sendKept(slot)
        }
        unsafe clearOutput(slot)
        return true
    }

    /// The bytes to send, and the rest of the body: with TLS the output and the first bytes of the body are encrypted. Nil when
    /// the session is broken; the connection is closed then.
    private mutating func encryptIfSecure(_ slot: Slot, _ body: Body) -> (UnsafeRawBufferPointer, Body)? {
        guard let session = unsafe slot.pointee.session else { return unsafe (writer.output.bytes, body) }
        guard let rest = layer.encrypt(session, &writer, body) else {
            unsafe close(slot, .error)
            return nil
        }
        // The end of the session is announced together with the last bytes.
        if rest.count == 0, unsafe slot.pointee.ending != .none { session.finish(layer.context) }
        return unsafe (layer.context.output, rest)
    }

    private mutating func clearOutput(_ slot: Slot) {
        writer.clear()
        if unsafe slot.pointee.session != nil { layer.context.clearOutput() }
    }

    /// Returns the number of bytes that were sent; nil when the connection is broken, which is closed then.
    private mutating func send(_ slot: Slot, _ ready: UnsafeRawBufferPointer, _ body: Body) -> Int? {
        switch unsafe slot.pointee.transport.send(slot.pointee.fd, ready, body) {
        case .moved(let count):
            accounting.counters.add(count, to: .bytesSent)
            return count
        case .wouldBlock: return 0
        case .ended, .failed:
            // Also when a file has become shorter: the client notices that the answer is incomplete.
            unsafe close(slot, .error)
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
        if unsafe slot.pointee.session == nil, body.count == 0 { unsafe rest = writer.output.rest(from: sent) }
        unsafe slot.pointee.outgoing = Outgoing(rest.copied, body: rest.body, owner: owner)
        unsafe slot.pointee.progress = 0
        unsafe table.deadlines.set(.write, slot, now: now)
        unsafe watch(slot, for: .writable)
    }

    /// Sends kept bytes as far as the kernel accepts them. True when all are sent.
    private mutating func sendKept(_ slot: Slot) -> Bool {
        var turn = 0
        while let outgoing = unsafe slot.pointee.outgoing, turn < Transport.bytesPerTurnMax {
            if unsafe outgoing.head.isEmpty, unsafe slot.pointee.session != nil {
                guard unsafe refill(slot, outgoing.body) else { return false }
                continue
            }
            guard let count = unsafe send(slot, outgoing.head, outgoing.body), count > 0 else { return false }
            turn += count
            unsafe slot.pointee.progress += count
            unsafe slot.pointee.outgoing?.advance(count)
            if unsafe slot.pointee.outgoing?.count == 0 {
                unsafe slot.pointee.outgoing?.release()
                unsafe slot.pointee.outgoing = nil
            }
        }
        return unsafe slot.pointee.outgoing == nil
    }

    /// Replaces sent bytes with the output and a body after it.
    private mutating func refill(_ slot: Slot, _ body: Body) -> Bool {
        guard let (ready, rest) = unsafe encryptIfSecure(slot, body) else { return false }
        unsafe slot.pointee.outgoing?.refill(ready, body: rest)
        unsafe clearOutput(slot)
        return true
    }

    /// Sends the rest when the kernel accepts more, then continues where the connection stopped.
    mutating func resumeSending(_ slot: Slot) {
        guard unsafe sendKept(slot) else { return }
        unsafe accounting.resumeExchanges(of: slot)
        unsafe accounting.recordAnswered(slot.pointee.session)
        unsafe accounting.holdExchanges(of: slot)
        if unsafe slot.pointee.held.count > 0, unsafe slot.pointee.ending == .none {
            unsafe processInput(slot, receivedCount: 0)
        } else {
            writer.clear()
            unsafe finishTurn(slot, unused: 0..<0)
        }
    }

    /// Ends a connection's turn: sends the answers, holds unused input, and waits for the next event.
    mutating func finishTurn(_ slot: Slot, unused: Range<Int>) {
        if unsafe slot.pointee.ending == .none, unsafe slot.pointee.hasEnded {
            unsafe slot.pointee.ending = .close
            unsafe slot.pointee.closeReason = .client
        }
        if unsafe slot.pointee.ending == .none { unsafe holdInput(slot, unused) }
        guard unsafe flush(slot) else { return }
        // A request whose body has not arrived yet.
        unsafe accounting.holdExchanges(of: slot)
        switch unsafe slot.pointee.ending {
        case .close: unsafe close(slot, .finished)
        case .linger: unsafe linger(slot)
        case .none:
            if case .idle = unsafe slot.pointee.phase, let drain = acceptor.drain, drain.closeAt == nil {
                return unsafe closeGracefully(slot, .drained)
            }
            unsafe armDeadline(slot)
            unsafe watch(slot, for: .readable)
        }
    }

    /// Copies unused bytes of the input, unless the connection is gone.
    func holdInput(_ slot: Slot, _ unused: Range<Int>) {
        guard unsafe slot.pointee.fd >= 0, unsafe slot.pointee.ending == .none else { return }
        unsafe slot.pointee.held = HeldBytes(copying: UnsafeRawBufferPointer(rebasing: input[unused]))
    }

    /// Sets the deadline for what is received next. A head or a body keeps its deadline when a part of it arrives.
    private mutating func armDeadline(_ slot: Slot) {
        let kind: DeadlineKind =
            switch unsafe slot.pointee.phase {
            case .handshake, .certificate: .handshake
            case .idle: .idle
            case .proxyHeader, .head, .challenge: .head
            case .body: .body
            case .lingering: .linger
            }
        // A client that pipelines requests may be in the middle of one at every turn, but each one gets its own deadline.
        let isOfSameRequest = unsafe slot.pointee.deadlineRequestCount == slot.pointee.requestCount
        if kind != .idle, unsafe slot.pointee.deadline.kind == kind, isOfSameRequest { return }
        unsafe slot.pointee.progress = 0
        unsafe slot.pointee.untakenBytes = 0
        unsafe slot.pointee.deadlineRequestCount = slot.pointee.requestCount
        unsafe table.deadlines.set(kind, slot, now: now)
    }

    /// Closes the sending direction and continues to read for a while: closing with unread bytes would make the kernel send a
    /// reset, which can overtake the answer (RFC 9112 §9.6).
    mutating func linger(_ slot: Slot) {
        unsafe slot.pointee.held.release()
        unsafe slot.pointee.phase = .lingering
        unsafe slot.pointee.untakenBytes = 0
        unsafe finishSending(slot.pointee.fd)
        unsafe table.deadlines.set(.linger, slot, now: now)
        unsafe watch(slot, for: .readable)
    }

    /// Registers a connection with the poller.
    mutating func watch(_ slot: Slot, for interest: Poller.Interest) {
        guard unsafe slot.pointee.interest != interest else { return }
        if unsafe slot.pointee.interest == nil {
            // If the kernel has no room, the connection gets no events and ends at its deadline.
            guard unsafe poller.add(slot.pointee.fd, interest, token: table.token(slot)) else { return }
        } else {
            unsafe poller.change(slot.pointee.fd, interest, token: table.token(slot))
        }
        unsafe slot.pointee.interest = interest
    }

    /// Removes a connection from the poller.
    mutating func stopWatching(_ slot: Slot) {
        guard unsafe slot.pointee.interest != nil else { return }
        unsafe poller.remove(slot.pointee.fd)
        unsafe slot.pointee.interest = nil
    }

    /// Ends a connection that has no unanswered request, or only a part of one.
    mutating func closeGracefully(_ slot: Slot, _ reason: CloseReason) {
        unsafe slot.pointee.closeReason = reason
        unsafe slot.pointee.ending = .close
        writer.clear()
        unsafe finishTurn(slot, unused: 0..<0)
    }

    /// Closes a connection and releases everything it has. `reason` is counted if none was decided before.
    mutating func close(_ slot: Slot, _ reason: CloseReason) {
        unsafe accounting.counters.add(to: .connectionsClosed(slot.pointee.closeReason ?? reason))
        unsafe accounting.abandonExchanges(of: slot, unsentBytes: slot.pointee.outgoing?.count ?? Int.max)
        unsafe forgetQuestion(slot)
        switch unsafe slot.pointee.phase {
        case .certificate:
            let token = unsafe table.token(slot)
            turns.removeAll { $0.token == token }
            unsafe endHandshake(slot, HandshakeOutcome(reason))
        case .handshake: unsafe endHandshake(slot, HandshakeOutcome(reason))
        case .proxyHeader, .idle, .head, .body, .challenge, .lingering: break
        }
        unsafe slot.pointee.session?.end()
        // Output for this client must never reach the next one.
        unsafe clearOutput(slot)
        unsafe slot.pointee.transport = .plain
        unsafe slot.pointee.leaveBody()
        unsafe slot.pointee.held.release()
        unsafe slot.pointee.outgoing?.release()
        unsafe slot.pointee.outgoing = nil
        unsafe acceptor.release(slot.pointee.remote, weight: slot.pointee.addressWeight)
        unsafe closeDescriptor(slot.pointee.fd)
        unsafe table.remove(slot)
    }
}
