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
        let isSent = unsafe send(slot, body, owner ?? catalogue.owner)
        unsafe accounting.settle(slot, isSent: isSent)
        return isSent
    }

    /// Sends what is in the output, and a body in several parts behind it, as `flush` does one in one. The end of the last
    /// part is left in the output.
    mutating func flush(_ slot: Slot, parts: Multipart, owner: Unmanaged<Catalogue>) -> Bool {
        var parts = parts
        while let body = writer.writeNext(of: &parts), body.count > 0 {
            if unsafe send(slot, body, owner) { continue }
            unsafe slot.pointee.outgoing?.append(parts, owner: owner)
            unsafe accounting.settle(slot, isSent: false)
            return false
        }
        return true
    }

    private mutating func send(_ slot: Slot, _ body: Body, _ owner: Unmanaged<Catalogue>) -> Bool {
        guard let (ready, body) = unsafe prepare(slot, body, isLast: true) else { return false }
        if ready.count + body.count == 0 { return true }
        guard let sent = unsafe sentCount(slot.pointee.transport.send(slot.pointee.fd, ready, body), slot) else {
            return false
        }
        if sent < ready.count + body.count {
            unsafe keepUnsent(slot, ready, body, owner, sent: sent)
            unsafe clearOutput(slot)
            // There is more than could be offered to the kernel at once.
            return unsafe sent == ready.count && sendUnsent(slot)
        }
        unsafe clearOutput(slot)
        return true
    }

    /// What is ready to be sent, and the body behind it: the output, or the records that are made of it and of the first
    /// bytes of the body. Nil when the session is broken, and the connection closed here.
    private mutating func prepare(_ slot: Slot, _ body: Body, isLast: Bool) -> (UnsafeRawBufferPointer, Body)? {
        guard let session = unsafe slot.pointee.session else { return unsafe (writer.output.bytes, body) }
        guard let rest = layer.seal(session, &writer, body) else {
            unsafe close(slot, .error)
            return nil
        }
        // The end is announced with the last bytes before it.
        if isLast, rest.count == 0, unsafe slot.pointee.ending != .none { session.finish(layer.context) }
        return unsafe (layer.context.output, rest)
    }

    private mutating func clearOutput(_ slot: Slot) {
        writer.clear()
        if unsafe slot.pointee.session != nil { layer.context.clearOutput() }
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
            unsafe close(slot, .error)
            return nil
        }
    }

    /// Keeps what could not be sent until the client reads.
    private mutating func keepUnsent(
        _ slot: Slot, _ ready: UnsafeRawBufferPointer, _ body: Body, _ owner: Unmanaged<Catalogue>, sent: Int
    ) {
        var rest = unsafe (
            copied: UnsafeRawBufferPointer(rebasing: ready[min(sent, ready.count)...]),
            body: body.dropping(max(0, sent - ready.count))
        )
        // A copy of the catalogue's in the output need not be copied again.
        if case .plain = unsafe slot.pointee.transport, body.count == 0 {
            unsafe rest = writer.output.rest(from: sent)
        }
        unsafe slot.pointee.outgoing = Outgoing(rest.copied, body: rest.body, owner: owner)
        unsafe slot.pointee.progress = 0
        unsafe table.deadlines.set(.write, slot, now: now)
        unsafe watch(slot, for: .writable)
    }

    /// Sends what was kept, as far as the client takes it. True when all of it is on its way.
    private mutating func sendUnsent(_ slot: Slot) -> Bool {
        var turn = 0
        while let outgoing = unsafe slot.pointee.outgoing, turn < Transport.bytesPerTurnMax {
            if unsafe outgoing.head.isEmpty, unsafe slot.pointee.session != nil {
                guard unsafe refill(slot, outgoing.body, isLast: outgoing.isLast) else { return false }
                continue
            }
            let outcome = unsafe slot.pointee.transport.send(slot.pointee.fd, outgoing.head, outgoing.body)
            guard let count = unsafe sentCount(outcome, slot), count > 0 else { return false }
            turn += count
            unsafe slot.pointee.progress += count
            unsafe slot.pointee.outgoing?.advance(count)
            if unsafe slot.pointee.outgoing?.count == 0 {
                // The next part of a body in several.
                if let part = unsafe slot.pointee.outgoing?.writeNextPart(into: &writer) {
                    guard unsafe refill(slot, part, isLast: part.count == 0) else { return false }
                } else {
                    unsafe slot.pointee.outgoing?.release()
                    unsafe slot.pointee.outgoing = nil
                }
            }
        }
        return unsafe slot.pointee.outgoing == nil
    }

    /// Puts what is in the output, and a body behind it, in place of what has been sent.
    private mutating func refill(_ slot: Slot, _ body: Body, isLast: Bool) -> Bool {
        guard let (ready, rest) = unsafe prepare(slot, body, isLast: isLast) else { return false }
        unsafe slot.pointee.outgoing?.refill(ready, body: rest)
        unsafe clearOutput(slot)
        return true
    }

    /// The client takes more: sends what is left, and goes on where the connection stopped.
    mutating func resumeSending(_ slot: Slot) {
        guard unsafe sendUnsent(slot) else { return }
        unsafe accounting.resume(slot)
        unsafe accounting.finish(slot.pointee.session)
        unsafe accounting.hold(for: slot)
        if unsafe slot.pointee.held.count > 0, unsafe slot.pointee.ending == .none {
            unsafe processHeld(slot, andReceived: 0)
        } else {
            writer.clear()
            unsafe finishTurn(slot, unused: 0..<0)
        }
    }

    /// Ends a turn for a connection: sends the answers, keeps what is unused of the input, and waits for what comes next.
    mutating func finishTurn(_ slot: Slot, unused: Range<Int>) {
        if unsafe slot.pointee.ending == .close, !unused.isEmpty { unsafe slot.pointee.ending = .linger }
        if unsafe slot.pointee.ending == .none, unsafe slot.pointee.hasEnded {
            unsafe slot.pointee.ending = .close
            unsafe slot.pointee.closeReason = .client
        }
        if unsafe slot.pointee.ending == .none { unsafe holdInput(slot, unused) }
        guard unsafe flush(slot) else { return }
        // A request whose body is still to come.
        unsafe accounting.hold(for: slot)
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

    /// Keeps the bytes of the input that are not used yet, unless the connection is gone.
    func holdInput(_ slot: Slot, _ unused: Range<Int>) {
        guard unsafe slot.pointee.fd >= 0, unsafe slot.pointee.ending == .none else { return }
        unsafe slot.pointee.held = HeldBytes(copying: UnsafeRawBufferPointer(rebasing: input[unused]))
    }

    /// A head and a body have one deadline each, however often something of them comes.
    private mutating func armDeadline(_ slot: Slot) {
        let kind: DeadlineKind =
            switch unsafe slot.pointee.phase {
            case .handshake, .certificate: .handshake
            case .idle: .idle
            case .proxyHeader, .head, .challenge: .head
            case .body: .body
            case .lingering: .linger
            }
        // A client that sends requests without a pause may always be in the middle of one, but of another each time.
        let isOfSameRequest = unsafe slot.pointee.deadlineRequestCount == slot.pointee.requestCount
        if kind != .idle, unsafe slot.pointee.deadline.kind == kind, isOfSameRequest { return }
        unsafe slot.pointee.progress = 0
        unsafe slot.pointee.untakenBytes = 0
        unsafe slot.pointee.deadlineRequestCount = slot.pointee.requestCount
        unsafe table.deadlines.set(kind, slot, now: now)
    }

    /// Closes our direction and reads on for a while: closing both with bytes unread would make the kernel send a reset,
    /// which can overtake the answer (RFC 9112 §9.6).
    mutating func linger(_ slot: Slot) {
        unsafe slot.pointee.held.release()
        unsafe slot.pointee.phase = .lingering
        unsafe slot.pointee.untakenBytes = 0
        unsafe finishSending(slot.pointee.fd)
        unsafe table.deadlines.set(.linger, slot, now: now)
        unsafe watch(slot, for: .readable)
    }

    /// Makes the poller wait for something, if it does not already.
    mutating func watch(_ slot: Slot, for interest: Poller.Interest) {
        guard unsafe slot.pointee.interest != interest else { return }
        if unsafe slot.pointee.interest == nil {
            // A connection that the kernel has no room for is heard of no more; its deadline ends it.
            guard unsafe poller.add(slot.pointee.fd, interest, token: table.token(slot)) else { return }
        } else {
            unsafe poller.change(slot.pointee.fd, interest, token: table.token(slot))
        }
        unsafe slot.pointee.interest = interest
    }

    /// Makes the poller leave a connection alone until it is waited for again.
    mutating func stopWatching(_ slot: Slot) {
        guard unsafe slot.pointee.interest != nil else { return }
        unsafe poller.remove(slot.pointee.fd)
        unsafe slot.pointee.interest = nil
    }

    /// Ends a connection on which nothing is under way.
    mutating func closeGracefully(_ slot: Slot, _ reason: CloseReason) {
        unsafe slot.pointee.closeReason = reason
        unsafe slot.pointee.ending = .close
        writer.clear()
        unsafe finishTurn(slot, unused: 0..<0)
    }

    /// Ends a connection and gives back all that it has. `reason` counts where none was settled before.
    mutating func close(_ slot: Slot, _ reason: CloseReason) {
        unsafe accounting.counters.add(to: .connectionsClosed(slot.pointee.closeReason ?? reason))
        unsafe accounting.abandon(slot, unsentBytes: slot.pointee.outgoing?.unsentCount(writer) ?? Int.max)
        switch unsafe slot.pointee.phase {
        case .handshake, .certificate: unsafe endHandshake(slot, HandshakeOutcome(reason))
        case .proxyHeader, .idle, .head, .body, .challenge, .lingering: break
        }
        unsafe slot.pointee.session?.end()
        // What was made for this client must never reach the next one.
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
