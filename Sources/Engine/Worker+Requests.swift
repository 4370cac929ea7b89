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
    mutating func receive(_ index: Int32) {
        let slot = table.slots + Int(index)
        if slot.pointee.session != nil { return receiveRecords(index) }
        let heldCount = slot.pointee.held.count
        let end = heldCount + Worker.receivedBytesMax
        precondition(end <= input.count, "what is kept of a request leaves room for what comes")
        let room = UnsafeMutableRawBufferPointer(rebasing: input[heldCount..<end])
        switch Posix.receive(slot.pointee.fd, into: room) {
        case .moved(let count):
            if case .lingering = slot.pointee.phase { return }
            noteReceived(slot, count)
            if case .proxyHeader = slot.pointee.phase { return receiveProxyHeader(index, count) }
            processHeld(index, andReceived: count)
        case .wouldBlock:
            wait(index, for: .readable)
        case .ended: close(index, .client)
        case .failed: close(index, .error)
        }
    }

    func noteReceived(_ slot: UnsafeMutablePointer<Connection>, _ count: Int) {
        slot.pointee.receivedBytes += count
        slot.pointee.progress += count
        recorder.counters.add(count, to: .bytesReceived)
    }

    /// Goes on with the bytes that were kept, and those that have been received behind them.
    mutating func processHeld(_ index: Int32, andReceived count: Int, hasEnded: Bool = false) {
        let slot = table.slots + Int(index)
        if hasEnded { slot.pointee.hasEnded = true }
        let heldCount = slot.pointee.held.count
        precondition(heldCount + count <= input.count, "what is kept of requests fits where it came from")
        input.copyMemory(from: slot.pointee.held.bytes)
        slot.pointee.held.release()
        process(index, count: heldCount + count)
    }

    /// Works through `input[..<count]`.
    private mutating func process(_ index: Int32, count: Int) {
        takeNewCatalogue()
        output.clear()
        resumeExchanges(index)
        var offset = 0
        var step = Step.next
        let requestsBefore = table.slots[Int(index)].requestCount
        while case .next = step, offset < count {
            if output.count >= Worker.batchBytesMax, !flush(index) {
                step = .stopped
            } else if case .idle = table.slots[Int(index)].phase,
                table.slots[Int(index)].requestCount &- requestsBefore >= Worker.requestsPerTurnMax
            {
                step = flush(index) ? .yields : .stopped
            } else {
                step = advance(index, UnsafeRawBufferPointer(rebasing: input[offset..<count]), &offset)
            }
        }
        switch step {
        case .stopped:
            // With bytes unread, closing at once would reset what the client has still to take.
            if offset < count, table.slots[Int(index)].ending == .close { table.slots[Int(index)].ending = .linger }
            hold(index, offset..<count)
        case .yields:
            hold(index, offset..<count)
            // The poller reports the others first, and this one when there is room for its answers.
            deadlines.set(.write, for: index, now: now, in: table.slots)
            table.slots[Int(index)].progress = 0
            wait(index, for: .writable)
        case .pauses:
            hold(index, offset..<count)
            holdExchanges(index)
            deadlines.set(.head, for: index, now: now, in: table.slots)
            waitForNothing(index)
        case .next, .needsInput, .ending:
            settle(index, unused: offset..<count)
        }
    }

    /// One step of a connection: a head, or a piece of a body.
    private mutating func advance(_ index: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Step {
        let slot = table.slots + Int(index)
        let span = Span<UInt8>(_unsafeBytes: bytes)
        switch slot.pointee.phase {
        case .idle:
            return readHead(index, RequestParser(), span, &offset)
        case .head(let parser):
            return readHead(index, parser, span, &offset)
        case .body(var drain, let response, let catalogue):
            switch drain.drain(span) {
            case .incomplete:
                slot.pointee.phase = .body(drain, response, catalogue)
                offset += span.count
                return .needsInput
            case .rejected(let reason):
                leaveBody(slot)
                return reject(index, reason)
            case .complete(let used):
                offset += used
                slot.pointee.phase = .idle
                let step = answer(index, response, catalogue)
                catalogue.release()
                return step
            }
        case .proxyHeader, .handshake, .certificate, .challenge, .lingering:
            preconditionFailure("no request is read before a handshake, in a pause or after a refusal")
        }
    }

    private mutating func readHead(
        _ index: Int32, _ parser: RequestParser, _ bytes: Span<UInt8>, _ offset: inout Int
    ) -> Step {
        var parser = parser
        switch parser.parse(bytes, limits: limits.head) {
        case .incomplete:
            table.slots[Int(index)].phase = .head(parser)
            return .needsInput
        case .rejected(let reason):
            begin(parser.headSoFar, bytes, from: table.slots[Int(index)].remote)
            return reject(index, reason)
        case .complete(var head, let used):
            let token = challengeToken(head, bytes)
            if token != nil, !flush(index) {
                // What comes before it goes first, records of the session's own too; the head is read once more then.
                table.slots[Int(index)].phase = .idle
                return .stopped
            }
            offset += used
            table.slots[Int(index)].phase = .idle
            if table.slots[Int(index)].isFront {
                var remote = table.slots[Int(index)].remote
                let isFine = hear(&head, bytes, &remote)
                begin(head, bytes, from: remote)
                exchanges.last.pointee.noteTrace(head, bytes)
                if !isFine { return reject(index, .malformedHost) }
            } else {
                begin(head, bytes, from: table.slots[Int(index)].remote)
            }
            noteRequest(index, head)
            if let token { return askForChallenge(index, head, bytes, token) }
            return respond(index, head, bytes, used)
        }
    }

    /// Counts a request, and settles whether it is the last one.
    private func noteRequest(_ index: Int32, _ head: RequestHead) {
        let slot = table.slots + Int(index)
        slot.pointee.requestCount &+= 1
        if !head.wantsKeepAlive {
            slot.pointee.closeReason = .finished
        } else if hasHadItsShare(slot) {
            slot.pointee.closeReason = .limit
        } else if drain != nil {
            slot.pointee.closeReason = .drained
        }
    }

    /// Decides the answer, and gives it now or when the request's body is over.
    private mutating func respond(_ index: Int32, _ head: RequestHead, _ bytes: Span<UInt8>, _ used: Int) -> Step {
        let slot = table.slots + Int(index)
        let session = slot.pointee.session
        var channel = Channel(
            serverName: head.hostIsForwarded ? nil : session?.serverName,
            redirectsPages: session == nil && settings.redirectsPages && !head.cameSecurely)
        var response = Responder.respond(to: head, bytes, view, channel, now: wire.seconds)
        if response.location != nil, !secure.expectsCertificate(for: bytes.extracting(head.host.range)) {
            // Better the page in plain HTTP than a handshake that fails.
            channel.redirectsPages = false
            response = Responder.respond(to: head, bytes, view, channel, now: wire.seconds)
        }
        describe(response)
        response.closes = slot.pointee.closeReason != nil
        response.announcesKeepAlive = head.minorVersion == 0 && !response.closes
        if response.location != nil || response.landing != nil {
            return answerAtOnce(index, response, bytes, hasBody: head.body != .none)
        }
        guard let drain = BodyDrain(head.body, bytesMax: limits.bodyBytesMax) else {
            return answer(index, response, owner)
        }
        if drain.isTooLong { return reject(index, .bodyTooLong) }
        if head.expectsContinue, used == bytes.count {
            // The final answer instead of "100 Continue": the client keeps its body. The connection has to end, because
            // the client might send it all the same (RFC 9110 §10.1.1).
            response.closes = true
            let step = answer(index, response, owner)
            slot.pointee.ending = .linger
            return step
        }
        slot.pointee.phase = .body(drain, response, owner.retain())
        return .next
    }

    /// A redirect or a landing page repeats the request, so it is written while the request is at hand, and a body behind
    /// it ends the connection.
    private mutating func answerAtOnce(
        _ index: Int32, _ response: Response, _ bytes: Span<UInt8>, hasBody: Bool
    ) -> Step {
        var response = response
        if hasBody { response.closes = true }
        let isSecure = table.slots[Int(index)].session != nil
        bytes.withUnsafeBytes {
            if response.landing == nil {
                append(response, isSecure: isSecure, request: $0)
            } else {
                appendLanding(response, isSecure: isSecure, request: $0)
            }
        }
        if response.closes { table.slots[Int(index)].ending = hasBody ? .linger : .close }
        return response.closes ? .ending : .next
    }

    private func hasHadItsShare(_ slot: UnsafeMutablePointer<Connection>) -> Bool {
        slot.pointee.requestCount >= limits.requestsPerConnectionMax
            || slot.pointee.receivedBytes >= limits.bytesPerConnectionMax
    }

    /// Puts an answer into the output; a large body is sent from where it is.
    private mutating func answer(_ index: Int32, _ response: Response, _ owner: Unmanaged<Catalogue>) -> Step {
        if let ranges = response.ranges, ranges.count > 1 { return answerInParts(index, response, ranges, owner) }
        if response.closes { table.slots[Int(index)].ending = .close }
        append(response, isSecure: table.slots[Int(index)].session != nil)
        let body = response.body
        if case .memory(let bytes) = body, bytes.count <= Worker.copiedBodyBytesMax {
            // Only the catalogue in use is sure to be there for as long as the output.
            if owner.toOpaque() == self.owner.toOpaque() { output.append(body: bytes) } else { output.append(bytes) }
        } else if body.count > 0, !flush(index, body: body, owner: owner) {
            return .stopped
        }
        return response.closes ? .ending : .next
    }

    private mutating func answerInParts(
        _ index: Int32, _ response: Response, _ ranges: ByteRanges, _ owner: Unmanaged<Catalogue>
    ) -> Step {
        guard let form = response.form else { preconditionFailure("parts are parts of something") }
        let parts = Multipart(ranges, of: form)
        let isSecure = table.slots[Int(index)].session != nil
        append(response, isSecure: isSecure, length: parts.byteCount(boundaryCount: wire.boundary.count))
        let isSent = flush(index, parts: parts, owner: owner)
        // The end of a part is not yet that of the answer.
        if response.closes { table.slots[Int(index)].ending = .close }
        if !isSent { return .stopped }
        return response.closes ? .ending : .next
    }

    /// Refuses what the client sent. Nobody knows where the next request would begin, so there is none.
    @discardableResult
    mutating func reject(_ index: Int32, _ reason: Rejection) -> Step {
        recorder.counters.add(to: .refusedRequests(reason))
        table.slots[Int(index)].closeReason = .refused
        append(Response(status: reason.status, closes: true))
        table.slots[Int(index)].ending = .linger
        return .ending
    }

    /// Refuses a request whose head did not come in time.
    mutating func rejectLateHead(_ index: Int32) {
        output.clear()
        let slot = table.slots + Int(index)
        if case .head(let parser) = slot.pointee.phase {
            input.copyMemory(from: slot.pointee.held.bytes)
            let bytes = UnsafeRawBufferPointer(rebasing: input[..<slot.pointee.held.count])
            begin(parser.headSoFar, Span<UInt8>(_unsafeBytes: bytes), from: slot.pointee.remote)
        }
        reject(index, .timedOut)
        settle(index, unused: 0..<0)
    }
}
