// From an accepted connection to its first request: whether there is room for it, what a front says about it (the PROXY
// protocol), and its TLS handshake.

import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// The first bytes are usually here already (`TCP_DEFER_ACCEPT`), so a connection that serves one request is never
    /// made known to the poller.
    mutating func admit(_ fd: Int32, from remote: RemoteAddress, at listener: Int) {
        let isSecure = acceptor.isSecure(listener)
        let expectsProxyHeader = acceptor.expectsProxyHeader(listener)
        let isFront = settings.fronts.trusts(remote)
        // Any other client could forge the header.
        if expectsProxyHeader, !isFront { return refuse(fd, from: remote, .notFromFront, isSilent: true) }
        // First, so that an address that has enough takes no place from others.
        guard let weight = acceptor.admit(remote, isFront: isFront, inHandshake: isSecure) else {
            return refuse(fd, from: remote, .tooManyFromAddress, isSilent: isSecure)
        }
        if let reason = objection(isSecure: isSecure, startsHandshake: isSecure && !expectsProxyHeader) {
            acceptor.release(remote, weight: weight)
            return refuse(fd, from: remote, reason, isSilent: isSecure)
        }
        accounting.counters.add(to: .connectionsAccepted)
        let slot = table.insert(fd: fd)
        slot.pointee.addressWeight = weight
        slot.pointee.remote = remote
        slot.pointee.isFront = isFront
        if isSecure, !expectsProxyHeader {
            guard beginHandshake(slot) != nil else { return }
        } else {
            if expectsProxyHeader { slot.pointee.phase = .proxyHeader(tlsFollows: isSecure) }
            table.deadlines.set(.head, slot, now: now)
        }
        receive(slot)
        reckon(slot)
    }

    /// Why there is no room for one more, although what could be done without is gone; nil when there is.
    private mutating func objection(isSecure: Bool, startsHandshake: Bool) -> AdmissionRefusal? {
        if startsHandshake, !makeRoomForHandshake() { return .tooManyHandshakes }
        if table.isFull {
            guard let slot = table.deadlines.dispensable else { return .tooManyConnections }
            evict(slot)
        }
        makeRoom(for: Limits.connectionBytes + (isSecure ? Limits.handshakeBytes : 0))
        return nil
    }

    private mutating func makeRoomForHandshake() -> Bool {
        if acceptor.hasRoomForHandshake { return true }
        guard let slot = table.deadlines.oldestHandshake else { return false }
        evict(slot)
        return true
    }

    /// The kind of connection that takes most of the memory gives up its oldest, so a client that says what it wants gets in
    /// beside any number that are silent, and no flood ends connections of another kind than its own.
    private mutating func makeRoom(for bytes: Int) {
        while !table.hasRoom(for: bytes), let slot = table.deadlines.heaviest { evict(slot) }
    }

    /// Reckons what a connection holds at the end of its turn, and makes room where that is too much for all together.
    /// Whatever clients do, what they hold together is bounded here.
    mutating func reckon(_ slot: Slot) {
        guard slot.pointee.fd >= 0 else { return }
        table.reckon(slot)
        makeRoom(for: 0)
    }

    private mutating func evict(_ slot: Slot) {
        if slot.pointee.deadline.kind == .idle { closeGracefully(slot, .evicted) }
        // An end that cannot be announced at once is not announced.
        if slot.pointee.fd >= 0 { close(slot, .evicted) }
    }

    /// At capacity the server answers 503, at once and without waiting for the request. Over TLS that would take a handshake,
    /// which is what there is too much of.
    private mutating func refuse(_ fd: Int32, from remote: RemoteAddress, _ reason: AdmissionRefusal, isSilent: Bool) {
        accounting.counters.add(to: .connectionsRefused(reason))
        if !isSilent {
            answerUnread(Response(status: .serviceUnavailable, closes: true), to: remote)
            // Closing with the request unread would send a reset, which can overtake the answer (RFC 9112 §9.6).
            _ = Posix.receive(fd, into: layer.received)
            if case .moved(let count) = transmit(fd, writer.output.bytes) {
                accounting.counters.add(count, to: .bytesSent)
            }
            writer.clear()
            accounting.finish(nil)
        }
        closeDescriptor(fd)
    }

    /// Answers before anything of a request was read.
    private mutating func answerUnread(_ response: Response, to remote: RemoteAddress) {
        writer.clear()
        accounting.beginUnread(from: remote)
        write(response)
    }

    /// Goes on with the header of a front: with what was kept of it, and with so many bytes received behind that.
    mutating func readProxyHeader(_ slot: Slot, _ receivedCount: Int, tlsFollows: Bool) {
        let count = slot.pointee.held.count + receivedCount
        input.copyMemory(from: slot.pointee.held.bytes)
        slot.pointee.held.release()
        let bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
        switch ProxyHeader.read(Span<UInt8>(_unsafeBytes: bytes)) {
        case .incomplete:
            holdInput(slot, 0..<count)
            watch(slot, for: .readable)
        case .rejected:
            accounting.counters.add(to: .connectionsRefused(.notFromFront))
            close(slot, .refused)
        case .complete(let header):
            if let client = header.client {
                guard assign(slot, to: client, tlsFollows: tlsFollows) else { return }
            } else {
                // Whose requests they are is not said, so no client's word about them is taken.
                slot.pointee.isFront = false
            }
            let rest = UnsafeRawBufferPointer(rebasing: bytes[header.byteCount...])
            if tlsFollows { return beginHandshake(slot, behindHeader: rest) }
            slot.pointee.phase = .idle
            if rest.isEmpty { return watch(slot, for: .readable) }
            slot.pointee.held = HeldBytes(copying: rest)
            processHeld(slot, andReceived: 0)
        }
    }

    /// From now on the connection is the client's. False when the client has too many of them.
    private mutating func assign(_ slot: Slot, to client: ClientAddress, tlsFollows: Bool) -> Bool {
        let remote = RemoteAddress(client)
        slot.pointee.remote = remote
        slot.pointee.isFront = settings.fronts.trusts(remote)
        if let weight = acceptor.admit(remote, isFront: slot.pointee.isFront, inHandshake: tlsFollows) {
            slot.pointee.addressWeight = weight
            return true
        }
        accounting.counters.add(to: .connectionsRefused(.tooManyFromAddress))
        if tlsFollows {
            close(slot, .refused)
        } else {
            slot.pointee.phase = .idle
            slot.pointee.closeReason = .refused
            answerUnread(Response(status: .serviceUnavailable, closes: true), to: remote)
            slot.pointee.ending = .linger
            finishTurn(slot, unused: 0..<0)
        }
        return false
    }

    private mutating func beginHandshake(_ slot: Slot, behindHeader rest: UnsafeRawBufferPointer) {
        if !makeRoomForHandshake() {
            accounting.counters.add(to: .connectionsRefused(.tooManyHandshakes))
            return close(slot, .refused)
        }
        guard let session = beginHandshake(slot) else { return }
        if rest.isEmpty { return watch(slot, for: .readable) }
        // What is in the records will be put where they are now.
        precondition(rest.count <= layer.received.count, "what is behind a header came with it")
        layer.received.copyMemory(from: rest)
        readRecords(slot, session, byteCount: rest.count)
    }

    /// Nil when there is no memory for it, and the connection is gone.
    private mutating func beginHandshake(_ slot: Slot) -> SecureSession? {
        slot.pointee.phase = .handshake
        acceptor.beginHandshake()
        table.deadlines.set(.hello, slot, now: now)
        guard let session = layer.context.makeSession() else {
            close(slot, .error)
            return nil
        }
        slot.pointee.transport = .secure(session)
        return session
    }

    mutating func endHandshake(_ slot: Slot, _ outcome: HandshakeOutcome) {
        acceptor.endHandshake(slot)
        accounting.noteHandshake(outcome, slot)
    }

    /// Goes on with what was received, which lies in the records of the layer.
    mutating func readRecords(_ slot: Slot, _ session: SecureSession, byteCount: Int) {
        let received = UnsafeRawBufferPointer(rebasing: layer.received[..<byteCount])
        if case .handshake = slot.pointee.phase {
            guard advanceHandshake(slot, session, received) else { return }
        } else {
            session.feed(layer.context, received)
        }
        readRequests(slot, session)
    }

    /// True when the session is established, and what came behind the handshake can be read.
    private mutating func advanceHandshake(
        _ slot: Slot, _ session: SecureSession, _ received: UnsafeRawBufferPointer,
        certificate: CertificateStore.Lookup? = nil
    ) -> Bool {
        writer.clear()
        let outcome = session.handshake(
            layer.context, received, token: table.token(slot), certificate: certificate)
        // What comes behind a handshake is read next, and what comes behind a pause is kept.
        if outcome != .done(0), outcome != .wantsCertificate { layer.context.forgetRecords() }
        switch outcome {
        case .done:
            endHandshake(slot, session.isResumed ? .resumed : .full)
            slot.pointee.phase = .idle
            table.deadlines.set(.head, slot, now: now)
            return true
        case .wantsInput:
            // Only a whole first message has an answer.
            if !layer.context.output.isEmpty { noteHello(slot) }
            // One deadline for all flights of a handshake.
            if flush(slot) { watch(slot, for: .readable) }
        case .wantsCertificate:
            noteHello(slot)
            slot.pointee.phase = .certificate
            slot.pointee.held = HeldBytes(copying: layer.context.unreadRecords)
            layer.context.forgetRecords()
            stopWatching(slot)
        case .failed(.plainHTTP):
            refusePlainHTTP(slot, session)
        case .failed(let failure):
            endHandshake(slot, HandshakeOutcome(failure))
            endWithAlert(slot, .refused)
        case .ended:
            endHandshake(slot, .clientClosed)
            endWithAlert(slot, .client)
        }
        return false
    }

    /// The client's first message is whole: others make room before it does.
    private mutating func noteHello(_ slot: Slot) {
        if slot.pointee.deadline.kind == .hello { table.deadlines.change(slot, to: .handshake) }
    }

    /// Goes on with the handshakes whose certificate has been read, or looked for in vain.
    mutating func resumeHandshakes() {
        for ready in control.readyHandshakes.take() {
            // The connection may have ended since.
            guard let slot = table.slot(of: ready.token), case .certificate = slot.pointee.phase,
                let session = slot.pointee.session
            else { continue }
            slot.pointee.phase = .handshake
            var held = slot.pointee.held
            slot.pointee.held = HeldBytes()
            if advanceHandshake(slot, session, held.bytes, certificate: ready.certificate) {
                readRequests(slot, session)
            }
            held.release()
            reckon(slot)
        }
    }

    /// Sends the alert that OpenSSL has made of a failure. Reading on for a moment keeps a reset from overtaking it.
    mutating func endWithAlert(_ slot: Slot, _ reason: CloseReason) {
        writer.clear()
        endWithOutput(slot, reason)
    }

    private mutating func endWithOutput(_ slot: Slot, _ reason: CloseReason) {
        slot.pointee.closeReason = reason
        slot.pointee.leaveBody()
        slot.pointee.phase = .lingering
        slot.pointee.ending = .linger
        if flush(slot) { linger(slot) }
    }

    /// RFC 9110 says nothing about it, but a person who typed `http://` and the wrong port deserves more than an alert.
    private mutating func refusePlainHTTP(_ slot: Slot, _ session: SecureSession) {
        endHandshake(slot, .plainHTTP)
        session.end()
        slot.pointee.transport = .plain
        layer.context.clearOutput()
        writer.clear()
        accounting.beginUnread(from: slot.pointee.remote)
        WireText.wrongPort.withUTF8Buffer {
            let response = Response(status: .badRequest, closes: true)
            write(response, fields: WireText.plainText, body: UnsafeRawBufferPointer($0), isSecure: false)
        }
        endWithOutput(slot, .refused)
    }
}
