// From answers to sent bytes, and what becomes of the connection then.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// What one connection may be sent in one go, in bytes, before others get their turn.
    static let bytesPerTurnMax = 1_048_576

    /// Sends what is in the output, and a body of the catalogue's behind it. False when not everything could be sent now
    /// (the rest goes on when the client reads) or the connection is gone.
    mutating func flush(_ index: Int32, body: Body = .none, owner: Unmanaged<Catalogue>? = nil) -> Bool {
        let isSent = send(index, body, owner ?? self.owner)
        if !exchanges.isEmpty { account(index, isSent: isSent) }
        return isSent
    }

    private mutating func send(_ index: Int32, _ body: Body, _ owner: Unmanaged<Catalogue>) -> Bool {
        table.slots[Int(index)].session == nil ? flushPlainly(index, body, owner) : flushSecurely(index, body, owner)
    }

    /// Sends what is in the output, and a body in several parts behind it, as `flush` does one in one. The end of the last
    /// part is left in the output.
    mutating func flush(_ index: Int32, parts: Multipart, owner: Unmanaged<Catalogue>) -> Bool {
        var parts = parts
        while let body = parts.writeNext(into: &output, boundary: wire.boundary), body.count > 0 {
            if send(index, body, owner) { continue }
            table.slots[Int(index)].outgoing?.append(parts, owner: owner)
            if !exchanges.isEmpty { account(index, isSent: false) }
            return false
        }
        return true
    }

    private mutating func flushPlainly(_ index: Int32, _ body: Body, _ owner: Unmanaged<Catalogue>) -> Bool {
        let fd = table.slots[Int(index)].fd
        if output.count + body.count == 0 { return true }
        let outcome =
            switch body {
            case .none: transmit(fd, output.bytes)
            case .memory(let bytes): transmit(fd, output.bytes, bytes)
            case .file: transmitFirst(fd, output.bytes)
            }
        guard let sent = sentCount(outcome, index) else { return false }
        if sent == output.count + body.count {
            output.clear()
            return true
        }
        if body.count == 0 {
            let rest = output.rest(from: sent)
            keep(index, rest.copied, rest.body, owner)
            output.clear()
            return false
        }
        let rest = UnsafeRawBufferPointer(rebasing: output.bytes[min(sent, output.count)...])
        keep(index, rest, body.dropping(max(0, sent - output.count)), owner)
        if case .file = body, sent == output.count {
            output.clear()
            return pump(index)
        }
        output.clear()
        return false
    }

    /// How many bytes are on their way; nil when the connection is gone, and closed here.
    mutating func sentCount(_ outcome: Transfer, _ index: Int32) -> Int? {
        switch outcome {
        case .moved(let count):
            recorder.counters.add(count, to: .bytesSent)
            return count
        case .wouldBlock: return 0
        case .ended, .failed:
            close(index, .error)
            return nil
        }
    }

    /// Keeps what could not be sent until the client reads.
    mutating func keep(
        _ index: Int32, _ bytes: UnsafeRawBufferPointer, _ body: Body, _ owner: Unmanaged<Catalogue>
    ) {
        table.slots[Int(index)].outgoing = Outgoing(bytes, body: body, owner: owner)
        table.slots[Int(index)].progress = 0
        deadlines.set(.write, for: index, now: now, in: table.slots)
        wait(index, for: .writable)
    }

    /// Sends what was kept, as far as the client takes it. True when all of it is on its way.
    mutating func pump(_ index: Int32) -> Bool {
        let slot = table.slots + Int(index)
        if let session = slot.pointee.session { return pumpSecurely(index, session) }
        var turn = 0
        while let outgoing = slot.pointee.outgoing, turn < Worker.bytesPerTurnMax {
            let fd = slot.pointee.fd
            let outcome =
                switch outgoing.body {
                case .none: transmit(fd, outgoing.head)
                case .memory(let bytes): transmit(fd, outgoing.head, bytes)
                case .file where !outgoing.head.isEmpty: transmitFirst(fd, outgoing.head)
                case .file(let file, let range):
                    transmit(fd, file: file, from: range.lowerBound, count: min(range.count, Worker.bytesPerTurnMax))
                }
            switch outcome {
            case .moved(let count):
                recorder.counters.add(count, to: .bytesSent)
                turn += count
                slot.pointee.progress += count
                slot.pointee.outgoing?.advance(count)
                if outgoing.count > count || takeNextPart(index) { continue }
                slot.pointee.outgoing?.release()
                slot.pointee.outgoing = nil
            case .wouldBlock:
                return false
            case .ended, .failed:
                // A file that has become shorter ends here too: the client sees that its answer is not whole.
                close(index, .error)
                return false
            }
        }
        return slot.pointee.fd >= 0 && slot.pointee.outgoing == nil
    }

    /// Goes on with the next part of a body in several. False where there is none.
    mutating func takeNextPart(_ index: Int32) -> Bool {
        let slot = table.slots + Int(index)
        guard let body = slot.pointee.outgoing?.writeNextPart(into: &output, boundary: wire.boundary) else {
            return false
        }
        if let session = slot.pointee.session {
            guard session.send(secure, output.bytes) else {
                close(index, .error)
                return true
            }
            if body.count == 0, slot.pointee.ending != .none { session.finish(secure) }
            slot.pointee.outgoing?.refill(secure.output, body: body)
            secure.clearOutput()
        } else {
            slot.pointee.outgoing?.refill(output.bytes, body: body)
        }
        output.clear()
        return true
    }

    /// The client takes more: sends what is left, and goes on where the connection stopped.
    mutating func resumeSending(_ index: Int32) {
        guard pump(index) else { return }
        let slot = table.slots + Int(index)
        resumeExchanges(index)
        finishExchanges(slot.pointee.session)
        holdExchanges(index)
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
        if slot.pointee.ending == .none, slot.pointee.hasEnded {
            slot.pointee.ending = .close
            slot.pointee.closeReason = .client
        }
        if slot.pointee.ending == .none { hold(index, unused) }
        guard flush(index) else { return }
        // A request whose body is still to come.
        holdExchanges(index)
        switch slot.pointee.ending {
        case .close: close(index, .finished)
        case .linger: linger(index)
        case .none:
            if case .idle = slot.pointee.phase, let drain, drain.closeAt == nil {
                return closeGracefully(index, .drained)
            }
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
            case .handshake, .certificate: .handshake
            case .idle: .idle
            case .proxyHeader, .head, .challenge: .head
            case .body: .body
            case .lingering: .linger
            }
        let slot = table.slots + Int(index)
        // Whoever sends requests without a pause may always be in the middle of one, but of another each time.
        let isOfSameRequest = slot.pointee.deadlineRequestCount == slot.pointee.requestCount
        if kind != .idle, slot.pointee.deadline.kind == kind, isOfSameRequest { return }
        slot.pointee.progress = 0
        slot.pointee.untakenBytes = 0
        slot.pointee.deadlineRequestCount = slot.pointee.requestCount
        deadlines.set(kind, for: index, now: now, in: table.slots)
    }

    /// Closes our direction and reads on for a while: closing both with bytes unread would make the kernel send a reset,
    /// which can overtake the answer (RFC 9112 §9.6).
    mutating func linger(_ index: Int32) {
        let slot = table.slots + Int(index)
        slot.pointee.held.release()
        slot.pointee.phase = .lingering
        slot.pointee.untakenBytes = 0
        finishSending(slot.pointee.fd)
        deadlines.set(.linger, for: index, now: now, in: table.slots)
        wait(index, for: .readable)
    }

    /// Makes the poller wait for something, if it does not already.
    mutating func wait(_ index: Int32, for interest: Poller.Interest) {
        let slot = table.slots + Int(index)
        guard slot.pointee.interest != interest else { return }
        if slot.pointee.interest == nil {
            // A connection that the kernel has no room for is heard of no more; its deadline ends it.
            guard poller.add(slot.pointee.fd, interest, token: table.token(index)) else { return }
        } else {
            poller.change(slot.pointee.fd, interest, token: table.token(index))
        }
        slot.pointee.interest = interest
    }

    /// Makes the poller leave a connection alone until it is waited for again.
    mutating func waitForNothing(_ index: Int32) {
        let slot = table.slots + Int(index)
        guard slot.pointee.interest != nil else { return }
        poller.remove(slot.pointee.fd)
        slot.pointee.interest = nil
    }

    /// Ends a connection on which nothing is under way.
    mutating func closeGracefully(_ index: Int32, _ reason: CloseReason) {
        table.slots[Int(index)].closeReason = reason
        table.slots[Int(index)].ending = .close
        output.clear()
        settle(index, unused: 0..<0)
    }

    /// Ends a connection and gives back all that it has. `reason` counts where none was settled before.
    mutating func close(_ index: Int32, _ reason: CloseReason) {
        let slot = table.slots + Int(index)
        recorder.counters.add(to: .connectionsClosed(slot.pointee.closeReason ?? reason))
        let unsent = slot.pointee.outgoing?.unsentCount(boundaryCount: wire.boundary.count) ?? Int.max
        if exchanges.isEmpty { resumeExchanges(index) }
        abandonExchanges(slot.pointee.session, unsent: unsent)
        switch slot.pointee.phase {
        case .handshake, .certificate:
            endHandshake(slot)
            noteHandshake(HandshakeOutcome(reason), index)
        case .proxyHeader, .idle, .head, .body, .challenge, .lingering: break
        }
        // What was made for this client must never reach the next one.
        output.clear()
        if let session = slot.pointee.session {
            session.end()
            slot.pointee.session = nil
            secure.clearOutput()
        }
        deadlines.remove(index, in: table.slots)
        leaveBody(slot)
        slot.pointee.held.release()
        slot.pointee.outgoing?.release()
        slot.pointee.outgoing = nil
        if slot.pointee.addressWeight > 0 {
            addressCounts?.release(slot.pointee.remote, weight: slot.pointee.addressWeight)
        }
        heldBytes -= slot.pointee.reckonedBytes
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
