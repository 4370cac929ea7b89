// What is different about connections over TLS: records instead of bytes, a handshake before the first request, and an end
// that is announced. Everything else is the same code.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// Plain bytes made into records at a time, so that a large body never lies in memory as records: what a client can leave
    /// us with.
    private static let plainBytesPerStep = 32_768

    /// Reads what has come for a TLS connection and goes on with it.
    mutating func receiveRecords(_ index: Int32) {
        let slot = table.slots + Int(index)
        guard let session = slot.pointee.session else { return }
        switch Posix.receive(slot.pointee.fd, into: records) {
        case .moved(let count):
            if case .lingering = slot.pointee.phase { return }
            noteReceived(slot, count)
            goOn(index, session, recordBytes: count)
        case .wouldBlock:
            wait(index, for: .readable)
        case .ended: close(index, .client)
        case .failed: close(index, .error)
        }
    }

    /// Goes on with what was received, which lies in `records`.
    mutating func goOn(_ index: Int32, _ session: SecureSession, recordBytes count: Int) {
        let received = UnsafeRawBufferPointer(rebasing: records[..<count])
        if case .handshake = table.slots[Int(index)].phase {
            guard goOnWithHandshake(index, session, received) else { return }
        } else {
            session.feed(secure, received)
        }
        decrypt(index, session)
    }

    /// True when the session is established, and what came behind the handshake can be read.
    private mutating func goOnWithHandshake(
        _ index: Int32, _ session: SecureSession, _ received: UnsafeRawBufferPointer,
        certificate: CertificateStore.Lookup? = nil
    ) -> Bool {
        let slot = table.slots + Int(index)
        output.clear()
        let outcome = session.handshake(secure, received, token: table.token(index), certificate: certificate)
        // What comes behind a handshake is read next, and what comes behind a pause is kept.
        if outcome != .done(0), outcome != .wantsCertificate { secure.forgetRecords() }
        switch outcome {
        case .done:
            endHandshake(slot)
            noteHandshake(session.isResumed ? .resumed : .full, index)
            slot.pointee.phase = .idle
            deadlines.set(.head, for: index, now: now, in: table.slots)
            return true
        case .wantsInput:
            // Only a whole first message has an answer.
            if !secure.output.isEmpty { noteHello(index) }
            // One deadline for all flights of a handshake.
            if flush(index) { wait(index, for: .readable) }
        case .wantsCertificate:
            noteHello(index)
            slot.pointee.phase = .certificate
            slot.pointee.held = HeldBytes(copying: secure.unreadRecords)
            secure.forgetRecords()
            waitForNothing(index)
        case .failed(.plainHTTP):
            noteHandshake(.plainHTTP, index)
            refusePlainHTTP(index)
        case .failed(let failure):
            endHandshake(slot)
            noteHandshake(HandshakeOutcome(failure), index)
            endWithAlert(index, .refused)
        case .ended:
            endHandshake(slot)
            noteHandshake(.clientClosed, index)
            endWithAlert(index, .client)
        }
        return false
    }

    /// The client's first message is whole: others make room before it does.
    private mutating func noteHello(_ index: Int32) {
        if table.slots[Int(index)].deadline.kind != .hello { return }
        deadlines.change(index, to: .handshake, in: table.slots)
    }

    /// Goes on with the handshakes whose certificate has been read, or looked for in vain.
    mutating func resumeHandshakes() {
        for ready in control.readyHandshakes.take() {
            // The connection may have ended since.
            guard let index = table.index(of: ready.token) else { continue }
            let slot = table.slots + Int(index)
            guard case .certificate = slot.pointee.phase, let session = slot.pointee.session else { continue }
            slot.pointee.phase = .handshake
            var held = slot.pointee.held
            slot.pointee.held = HeldBytes()
            if goOnWithHandshake(index, session, held.bytes, certificate: ready.certificate) {
                decrypt(index, session)
            }
            held.release()
            reckon(index)
        }
    }

    /// Sends the alert that OpenSSL has made of a failure. Reading on for a moment keeps a reset from overtaking it.
    private mutating func endWithAlert(_ index: Int32, _ reason: CloseReason) {
        let slot = table.slots + Int(index)
        slot.pointee.closeReason = reason
        output.clear()
        leaveBody(slot)
        slot.pointee.phase = .lingering
        slot.pointee.ending = .linger
        if flush(index) { linger(index) }
    }

    /// Reads all that is in the received records: there is room for it, because records are longer than what is in them.
    private mutating func decrypt(_ index: Int32, _ session: SecureSession) {
        let slot = table.slots + Int(index)
        let start = slot.pointee.held.count
        var count = 0
        var outcome = SecureSession.Outcome.wantsInput
        while true {
            precondition(start + count < input.count, "there is room for all that records can hold")
            outcome = session.receive(secure, into: UnsafeMutableRawBufferPointer(rebasing: input[(start + count)...]))
            guard case .done(let step) = outcome else { break }
            count += step
            // Asking again, only to hear that there is nothing, costs half a microsecond.
            if session.isDrained(secure) {
                outcome = .wantsInput
                break
            }
        }
        secure.forgetRecords()
        switch outcome {
        case .failed:
            // A broken session answers nothing more, not even what came whole before.
            endWithAlert(index, .error)
        case _ where count > 0:
            processHeld(index, andReceived: count, hasEnded: outcome != .wantsInput)
        case .wantsInput, .wantsCertificate, .done:
            // A flight of the handshake or a key update may be waiting to be sent.
            output.clear()
            if flush(index) { wait(index, for: .readable) }
        case .ended:
            closeGracefully(index, .client)
        }
    }

    /// RFC 9110 says nothing about it, but a person who typed `http://` and the wrong port deserves more than an alert.
    private mutating func refusePlainHTTP(_ index: Int32) {
        let slot = table.slots + Int(index)
        endHandshake(slot)
        slot.pointee.session?.end()
        slot.pointee.session = nil
        secure.clearOutput()
        output.clear()
        slot.pointee.closeReason = .refused
        exchanges.append(Exchange(from: slot.pointee.remote, at: roundBeganMicroseconds))
        append(Response(status: .badRequest, closes: true), text: WireText.wrongPort)
        slot.pointee.phase = .lingering
        slot.pointee.ending = .linger
        if flush(index) { linger(index) }
    }

    /// Makes records of the output, and of as much of a body as one step takes, and sends them.
    mutating func flushSecurely(_ index: Int32, _ body: Body, _ owner: Unmanaged<Catalogue>) -> Bool {
        let slot = table.slots + Int(index)
        let step = min(body.count, max(0, Worker.plainBytesPerStep - output.count))
        guard let session = slot.pointee.session, session.send(secure, output.bytes) else {
            close(index, .error)
            return false
        }
        output.clear()
        guard encrypt(body, step, session) else {
            close(index, .error)
            return false
        }
        // The end is announced with the last bytes before it.
        if step == body.count, slot.pointee.ending != .none { session.finish(secure) }
        if secure.output.isEmpty { return true }
        guard let sent = sentCount(transmit(slot.pointee.fd, secure.output), index) else {
            secure.clearOutput()
            return false
        }
        let rest = UnsafeRawBufferPointer(rebasing: secure.output[sent...])
        if rest.isEmpty, step == body.count {
            secure.clearOutput()
            return true
        }
        keep(index, rest, body.dropping(step), owner)
        let isBlocked = !rest.isEmpty
        secure.clearOutput()
        return isBlocked ? false : pump(index)
    }

    /// Sends what was kept, and makes more records of the body as the client takes them. True when all is on its way.
    mutating func pumpSecurely(_ index: Int32, _ session: SecureSession) -> Bool {
        let slot = table.slots + Int(index)
        var turn = 0
        while let outgoing = slot.pointee.outgoing, turn < Worker.bytesPerTurnMax {
            if outgoing.head.isEmpty {
                let step = min(outgoing.body.count, Worker.plainBytesPerStep)
                guard encrypt(outgoing.body, step, session) else {
                    close(index, .error)
                    return false
                }
                if step == outgoing.body.count, outgoing.isLast, slot.pointee.ending != .none { session.finish(secure) }
                slot.pointee.outgoing?.refill(secure.output, body: outgoing.body.dropping(step))
                secure.clearOutput()
            }
            guard let head = slot.pointee.outgoing?.head else { break }
            guard let count = sentCount(transmit(slot.pointee.fd, head), index) else { return false }
            if count == 0 { return false }
            turn += count
            slot.pointee.progress += count
            slot.pointee.outgoing?.advance(count)
            if slot.pointee.outgoing?.count == 0, !takeNextPart(index) {
                slot.pointee.outgoing?.release()
                slot.pointee.outgoing = nil
            }
        }
        return slot.pointee.fd >= 0 && slot.pointee.outgoing == nil
    }

    /// Makes records of the first bytes of a body.
    private mutating func encrypt(_ body: Body, _ count: Int, _ session: SecureSession) -> Bool {
        switch body {
        case .none: return true
        case .memory(let bytes): return session.send(secure, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        case .file(let file, let range):
            var done = 0
            while done < count {
                // Whatever was in the output has been made into records before.
                let room = output.scratch(count - done)
                guard case .moved(let step) = Posix.receive(file: file, from: range.lowerBound + done, into: room),
                    session.send(secure, UnsafeRawBufferPointer(rebasing: room[..<step]))
                else { return false }
                done += step
            }
            return true
        }
    }
}
