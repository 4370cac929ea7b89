// From received bytes to answers. Requests that arrive together are answered together, in order and in one write.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// How to continue after a step through the input.
    enum Step {
        /// Continue with the rest of the input.
        case next
        /// Wait for more input.
        case needsInput
        /// Read no more requests from this connection.
        case ending
        /// Wait until the client has read more, or the connection is gone.
        case stopped
        /// Continue with the rest of the input in the connection's next turn.
        case yields
        /// Continue with the rest of the input when the answer has been found.
        case pauses
    }

    /// Receives plain bytes of a connection, or records of its session, and processes them.
    mutating func receive(_ slot: Slot) {
        let heldCount = unsafe slot.pointee.held.count
        let end = heldCount + Worker.receivedBytesMax
        unsafe precondition(end <= input.count, "the input has room after the held bytes")
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: input[heldCount..<end])
        switch unsafe slot.pointee.transport.receive(slot.pointee.fd, into: room, layer) {
        case .moved(let count):
            if case .lingering = unsafe slot.pointee.phase { return }
            unsafe slot.pointee.receivedBytes += count
            unsafe slot.pointee.progress += count
            accounting.counters.add(count, to: .bytesReceived)
            if let session = unsafe slot.pointee.session { return unsafe readRecords(slot, session, byteCount: count) }
            if case .proxyHeader(let tlsFollows) = unsafe slot.pointee.phase {
                return unsafe readProxyHeader(slot, count, tlsFollows: tlsFollows)
            }
            unsafe processInput(slot, receivedCount: count)
        case .wouldBlock:
            unsafe watch(slot, for: .readable)
        case .ended: unsafe close(slot, .client)
        case .failed: unsafe close(slot, .error)
        }
    }

    /// Processes received TLS records, which are in the buffer of the layer.
    mutating func readRecords(_ slot: Slot, _ session: SecureSession, byteCount: Int) {
        let received = unsafe UnsafeRawBufferPointer(rebasing: layer.received[..<byteCount])
        if case .handshake = unsafe slot.pointee.phase {
            guard unsafe advanceHandshake(slot, session, received) else { return }
        } else {
            unsafe session.feed(layer.context, received)
        }
        unsafe decryptReceived(slot, session)
    }

    /// Decrypts the records that the session was given, and processes their bytes.
    mutating func decryptReceived(_ slot: Slot, _ session: SecureSession) {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: input[slot.pointee.held.count...])
        let (count, outcome) = unsafe layer.decrypt(session, into: room)
        layer.context.clearInput()
        switch outcome {
        case .failed:
            // A broken session answers nothing, not even complete requests before the error.
            unsafe endWithAlert(slot, .error)
        case _ where count > 0:
            if outcome != .wantsInput { unsafe slot.pointee.hasEnded = true }
            unsafe processInput(slot, receivedCount: count)
        case .wantsInput, .wantsCertificate, .wantsTurn, .done:
            // A handshake message or a key update may be waiting to be sent.
            writer.clear()
            if unsafe flush(slot) { unsafe watch(slot, for: .readable) }
        case .ended:
            unsafe closeGracefully(slot, .client)
        }
    }

    /// Processes the held bytes, and those received after them.
    mutating func processInput(_ slot: Slot, receivedCount: Int) {
        let count = unsafe slot.pointee.held.count + receivedCount
        unsafe precondition(count <= input.count, "held bytes fit into the input")
        unsafe input.copyMemory(from: slot.pointee.held.bytes)
        unsafe slot.pointee.held.release()
        catalogue.update()
        writer.clear()
        unsafe accounting.resumeExchanges(of: slot)
        var offset = 0
        var step = Step.next
        let requestsBefore = unsafe slot.pointee.requestCount
        while case .next = step, offset < count {
            if writer.output.count >= ResponseWriter.batchBytesMax, unsafe !flush(slot) {
                step = .stopped
            } else if case .idle = unsafe slot.pointee.phase,
                unsafe slot.pointee.requestCount &- requestsBefore >= Worker.requestsPerTurnMax
            {
                step = unsafe flush(slot) ? .yields : .stopped
            } else {
                step = unsafe advance(slot, UnsafeRawBufferPointer(rebasing: input[offset..<count]), &offset)
            }
        }
        // A client that has sent more would get a reset, perhaps before it has read its answers.
        if offset < count, unsafe slot.pointee.ending == .close { unsafe slot.pointee.ending = .linger }
        switch step {
        case .stopped:
            unsafe holdInput(slot, offset..<count)
        case .yields:
            unsafe holdInput(slot, offset..<count)
            // The poller reports the other connections first, and this one when it can send.
            unsafe table.deadlines.set(.write, slot, now: now)
            unsafe slot.pointee.progress = 0
            unsafe watch(slot, for: .writable)
        case .pauses:
            unsafe holdInput(slot, offset..<count)
            unsafe accounting.holdExchanges(of: slot)
            unsafe table.deadlines.set(.head, slot, now: now)
            unsafe stopWatching(slot)
        case .next, .needsInput, .ending:
            unsafe finishTurn(slot, unused: offset..<count)
        }
    }

    /// One step of a connection: a head, or a piece of a body.
    private mutating func advance(_ slot: Slot, _ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Step {
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        switch unsafe slot.pointee.phase {
        case .idle:
            return unsafe readHead(slot, RequestParser(), span, &offset)
        case .head(let parser):
            return unsafe readHead(slot, parser, span, &offset)
        case .body(var drain, let response, let owner):
            switch drain.drain(span) {
            case .incomplete:
                unsafe slot.pointee.phase = .body(drain, response, owner)
                offset += span.count
                return .needsInput
            case .rejected(let reason):
                unsafe slot.pointee.leaveBody()
                return unsafe reject(slot, reason)
            case .complete(let used):
                offset += used
                unsafe slot.pointee.phase = .idle
                let step = unsafe writeAnswer(slot, response, owner)
                unsafe owner.release()
                return step
            }
        case .proxyHeader, .handshake, .certificate, .challenge, .lingering:
            preconditionFailure("no request is read before a handshake, in a pause or after a refusal")
        }
    }

    private mutating func readHead(
        _ slot: Slot, _ parser: RequestParser, _ bytes: Span<UInt8>, _ offset: inout Int
    ) -> Step {
        var parser = parser
        switch parser.parse(bytes, limits: limits.head) {
        case .incomplete:
            unsafe slot.pointee.phase = .head(parser)
            return .needsInput
        case .rejected(let reason):
            unsafe accounting.beginExchange(parser.headSoFar, bytes, from: slot.pointee.remote)
            return unsafe reject(slot, reason)
        case .complete(var head, let used):
            let token = challengeToken(head, bytes)
            unsafe slot.pointee.phase = .idle
            // Earlier answers are sent first. If they cannot be sent at once, the head is parsed again later.
            if token != nil, unsafe !flush(slot) { return .stopped }
            offset += used
            var (remote, isFine) = unsafe (slot.pointee.remote, true)
            if unsafe slot.pointee.isTrustedProxy { isFine = applyForwardedFields(&head, bytes, &remote) }
            accounting.beginExchange(head, bytes, from: remote)
            if unsafe slot.pointee.isTrustedProxy { accounting.noteTrace(head, bytes) }
            if !isFine { return unsafe reject(slot, .malformedHost) }
            unsafe slot.pointee.requestCount &+= 1
            unsafe slot.pointee.closeReason = closeReason(after: head, slot) ?? slot.pointee.closeReason
            if let token { return unsafe enqueueChallenge(slot, head, bytes, token) }
            return unsafe respond(slot, head, bytes, used)
        }
    }

    /// Applies the forwarding fields of a trusted proxy. False when the host that they name is malformed.
    private func applyForwardedFields(
        _ head: inout RequestHead, _ bytes: Span<UInt8>, _ remote: inout RemoteAddress
    ) -> Bool {
        guard let facts = ForwardedFacts(head, bytes, settings.trustedProxies) else { return false }
        if let client = facts.client { remote = RemoteAddress(client) }
        head.cameSecurely = facts.isSecure == true
        if facts.host.isPresent {
            head.host = facts.host
            head.hostIsForwarded = true
        }
        return true
    }

    /// Why the connection ends after a request; nil when it does not.
    private func closeReason(after head: RequestHead, _ slot: Slot) -> CloseReason? {
        if !head.wantsKeepAlive { return .finished }
        let hasHadItsShare =
            unsafe slot.pointee.requestCount >= limits.requestsPerConnectionMax
            || slot.pointee.receivedBytes >= limits.bytesPerConnectionMax
        if hasHadItsShare { return .limit }
        return acceptor.drain == nil ? nil : .drained
    }

    /// Decides the answer, and writes it now or after the request's body.
    private mutating func respond(_ slot: Slot, _ head: RequestHead, _ bytes: Span<UInt8>, _ used: Int) -> Step {
        let session = unsafe slot.pointee.session
        let channel = unsafe ConnectionFacts(
            serverName: head.hostIsForwarded ? nil : session?.serverName,
            redirectsPages: session == nil && settings.redirectsPages && !head.cameSecurely)
        var response = Responder.respond(to: head, bytes, catalogue.view, channel, now: accounting.seconds) {
            layer.context.expectsCertificate(for: $0)
        }
        accounting.noteSubject(response)
        response.closes = unsafe slot.pointee.closeReason != nil
        response.announcesKeepAlive = head.minorVersion == 0 && !response.closes
        if response.repeatsRequest {
            // It must be written before the input is overwritten, so a request with a body ends the connection.
            let hasBody = head.body != .none
            response.closes = response.closes || hasBody
            unsafe compose(response, slot, request: bytes)
            if response.closes { unsafe slot.pointee.ending = hasBody ? .linger : .close }
            return response.closes ? .ending : .next
        }
        guard let drain = BodyReader(head.body, bytesMax: limits.bodyBytesMax) else {
            return unsafe writeAnswer(slot, response, catalogue.owner)
        }
        if drain.isTooLong { return unsafe reject(slot, .bodyTooLong) }
        if head.expectsContinue, used == bytes.count {
            // The final answer instead of "100 Continue", so that the client does not send its body. The connection has to end,
            // because the client may send it anyway (RFC 9110 §10.1.1).
            response.closes = true
            let step = unsafe writeAnswer(slot, response, catalogue.owner)
            unsafe slot.pointee.ending = .linger
            return step
        }
        unsafe slot.pointee.phase = .body(drain, response, catalogue.owner.retain())
        return .next
    }

    /// Writes an answer to the output; a large body is sent without a copy.
    private mutating func writeAnswer(_ slot: Slot, _ response: Response, _ owner: Unmanaged<Catalogue>) -> Step {
        if response.closes { unsafe slot.pointee.ending = .close }
        // Only the bytes of the catalogue in use stay valid as long as the output.
        let body = unsafe compose(response, slot, isBodyKept: owner.toOpaque() == catalogue.owner.toOpaque())
        if body.count > 0, unsafe !flush(slot, body: body, owner: owner) { return .stopped }
        return response.closes ? .ending : .next
    }

    /// Writes an answer to the output and returns a large body. Refusals do not depend on the connection, so they have no slot.
    @discardableResult
    mutating func compose(
        _ response: Response, _ slot: Slot? = nil, request: Span<UInt8> = Span(), isBodyKept: Bool = true
    ) -> Body {
        accounting.noteAnswer(response, bodyBytes: writer.bodyBytes(of: response))
        return unsafe writer.write(
            response, isSecure: slot?.pointee.session != nil, request: request, isBodyKept: isBodyKept)
    }

    /// Writes an answer to the output whose body is not in the catalogue.
    mutating func compose(_ response: Response, fields: StaticString, body: UnsafeRawBufferPointer, isSecure: Bool) {
        accounting.noteAnswer(response, bodyBytes: response.isHeadOnly ? 0 : body.count)
        unsafe writer.write(response, fields: fields, body: body, isSecure: isSecure)
    }

    /// Refuses a malformed request. The connection ends, because the start of the next request is not known.
    @discardableResult
    private mutating func reject(_ slot: Slot, _ reason: Rejection) -> Step {
        accounting.counters.add(to: .refusedRequests(reason))
        unsafe slot.pointee.closeReason = .refused
        unsafe compose(Response(status: reason.status, closes: true))
        unsafe slot.pointee.ending = .linger
        return .ending
    }

    /// Refuses a request whose head did not arrive in time.
    mutating func rejectLateHead(_ slot: Slot) {
        writer.clear()
        if case .head(let parser) = unsafe slot.pointee.phase {
            unsafe input.copyMemory(from: slot.pointee.held.bytes)
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: input[..<slot.pointee.held.count])
            unsafe accounting.beginExchange(
                parser.headSoFar, Span<UInt8>(_unsafeBytes: bytes), from: slot.pointee.remote)
        }
        unsafe reject(slot, .timedOut)
        unsafe finishTurn(slot, unused: 0..<0)
    }
}
