// From received bytes to answers. Requests that came together are answered together, in order and in one write.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// What to do after a step through the input.
    enum Step {
        /// Go on with what is left of the input.
        case next
        /// Everything useful of it is used; more has to come.
        case needsInput
        /// No more requests are taken from this connection.
        case ending
        /// The client has to take what is there before it gets more, or is gone.
        case stopped
        /// It has had its turn; what is left of the input waits for the next.
        case yields
        /// The answer is still to be found; what is left of the input waits for it.
        case pauses
    }

    /// Reads what has come for a connection and goes on with it.
    mutating func receive(_ slot: Slot) {
        let heldCount = slot.pointee.held.count
        let end = heldCount + Worker.receivedBytesMax
        precondition(end <= input.count, "what is kept of a request leaves room for what comes")
        let room = UnsafeMutableRawBufferPointer(rebasing: input[heldCount..<end])
        switch slot.pointee.transport.receive(slot.pointee.fd, into: room, layer) {
        case .moved(let count):
            if case .lingering = slot.pointee.phase { return }
            slot.pointee.receivedBytes += count
            slot.pointee.progress += count
            accounting.counters.add(count, to: .bytesReceived)
            if let session = slot.pointee.session { return readRecords(slot, session, byteCount: count) }
            if case .proxyHeader(let tlsFollows) = slot.pointee.phase {
                return readProxyHeader(slot, count, tlsFollows: tlsFollows)
            }
            processHeld(slot, andReceived: count)
        case .wouldBlock:
            watch(slot, for: .readable)
        case .ended: close(slot, .client)
        case .failed: close(slot, .error)
        }
    }

    /// Goes on with what is in the records that the session was fed with.
    mutating func readRequests(_ slot: Slot, _ session: SecureSession) {
        let room = UnsafeMutableRawBufferPointer(rebasing: input[slot.pointee.held.count...])
        let (count, outcome) = layer.open(session, into: room)
        layer.context.forgetRecords()
        switch outcome {
        case .failed:
            // A broken session answers nothing more, not even what came whole before.
            endWithAlert(slot, .error)
        case _ where count > 0:
            if outcome != .wantsInput { slot.pointee.hasEnded = true }
            processHeld(slot, andReceived: count)
        case .wantsInput, .wantsCertificate, .done:
            // A flight of the handshake or a key update may be waiting to be sent.
            writer.clear()
            if flush(slot) { watch(slot, for: .readable) }
        case .ended:
            closeGracefully(slot, .client)
        }
    }

    /// Goes on with the bytes that were kept, and those that have been received behind them.
    mutating func processHeld(_ slot: Slot, andReceived receivedCount: Int) {
        let count = slot.pointee.held.count + receivedCount
        precondition(count <= input.count, "what is kept of requests fits where it came from")
        input.copyMemory(from: slot.pointee.held.bytes)
        slot.pointee.held.release()
        catalogue.update()
        writer.clear()
        accounting.resume(slot)
        var offset = 0
        var step = Step.next
        let requestsBefore = slot.pointee.requestCount
        while case .next = step, offset < count {
            if writer.output.count >= ResponseWriter.batchBytesMax, !flush(slot) {
                step = .stopped
            } else if case .idle = slot.pointee.phase,
                slot.pointee.requestCount &- requestsBefore >= Worker.requestsPerTurnMax
            {
                step = flush(slot) ? .yields : .stopped
            } else {
                step = advance(slot, UnsafeRawBufferPointer(rebasing: input[offset..<count]), &offset)
            }
        }
        switch step {
        case .stopped:
            // With bytes unread, closing at once would reset what the client has still to take.
            if offset < count, slot.pointee.ending == .close { slot.pointee.ending = .linger }
            holdInput(slot, offset..<count)
        case .yields:
            holdInput(slot, offset..<count)
            // The poller reports the others first, and this one when there is room for its answers.
            table.deadlines.set(.write, slot, now: now)
            slot.pointee.progress = 0
            watch(slot, for: .writable)
        case .pauses:
            holdInput(slot, offset..<count)
            accounting.hold(for: slot)
            table.deadlines.set(.head, slot, now: now)
            stopWatching(slot)
        case .next, .needsInput, .ending:
            finishTurn(slot, unused: offset..<count)
        }
    }

    /// One step of a connection: a head, or a piece of a body.
    private mutating func advance(_ slot: Slot, _ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Step {
        let span = Span<UInt8>(_unsafeBytes: bytes)
        switch slot.pointee.phase {
        case .idle:
            return readHead(slot, RequestParser(), span, &offset)
        case .head(let parser):
            return readHead(slot, parser, span, &offset)
        case .body(var drain, let response, let owner):
            switch drain.drain(span) {
            case .incomplete:
                slot.pointee.phase = .body(drain, response, owner)
                offset += span.count
                return .needsInput
            case .rejected(let reason):
                slot.pointee.leaveBody()
                return reject(slot, reason)
            case .complete(let used):
                offset += used
                slot.pointee.phase = .idle
                let step = answer(slot, response, owner)
                owner.release()
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
            slot.pointee.phase = .head(parser)
            return .needsInput
        case .rejected(let reason):
            accounting.begin(parser.headSoFar, bytes, from: slot.pointee.remote)
            return reject(slot, reason)
        case .complete(var head, let used):
            let token = challengeToken(head, bytes)
            slot.pointee.phase = .idle
            // What comes before it goes first, records of the session's own too; the head is read once more then.
            if token != nil, !flush(slot) { return .stopped }
            offset += used
            var (remote, isFine) = (slot.pointee.remote, true)
            if slot.pointee.isFront { isFine = applyForwardedFields(&head, bytes, &remote) }
            accounting.begin(head, bytes, from: remote)
            if slot.pointee.isFront { accounting.noteTrace(head, bytes) }
            if !isFine { return reject(slot, .malformedHost) }
            slot.pointee.requestCount &+= 1
            slot.pointee.closeReason = closeReason(after: head, slot) ?? slot.pointee.closeReason
            if let token { return askForChallenge(slot, head, bytes, token) }
            return respond(slot, head, bytes, used)
        }
    }

    /// Believes what a front says about a request. False when the host that it names is none.
    private func applyForwardedFields(
        _ head: inout RequestHead, _ bytes: Span<UInt8>, _ remote: inout RemoteAddress
    ) -> Bool {
        guard let facts = ForwardedFacts(head, bytes, settings.fronts) else { return false }
        if let client = facts.client { remote = RemoteAddress(client) }
        head.cameSecurely = facts.isSecure == true
        if facts.host.isPresent {
            head.host = facts.host
            head.hostIsForwarded = true
        }
        return true
    }

    /// Why a request is the connection's last one; nil when it is not.
    private func closeReason(after head: RequestHead, _ slot: Slot) -> CloseReason? {
        if !head.wantsKeepAlive { return .finished }
        let hasHadItsShare =
            slot.pointee.requestCount >= limits.requestsPerConnectionMax
            || slot.pointee.receivedBytes >= limits.bytesPerConnectionMax
        if hasHadItsShare { return .limit }
        return acceptor.drain == nil ? nil : .drained
    }

    /// Decides the answer, and gives it now or when the request's body is over.
    private mutating func respond(_ slot: Slot, _ head: RequestHead, _ bytes: Span<UInt8>, _ used: Int) -> Step {
        let session = slot.pointee.session
        let channel = Channel(
            serverName: head.hostIsForwarded ? nil : session?.serverName,
            redirectsPages: session == nil && settings.redirectsPages && !head.cameSecurely)
        var response = Responder.respond(to: head, bytes, catalogue.view, channel, now: accounting.seconds) {
            layer.context.expectsCertificate(for: $0)
        }
        accounting.noteSubject(response)
        response.closes = slot.pointee.closeReason != nil
        response.announcesKeepAlive = head.minorVersion == 0 && !response.closes
        if response.repeatsRequest {
            // It is written while the request is at hand, and a body behind it ends the connection.
            let hasBody = head.body != .none
            response.closes = response.closes || hasBody
            write(response, slot, request: bytes)
            if response.closes { slot.pointee.ending = hasBody ? .linger : .close }
            return response.closes ? .ending : .next
        }
        guard let drain = BodyDrain(head.body, bytesMax: limits.bodyBytesMax) else {
            return answer(slot, response, catalogue.owner)
        }
        if drain.isTooLong { return reject(slot, .bodyTooLong) }
        if head.expectsContinue, used == bytes.count {
            // The final answer instead of "100 Continue": the client keeps its body. The connection has to end, because
            // the client might send it all the same (RFC 9110 §10.1.1).
            response.closes = true
            let step = answer(slot, response, catalogue.owner)
            slot.pointee.ending = .linger
            return step
        }
        slot.pointee.phase = .body(drain, response, catalogue.owner.retain())
        return .next
    }

    /// Puts an answer into the output; a large body is sent from where it is.
    private mutating func answer(_ slot: Slot, _ response: Response, _ owner: Unmanaged<Catalogue>) -> Step {
        if let parts = response.parts {
            write(response, slot)
            let isSent = flush(slot, parts: parts, owner: owner)
            // The end of a part is not yet that of the answer.
            if response.closes { slot.pointee.ending = .close }
            if !isSent { return .stopped }
        } else {
            if response.closes { slot.pointee.ending = .close }
            // Only the catalogue in use is sure to be there for as long as the output.
            let body = write(response, slot, isBodyKept: owner.toOpaque() == catalogue.owner.toOpaque())
            if body.count > 0, !flush(slot, body: body, owner: owner) { return .stopped }
        }
        return response.closes ? .ending : .next
    }

    /// Puts an answer into the output, up to a large body, which is returned. A refusal is the same for all, so it is written
    /// without a slot.
    @discardableResult
    mutating func write(
        _ response: Response, _ slot: Slot? = nil, request: Span<UInt8> = Span(), isBodyKept: Bool = true
    ) -> Body {
        accounting.noteAnswer(response, bodyBytes: writer.bodyBytes(of: response))
        return writer.write(
            response, isSecure: slot?.pointee.session != nil, request: request, isBodyKept: isBodyKept)
    }

    /// Puts an answer into the output whose body is not in the catalogue.
    mutating func write(_ response: Response, fields: StaticString, body: UnsafeRawBufferPointer, isSecure: Bool) {
        accounting.noteAnswer(response, bodyBytes: response.isHeadOnly ? 0 : body.count)
        writer.write(response, fields: fields, body: body, isSecure: isSecure)
    }

    /// Refuses what the client sent. Where the next request would begin is not known, so there is none.
    @discardableResult
    private mutating func reject(_ slot: Slot, _ reason: Rejection) -> Step {
        accounting.counters.add(to: .refusedRequests(reason))
        slot.pointee.closeReason = .refused
        write(Response(status: reason.status, closes: true))
        slot.pointee.ending = .linger
        return .ending
    }

    /// Refuses a request whose head did not come in time.
    mutating func rejectLateHead(_ slot: Slot) {
        writer.clear()
        if case .head(let parser) = slot.pointee.phase {
            input.copyMemory(from: slot.pointee.held.bytes)
            let bytes = UnsafeRawBufferPointer(rebasing: input[..<slot.pointee.held.count])
            accounting.begin(parser.headSoFar, Span<UInt8>(_unsafeBytes: bytes), from: slot.pointee.remote)
        }
        reject(slot, .timedOut)
        finishTurn(slot, unused: 0..<0)
    }
}
