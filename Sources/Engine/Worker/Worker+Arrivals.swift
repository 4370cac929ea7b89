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
        let slot = unsafe table.insert(fd: fd)
        unsafe slot.pointee.addressWeight = weight
        unsafe slot.pointee.remote = remote
        unsafe slot.pointee.isFront = isFront
        if isSecure, !expectsProxyHeader {
            guard unsafe beginHandshake(slot) != nil else { return }
        } else {
            if expectsProxyHeader { unsafe slot.pointee.phase = .proxyHeader(tlsFollows: isSecure) }
            unsafe table.deadlines.set(.head, slot, now: now)
        }
        unsafe receive(slot)
        unsafe reckon(slot)
    }

    /// Why there is no room for one more, although what could be done without is gone; nil when there is.
    private mutating func objection(isSecure: Bool, startsHandshake: Bool) -> AdmissionRefusal? {
        if startsHandshake, !makeRoomForHandshake() { return .tooManyHandshakes }
        if table.isFull {
            guard let slot = unsafe table.deadlines.dispensable else { return .tooManyConnections }
            unsafe evict(slot)
        }
        makeRoom(for: Limits.connectionBytes + (isSecure ? Limits.handshakeBytes : 0))
        return nil
    }

    private mutating func makeRoomForHandshake() -> Bool {
        if acceptor.hasRoomForHandshake { return true }
        guard let slot = unsafe table.deadlines.oldestHandshake else { return false }
        unsafe evict(slot)
        return true
    }

    /// The kind of connection that takes most of the memory gives up its oldest, so a client that says what it wants gets in
    /// beside any number that are silent, and no flood ends connections of another kind than its own.
    private mutating func makeRoom(for bytes: Int) {
        while !table.hasRoom(for: bytes), let slot = unsafe table.deadlines.heaviest { unsafe evict(slot) }
    }

    /// Reckons what a connection holds at the end of its turn, and makes room where that is too much for all together.
    /// Whatever clients do, what they hold together is bounded here.
    mutating func reckon(_ slot: Slot) {
        guard unsafe slot.pointee.fd >= 0 else { return }
        unsafe table.reckon(slot)
        makeRoom(for: 0)
    }

    private mutating func evict(_ slot: Slot) {
        if unsafe slot.pointee.deadline.kind == .idle { unsafe closeGracefully(slot, .evicted) }
        // An end that cannot be announced at once is not announced.
        if unsafe slot.pointee.fd >= 0 { unsafe close(slot, .evicted) }
    }

    /// At capacity the server answers 503, at once and without waiting for the request. Over TLS that would take a handshake,
    /// which is what there is too much of.
    private mutating func refuse(_ fd: Int32, from remote: RemoteAddress, _ reason: AdmissionRefusal, isSilent: Bool) {
        accounting.counters.add(to: .connectionsRefused(reason))
        if !isSilent {
            answerUnread(Response(status: .serviceUnavailable, closes: true), to: remote)
            // Closing with the request unread would send a reset, which can overtake the answer (RFC 9112 §9.6).
            _ = unsafe Posix.receive(fd, into: layer.received)
            if case .moved(let count) = unsafe transmit(fd, writer.output.bytes) {
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
        unsafe write(response)
    }

    /// Goes on with the header of a front: with what was kept of it, and with so many bytes received behind that.
    mutating func readProxyHeader(_ slot: Slot, _ receivedCount: Int, tlsFollows: Bool) {
        let count = unsafe slot.pointee.held.count + receivedCount
        unsafe input.copyMemory(from: slot.pointee.held.bytes)
        unsafe slot.pointee.held.release()
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: input[..<count])
        switch unsafe ProxyHeader.read(Span<UInt8>(_unsafeBytes: bytes)) {
        case .incomplete:
            unsafe holdInput(slot, 0..<count)
            unsafe watch(slot, for: .readable)
        case .rejected:
            accounting.counters.add(to: .connectionsRefused(.notFromFront))
            unsafe close(slot, .refused)
        case .complete(let header):
            if let client = header.client {
                guard unsafe assign(slot, to: client, tlsFollows: tlsFollows) else { return }
            } else {
                // Whose requests they are is not said, so no client's word about them is taken.
                unsafe slot.pointee.isFront = false
            }
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[header.byteCount...])
            if tlsFollows { return unsafe beginHandshake(slot, behindHeader: rest) }
            unsafe slot.pointee.phase = .idle
            if unsafe rest.isEmpty { return unsafe watch(slot, for: .readable) }
            unsafe slot.pointee.held = HeldBytes(copying: rest)
            unsafe processHeld(slot, andReceived: 0)
        }
    }

    /// From now on the connection is the client's. False when the client has too many of them.
    private mutating func assign(_ slot: Slot, to client: ClientAddress, tlsFollows: Bool) -> Bool {
        let remote = RemoteAddress(client)
        unsafe slot.pointee.remote = remote
        unsafe slot.pointee.isFront = settings.fronts.trusts(remote)
        if let weight = unsafe acceptor.admit(remote, isFront: slot.pointee.isFront, inHandshake: tlsFollows) {
            unsafe slot.pointee.addressWeight = weight
            return true
        }
        accounting.counters.add(to: .connectionsRefused(.tooManyFromAddress))
        if tlsFollows {
            unsafe close(slot, .refused)
        } else {
            unsafe slot.pointee.phase = .idle
            unsafe slot.pointee.closeReason = .refused
            answerUnread(Response(status: .serviceUnavailable, closes: true), to: remote)
            unsafe slot.pointee.ending = .linger
            unsafe finishTurn(slot, unused: 0..<0)
        }
        return false
    }

    private mutating func beginHandshake(_ slot: Slot, behindHeader rest: UnsafeRawBufferPointer) {
        if !makeRoomForHandshake() {
            accounting.counters.add(to: .connectionsRefused(.tooManyHandshakes))
            return unsafe close(slot, .refused)
        }
        guard let session = unsafe beginHandshake(slot) else { return }
        if unsafe rest.isEmpty { return unsafe watch(slot, for: .readable) }
        // What is in the records will be put where they are now.
        unsafe precondition(rest.count <= layer.received.count, "what is behind a header came with it")
        unsafe layer.received.copyMemory(from: rest)
        unsafe readRecords(slot, session, byteCount: rest.count)
    }

    /// Nil when there is no memory for it, and the connection is gone.
    private mutating func beginHandshake(_ slot: Slot) -> SecureSession? {
        unsafe slot.pointee.phase = .handshake
        acceptor.beginHandshake()
        unsafe table.deadlines.set(.hello, slot, now: now)
        guard let session = layer.context.makeSession() else {
            unsafe close(slot, .error)
            return nil
        }
        unsafe slot.pointee.transport = .secure(session)
        return session
    }

    mutating func endHandshake(_ slot: Slot, _ outcome: HandshakeOutcome) {
        unsafe acceptor.endHandshake(slot)
        unsafe accounting.noteHandshake(outcome, slot)
    }

    /// Goes on with what was received, which lies in the records of the layer.
    mutating func readRecords(_ slot: Slot, _ session: SecureSession, byteCount: Int) {
        let received = unsafe UnsafeRawBufferPointer(rebasing: layer.received[..<byteCount])
        if case .handshake = unsafe slot.pointee.phase {
            guard unsafe advanceHandshake(slot, session, received) else { return }
        } else {
            unsafe session.feed(layer.context, received)
        }
        unsafe readRequests(slot, session)
    }

    /// True when the session is established, and what came behind the handshake can be read.
    private mutating func advanceHandshake(
        _ slot: Slot, _ session: SecureSession, _ received: UnsafeRawBufferPointer,
        certificate: CertificateStore.Lookup? = nil
    ) -> Bool {
        writer.clear()
        let outcome = unsafe session.handshake(
            layer.context, received, token: table.token(slot), certificate: certificate)
        // What comes behind a handshake is read next, and what comes behind a pause is kept.
        if outcome != .done(0), outcome != .wantsCertificate { layer.context.forgetRecords() }
        switch outcome {
        case .done:
            unsafe endHandshake(slot, session.isResumed ? .resumed : .full)
            unsafe slot.pointee.phase = .idle
            unsafe table.deadlines.set(.head, slot, now: now)
            return true
        case .wantsInput:
            // Only a whole first message has an answer.
            if unsafe !layer.context.output.isEmpty { unsafe noteHello(slot) }
            // One deadline for all flights of a handshake.
            if unsafe flush(slot) { unsafe watch(slot, for: .readable) }
        case .wantsCertificate:
            unsafe noteHello(slot)
            unsafe slot.pointee.phase = .certificate
            unsafe slot.pointee.held = HeldBytes(copying: layer.context.unreadRecords)
            layer.context.forgetRecords()
            unsafe stopWatching(slot)
        case .failed(.plainHTTP):
            unsafe refusePlainHTTP(slot, session)
        case .failed(let failure):
            unsafe endHandshake(slot, HandshakeOutcome(failure))
            unsafe endWithAlert(slot, .refused)
        case .ended:
            unsafe endHandshake(slot, .clientClosed)
            unsafe endWithAlert(slot, .client)
        }
        return false
    }

    /// The client's first message is whole: others make room before it does.
    private mutating func noteHello(_ slot: Slot) {
        if unsafe slot.pointee.deadline.kind == .hello { unsafe table.deadlines.change(slot, to: .handshake) }
    }

    /// Goes on with the handshakes whose certificate has been read, or looked for in vain.
    mutating func resumeHandshakes() {
        for ready in control.readyHandshakes.take() {
            // The connection may have ended since.
            guard let slot = unsafe table.slot(of: ready.token), case .certificate = unsafe slot.pointee.phase,
                let session = unsafe slot.pointee.session
            else { continue }
            unsafe slot.pointee.phase = .handshake
            var held = unsafe slot.pointee.held
            unsafe slot.pointee.held = HeldBytes()
            if unsafe advanceHandshake(slot, session, held.bytes, certificate: ready.certificate) {
                unsafe readRequests(slot, session)
            }
            held.release()
            unsafe reckon(slot)
        }
    }

    /// Sends the alert that OpenSSL has made of a failure. Reading on for a moment keeps a reset from overtaking it.
    mutating func endWithAlert(_ slot: Slot, _ reason: CloseReason) {
        writer.clear()
        unsafe endWithOutput(slot, reason)
    }

    private mutating func endWithOutput(_ slot: Slot, _ reason: CloseReason) {
        unsafe slot.pointee.closeReason = reason
        unsafe slot.pointee.leaveBody()
        unsafe slot.pointee.phase = .lingering
        unsafe slot.pointee.ending = .linger
        if unsafe flush(slot) { unsafe linger(slot) }
    }

    /// RFC 9110 says nothing about it, but a person who typed `http://` and the wrong port deserves more than an alert.
    private mutating func refusePlainHTTP(_ slot: Slot, _ session: SecureSession) {
        unsafe endHandshake(slot, .plainHTTP)
        session.end()
        unsafe slot.pointee.transport = .plain
        layer.context.clearOutput()
        writer.clear()
        unsafe accounting.beginUnread(from: slot.pointee.remote)
        WireText.wrongPort.withUTF8Buffer {
            let response = Response(status: .badRequest, closes: true)
            unsafe write(response, fields: WireText.plainText, body: UnsafeRawBufferPointer($0), isSecure: false)
        }
        unsafe endWithOutput(slot, .refused)
    }
}
