// Requests for the challenges of certificate authorities: a connection pauses until the `ChallengeQueue` has its answer.

import HTTP
import Posix
import Telemetry

extension Worker {
    /// The token of a challenge's request, as a range of its path; nil for every other request, and for one with a body, which
    /// authorities do not send.
    func challengeToken(_ head: RequestHead, _ bytes: Span<UInt8>) -> Range<Int>? {
        guard challenges != nil, head.method == .get || head.method == .head, head.body == .none else { return nil }
        return ChallengeQuestion.token(of: bytes.extracting(head.path.range))
    }

    /// Queues the request.
    mutating func enqueueChallenge(
        _ slot: Slot, _ head: RequestHead, _ bytes: Span<UInt8>, _ token: Range<Int>
    ) -> Step {
        let response = unsafe Response(
            status: .notFound, isHeadOnly: head.method == .head, closes: slot.pointee.closeReason != nil,
            announcesKeepAlive: head.minorVersion == 0 && slot.pointee.closeReason == nil, document: .wellKnown)
        accounting.noteSubject(response)
        let question = ChallengeQuestion(
            bytes.extracting(head.host.range), bytes.extracting(head.path.range).extracting(token))
        let client = unsafe ChallengeQueue.Client(
            token: table.token(slot), network: accounting.lastRemote.networkGroup, replies: control.challenges)
        challenges?.ask(question, for: client)
        unsafe slot.pointee.phase = .challenge(response)
        return .pauses
    }

    /// Continues the connections whose file has been read.
    mutating func resumeChallenges() {
        for answer in control.challenges.take() {
            // The connection may have ended.
            guard let slot = unsafe table.slot(of: answer.token),
                case .challenge(let response) = unsafe slot.pointee.phase
            else {
                continue
            }
            writer.clear()
            unsafe accounting.resumeExchanges(of: slot)
            switch answer.answer {
            case .some(let bytes): unsafe answerChallenge(slot, response, bytes == nil ? .notFound : .ok, bytes)
            case nil: unsafe answerChallenge(slot, response, .serviceUnavailable, nil)
            }
            if unsafe slot.pointee.ending == .close, unsafe slot.pointee.held.count > 0 {
                unsafe slot.pointee.ending = .linger
            }
            if unsafe slot.pointee.ending == .none, unsafe slot.pointee.held.count > 0 {
                if unsafe flush(slot) { unsafe processInput(slot, receivedCount: 0) }
            } else {
                unsafe finishTurn(slot, unused: 0..<0)
            }
            unsafe limitMemory(after: slot)
        }
    }

    private mutating func answerChallenge(_ slot: Slot, _ response: Response, _ status: Status, _ body: [UInt8]?) {
        var response = response
        response.status = status
        unsafe slot.pointee.phase = .idle
        if response.closes { unsafe slot.pointee.ending = .close }
        let fields = body == nil ? WireText.unstored : WireText.unstoredBytes
        unsafe (body ?? []).withUnsafeBytes {
            unsafe compose(response, fields: fields, body: $0, isSecure: slot.pointee.session != nil)
        }
    }
}
