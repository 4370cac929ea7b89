// From an accepted connection to its first request: whether there is room for it, its PROXY header, and its TLS handshake.

import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// Accepts some of the waiting connections. True when more may be waiting.
    @discardableResult
    mutating func accept(from listener: Int) -> Bool {
        var peer = SocketAddress.unknown
        for _ in 0..<Worker.acceptsPerRoundMax {
            switch acceptor.accept(from: listener, peer: &peer, poller, now: now) {
            case .accepted(let fd): admit(fd, from: RemoteAddress(peer), at: listener)
            case .lost: continue
            case .noneWaiting, .exhausted: return false
            }
        }
        return true
    }

    /// Admits or refuses an accepted connection. Its first bytes have usually arrived (`TCP_DEFER_ACCEPT`), so a connection with
    /// one request is never registered with the poller.
    mutating func admit(_ fd: Int32, from remote: RemoteAddress, at listener: Int) {
        let isSecure = acceptor.listeners[listener].isSecure
        let expectsProxyHeader = acceptor.listeners[listener].expectsProxyHeader
        let isTrustedProxy = settings.trustedProxies.trusts(remote)
        // Any other client could forge the header.
        if expectsProxyHeader, !isTrustedProxy { return refuse(fd, from: remote, .notFromTrustedProxy, isSilent: true) }
        // First, so that an address over its limit does not make others lose their connections.
        guard let weight = acceptor.count(remote, isTrustedProxy: isTrustedProxy, inHandshake: isSecure) else {
            return refuse(fd, from: remote, .tooManyFromAddress, isSilent: isSecure)
        }
        if let reason = makeRoom(
            for: remote, isSecure: isSecure, startsHandshake: isSecure && !expectsProxyHeader)
        {
            acceptor.release(remote, weight: weight)
            return refuse(fd, from: remote, reason, isSilent: isSecure)
        }
        accounting.counters.add(to: .connectionsAccepted)
        let slot = table.insert(fd: fd)
        slot.connection.addressWeight = weight
        slot.connection.remote = remote
        slot.connection.isTrustedProxy = isTrustedProxy
        if isSecure, !expectsProxyHeader {
            guard beginHandshake(slot) != nil else { return }
        } else {
            if expectsProxyHeader { slot.connection.phase = .proxyHeader(tlsFollows: isSecure) }
            table.deadlines.set(.head, slot, now: now)
        }
        receive(slot)
        limitMemory(after: slot)
    }

    /// Makes room for one more connection by closing dispensable ones. Returns the reason if there is still none.
    private mutating func makeRoom(
        for remote: RemoteAddress, isSecure: Bool, startsHandshake: Bool
    ) -> AdmissionRefusal? {
        if startsHandshake, !makeRoomForHandshake(of: remote) { return .tooManyHandshakes }
        if table.isFull {
            guard let slot = table.deadlines.dispensable else { return .tooManyConnections }
            evict(fairly(slot))
        }
        makeRoom(for: Limits.connectionBytes + (isSecure ? Limits.handshakeBytes : 0))
        return nil
    }

    private mutating func makeRoomForHandshake(of remote: RemoteAddress) -> Bool {
        if acceptor.hasRoomForHandshake { return true }
        guard let slot = acceptor.handshakes.dispensable(for: remote.networkGroup) else { return false }
        evict(slot)
        return true
    }

    /// Closes the oldest connections of the kind that uses most memory. So a client that sends a request gets in despite any
    /// number of silent ones, and a flood closes only connections of its own kind.
    private mutating func makeRoom(for bytes: Int) {
        while !table.hasRoom(for: bytes), let slot = table.deadlines.heaviest { evict(fairly(slot)) }
    }

    /// Instead of the oldest handshake, which may be that of an honest client that waits, one of the network with most.
    private func fairly(_ slot: Slot) -> Slot {
        guard slot.connection.deadline.kind == .handshake else { return slot }
        return acceptor.handshakes.dispensable() ?? slot
    }

    /// Updates the memory of a connection at the end of its turn, and makes room if all connections together use too much. This
    /// bounds the memory of all clients, whatever they do.
    mutating func limitMemory(after slot: Slot) {
        guard slot.connection.fd >= 0 else { return }
        table.updateHeldBytes(of: slot)
        makeRoom(for: 0)
    }

    private mutating func evict(_ slot: Slot) {
        if slot.connection.deadline.kind == .idle { closeGracefully(slot, .evicted) }
        // Without an announcement, if it cannot be sent at once.
        if slot.connection.fd >= 0 { close(slot, .evicted) }
    }

    /// Refuses a connection with a 503, without waiting for the request. Over TLS it is only closed, because an answer would need
    /// a handshake.
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
            accounting.recordAnswered(nil)
        }
        closeDescriptor(fd)
    }

    /// Writes an answer before a request was read.
    private mutating func answerUnread(_ response: Response, to remote: RemoteAddress) {
        writer.clear()
        accounting.beginExchangeWithoutRequest(from: remote)
        compose(response)
    }

    /// Parses the PROXY header: the bytes that were held, and those received after them.
    mutating func readProxyHeader(_ slot: Slot, _ receivedCount: Int, tlsFollows: Bool) {
        let count = slot.connection.held.count + receivedCount
        unsafe input.copyMemory(from: slot.connection.held.bytes)
        slot.connection.held.release()
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: input[..<count])
        switch unsafe ProxyHeader.read(Span<UInt8>(_unsafeBytes: bytes)) {
        case .incomplete:
            holdInput(slot, 0..<count)
            watch(slot, for: .readable)
        case .rejected:
            accounting.counters.add(to: .connectionsRefused(.notFromTrustedProxy))
            close(slot, .refused)
        case .complete(let header):
            if let client = header.client {
                guard assign(slot, to: client, tlsFollows: tlsFollows) else { return }
            } else {
                // The header names no client, so forwarding fields are not believed either.
                slot.connection.isTrustedProxy = false
            }
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[header.byteCount...])
            if tlsFollows { return unsafe beginHandshake(slot, behindHeader: rest) }
            slot.connection.phase = .idle
            if unsafe rest.isEmpty { return watch(slot, for: .readable) }
            unsafe slot.connection.held = HeldBytes(copying: rest)
            processInput(slot, receivedCount: 0)
        }
    }

    /// Attributes the connection to the client. False when the client has too many connections.
    private mutating func assign(_ slot: Slot, to client: ClientAddress, tlsFollows: Bool) -> Bool {
        let remote = RemoteAddress(client)
        slot.connection.remote = remote
        slot.connection.isTrustedProxy = settings.trustedProxies.trusts(remote)
        if let weight = acceptor.count(
            remote, isTrustedProxy: slot.connection.isTrustedProxy, inHandshake: tlsFollows)
        {
            slot.connection.addressWeight = weight
            return true
        }
        accounting.counters.add(to: .connectionsRefused(.tooManyFromAddress))
        if tlsFollows {
            close(slot, .refused)
        } else {
            slot.connection.phase = .idle
            slot.connection.closeReason = .refused
            answerUnread(Response(status: .serviceUnavailable, closes: true), to: remote)
            slot.connection.ending = .linger
            finishTurn(slot, unused: 0..<0)
        }
        return false
    }

    private mutating func beginHandshake(_ slot: Slot, behindHeader rest: UnsafeRawBufferPointer) {
        if !makeRoomForHandshake(of: slot.connection.remote) {
            accounting.counters.add(to: .connectionsRefused(.tooManyHandshakes))
            return close(slot, .refused)
        }
        guard let session = beginHandshake(slot) else { return }
        if unsafe rest.isEmpty { return watch(slot, for: .readable) }
        // `readRecords` decrypts into `input`, where these bytes are now.
        unsafe precondition(rest.count <= layer.received.count, "the bytes after a header were received with it")
        unsafe layer.received.copyMemory(from: rest)
        readRecords(slot, session, byteCount: rest.count)
    }

    /// Creates the TLS session. Nil when there is no memory; the connection is closed then.
    private mutating func beginHandshake(_ slot: Slot) -> SecureSession? {
        slot.connection.phase = .handshake
        acceptor.countHandshake(slot)
        table.deadlines.set(.hello, slot, now: now)
        guard let session = layer.context.makeSession() else {
            close(slot, .error)
            return nil
        }
        slot.connection.transport = .secure(session)
        return session
    }

    mutating func endHandshake(_ slot: Slot, _ outcome: HandshakeOutcome) {
        acceptor.endHandshake(slot)
        accounting.noteHandshake(outcome, slot)
    }

    /// Continues a handshake. True when the session is established, and bytes after the handshake can be read.
    mutating func advanceHandshake(
        _ slot: Slot, _ session: SecureSession, _ received: UnsafeRawBufferPointer,
        certificate: CertificateLookup? = nil, hasTurn: Bool = false
    ) -> Bool {
        writer.clear()
        let client = HandshakeClient(
            token: table.token(slot), network: slot.connection.remote.networkGroup, fd: slot.connection.fd)
        let outcome = unsafe session.handshake(
            layer.context, received, for: client, certificate: certificate, hasTurn: hasTurn)
        slot.connection.certificateBytes = max(
            slot.connection.certificateBytes, Int32(clamping: layer.context.certificateBytes))
        // Records after a handshake are read next, and those after a pause are held.
        if outcome != .done(0), outcome != .wantsCertificate, outcome != .wantsTurn { layer.context.clearInput() }
        switch outcome {
        case .done:
            endHandshake(slot, session.isResumed ? .resumed : .full)
            slot.connection.phase = .idle
            table.deadlines.set(.head, slot, now: now)
            return true
        case .wantsInput:
            // There is output only after a complete first message.
            if unsafe !layer.context.output.isEmpty { noteHello(slot) }
            // All messages of a handshake have one deadline.
            if unsafe flush(slot) { watch(slot, for: .readable) }
        case .wantsCertificate, .wantsTurn:
            noteHello(slot)
            slot.connection.phase = .certificate
            unsafe slot.connection.held = HeldBytes(copying: layer.context.unreadRecords)
            layer.context.clearInput()
            // Nothing is received, but the end of the client ends its handshake.
            watch(slot, for: .end)
            if outcome == .wantsTurn { waitForTurn(slot) }
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

    /// Marks that the client's first message is complete: handshakes without one are closed earlier when room is needed.
    private mutating func noteHello(_ slot: Slot) {
        if slot.connection.deadline.kind == .hello { table.deadlines.change(slot, to: .handshake) }
    }

    /// Continues the handshakes whose certificate has been looked up on disk.
    mutating func resumeHandshakes() {
        for reply in control.readyHandshakes.take() {
            // The connection may have ended.
            guard let slot = table.slot(of: reply.token), case .certificate = slot.connection.phase else {
                continue
            }
            if let certificate = reply.answer {
                resumeHandshake(slot, certificate)
            } else {
                evict(slot)
            }
        }
    }

    private mutating func resumeHandshake(
        _ slot: Slot, _ certificate: CertificateLookup, hasTurn: Bool = false
    ) {
        guard let session = slot.connection.session else { return }
        slot.connection.phase = .handshake
        var held = slot.connection.held
        slot.connection.held = HeldBytes()
        if unsafe advanceHandshake(slot, session, held.bytes, certificate: certificate, hasTurn: hasTurn) {
            decryptReceived(slot, session)
        }
        held.release()
        limitMemory(after: slot)
    }

    /// A handshake weighs what its key costs, and waits for its turn.
    private mutating func waitForTurn(_ slot: Slot) {
        guard let turn = layer.context.turn else { return }
        guard acceptor.weigh(slot, handshakeCost: turn.cost) else {
            accounting.counters.add(to: .connectionsRefused(.tooManyFromAddress))
            return close(slot, .refused)
        }
        turns.add(
            (table.token(slot), turn.certificate), group: turn.host, member: slot.connection.remote.networkGroup,
            cost: turn.cost)
    }

    /// Continues one handshake whose key is slow: one in each round, so that no other client waits for more than one signature.
    mutating func takeTurn() {
        guard let next = turns.takeNext(), let slot = table.slot(of: next.token),
            case .certificate = slot.connection.phase
        else { return }
        resumeHandshake(slot, next.certificate, hasTurn: true)
    }

    /// Sends OpenSSL's alert and lingers, so that a reset does not destroy it.
    mutating func endWithAlert(_ slot: Slot, _ reason: CloseReason) {
        writer.clear()
        endWithOutput(slot, reason)
    }

    private mutating func endWithOutput(_ slot: Slot, _ reason: CloseReason) {
        slot.connection.closeReason = reason
        slot.connection.leaveBody()
        slot.connection.phase = .lingering
        slot.connection.ending = .linger
        if unsafe flush(slot) { linger(slot) }
    }

    /// Answers plain HTTP on a TLS port with a text, because a person who typed `http://` with this port could not understand an
    /// alert.
    private mutating func refusePlainHTTP(_ slot: Slot, _ session: SecureSession) {
        endHandshake(slot, .plainHTTP)
        session.end()
        slot.connection.transport = .plain
        layer.context.clearOutput()
        writer.clear()
        accounting.beginExchangeWithoutRequest(from: slot.connection.remote)
        WireText.wrongPort.withUTF8Buffer {
            let response = Response(status: .badRequest, closes: true)
            unsafe compose(response, fields: WireText.plainText, body: UnsafeRawBufferPointer($0), isSecure: false)
        }
        endWithOutput(slot, .refused)
    }
}
