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
        let heldCount = slot.connection.held.count
        let end = heldCount + Worker.receivedBytesMax
        unsafe precondition(end <= input.count, "the input has room after the held bytes")
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: input[heldCount..<end])
        switch unsafe slot.connection.transport.receive(slot.connection.fd, into: room, layer) {
        case .moved(let count):
            if case .lingering = slot.connection.phase { return }
            slot.connection.receivedBytes += count
            slot.connection.progress += count
            accounting.counters.add(count, to: .bytesReceived)
            if let session = slot.connection.session { return readRecords(slot, session, byteCount: count) }
            if case .proxyHeader(let tlsFollows) = slot.connection.phase {
                return readProxyHeader(slot, count, tlsFollows: tlsFollows)
            }
            processInput(slot, receivedCount: count)
        case .wouldBlock:
            watch(slot, for: .readable)
        case .ended: close(slot, .client)
        case .failed: close(slot, .error)
        }
    }

    /// Processes received TLS records, which are in the buffer of the layer.
    mutating func readRecords(_ slot: Slot, _ session: SecureSession, byteCount: Int) {
        let received = unsafe UnsafeRawBufferPointer(rebasing: layer.received[..<byteCount])
        if case .handshake = slot.connection.phase {
            guard unsafe advanceHandshake(slot, session, received) else { return }
        } else {
            unsafe session.feed(layer.context, received)
        }
        decryptReceived(slot, session)
    }

    /// Decrypts the records that the session was given, and processes their bytes.
    mutating func decryptReceived(_ slot: Slot, _ session: SecureSession) {
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: input[slot.connection.held.count...])
        let (count, outcome) = unsafe layer.decrypt(session, into: room)
        layer.context.clearInput()
        switch outcome {
        case .failed:
            // A broken session answers nothing, not even complete requests before the error.
            endWithAlert(slot, .error)
        case _ where count > 0:
            if outcome != .wantsInput { slot.connection.hasEnded = true }
            processInput(slot, receivedCount: count)
        case .wantsInput, .wantsCertificate, .wantsTurn, .done:
            // A handshake message or a key update may be waiting to be sent.
            writer.clear()
            if unsafe flush(slot) { watch(slot, for: .readable) }
        case .ended:
            closeGracefully(slot, .client)
        }
    }

    /// Processes the held bytes, and those received after them.
    mutating func processInput(_ slot: Slot, receivedCount: Int) {
        let count = slot.connection.held.count + receivedCount
        unsafe precondition(count <= input.count, "held bytes fit into the input")
        unsafe input.copyMemory(from: slot.connection.held.bytes)
        slot.connection.held.release()
        catalogue.update()
        writer.clear()
        accounting.resumeExchanges(of: slot)
        var offset = 0
        var step = Step.next
        let requestsBefore = slot.connection.requestCount
        while case .next = step, offset < count {
            if writer.output.count >= ResponseWriter.batchBytesMax, unsafe !flush(slot) {
                step = .stopped
            } else if case .idle = slot.connection.phase,
                slot.connection.requestCount &- requestsBefore >= Worker.requestsPerTurnMax
            {
                step = unsafe flush(slot) ? .yields : .stopped
            } else {
                step = unsafe advance(slot, UnsafeRawBufferPointer(rebasing: input[offset..<count]), &offset)
            }
        }
        // A client that has sent more would get a reset, perhaps before it has read its answers.
        if offset < count, slot.connection.ending == .close { slot.connection.ending = .linger }
        switch step {
        case .stopped:
            holdInput(slot, offset..<count)
        case .yields:
            holdInput(slot, offset..<count)
            // The poller reports the other connections first, and this one when it can send.
            table.deadlines.set(.write, slot, now: now)
            slot.connection.progress = 0
            watch(slot, for: .writable)
        case .pauses:
            holdInput(slot, offset..<count)
            accounting.holdExchanges(of: slot)
            table.deadlines.set(.head, slot, now: now)
            stopWatching(slot)
        case .next, .needsInput, .ending:
            finishTurn(slot, unused: offset..<count)
        }
    }

    /// One step of a connection: a head, or a piece of a body.
    private mutating func advance(_ slot: Slot, _ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Step {
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        switch slot.connection.phase {
        case .idle:
            return readHead(slot, RequestParser(), span, &offset)
        case .head(let parser):
            return readHead(slot, parser, span, &offset)
        case .body(var drain, let response, let owner):
            switch drain.drain(span) {
            case .incomplete:
                unsafe slot.connection.phase = .body(drain, response, owner)
                offset += span.count
                return .needsInput
            case .rejected(let reason):
                slot.connection.leaveBody()
                return reject(slot, reason)
            case .complete(let used):
                offset += used
                slot.connection.phase = .idle
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
            slot.connection.phase = .head(parser)
            return .needsInput
        case .rejected(let reason):
            accounting.beginExchange(parser.headSoFar, bytes, from: slot.connection.remote)
            return reject(slot, reason)
        case .complete(var head, let used):
            let token = challengeToken(head, bytes)
            slot.connection.phase = .idle
            // Earlier answers are sent first. If they cannot be sent at once, the head is parsed again later.
            if token != nil, unsafe !flush(slot) { return .stopped }
            offset += used
            var (remote, isFine) = (slot.connection.remote, true)
            if slot.connection.isTrustedProxy { isFine = applyForwardedFields(&head, bytes, &remote) }
            accounting.beginExchange(head, bytes, from: remote)
            if slot.connection.isTrustedProxy { accounting.noteTrace(head, bytes) }
            if !isFine { return reject(slot, .malformedHost) }
            slot.connection.requestCount &+= 1
            slot.connection.closeReason = closeReason(after: head, slot) ?? slot.connection.closeReason
            if let token { return enqueueChallenge(slot, head, bytes, token) }
            return respond(slot, head, bytes, used)
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
            slot.connection.requestCount >= limits.requestsPerConnectionMax
            || slot.connection.receivedBytes >= limits.bytesPerConnectionMax
        if hasHadItsShare { return .limit }
        return acceptor.drain == nil ? nil : .drained
    }

    /// Decides the answer, and writes it now or after the request's body.
    private mutating func respond(_ slot: Slot, _ head: RequestHead, _ bytes: Span<UInt8>, _ used: Int) -> Step {
        let session = slot.connection.session
        let channel = unsafe ConnectionFacts(
            serverName: head.hostIsForwarded ? nil : session?.serverName,
            redirectsPages: session == nil && settings.redirectsPages && !head.cameSecurely)
        var response = Responder.respond(to: head, bytes, catalogue.view, channel, now: accounting.seconds) {
            layer.context.expectsCertificate(for: $0)
        }
        accounting.noteSubject(response)
        response.closes = slot.connection.closeReason != nil
        response.announcesKeepAlive = head.minorVersion == 0 && !response.closes
        if response.repeatsRequest {
            // It must be written before the input is overwritten, so a request with a body ends the connection.
            let hasBody = head.body != .none
            response.closes = response.closes || hasBody
            compose(response, slot, request: bytes)
            if response.closes { slot.connection.ending = hasBody ? .linger : .close }
            return response.closes ? .ending : .next
        }
        guard let drain = BodyReader(head.body, bytesMax: limits.bodyBytesMax) else {
            return unsafe writeAnswer(slot, response, catalogue.owner)
        }
        if drain.isTooLong { return reject(slot, .bodyTooLong) }
        if head.expectsContinue, used == bytes.count {
            // The final answer instead of "100 Continue", so that the client does not send its body. The connection has to end,
            // because the client may send it anyway (RFC 9110 §10.1.1).
            response.closes = true
            let step = unsafe writeAnswer(slot, response, catalogue.owner)
            slot.connection.ending = .linger
            return step
        }
        unsafe slot.connection.phase = .body(drain, response, catalogue.owner.retain())
        return .next
    }

    /// Writes an answer to the output; a large body is sent without a copy.
    private mutating func writeAnswer(_ slot: Slot, _ response: Response, _ owner: Unmanaged<Catalogue>) -> Step {
        if response.closes { slot.connection.ending = .close }
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
        return writer.write(
            response, isSecure: slot?.connection.session != nil, request: request, isBodyKept: isBodyKept)
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
        slot.connection.closeReason = .refused
        compose(Response(status: reason.status, closes: true))
        slot.connection.ending = .linger
        return .ending
    }

    /// Refuses a request whose head did not arrive in time.
    mutating func rejectLateHead(_ slot: Slot) {
        writer.clear()
        if case .head(let parser) = slot.connection.phase {
            unsafe input.copyMemory(from: slot.connection.held.bytes)
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: input[..<slot.connection.held.count])
            unsafe accounting.beginExchange(
                parser.headSoFar, Span<UInt8>(_unsafeBytes: bytes), from: slot.connection.remote)
        }
        reject(slot, .timedOut)
        finishTurn(slot, unused: 0..<0)
    }
}
