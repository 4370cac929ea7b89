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
        let response = Response(
            status: .notFound, isHeadOnly: head.method == .head, closes: slot.connection.closeReason != nil,
            announcesKeepAlive: head.minorVersion == 0 && slot.connection.closeReason == nil, document: .wellKnown)
        accounting.noteSubject(response)
        let question = ChallengeQuestion(
            bytes.extracting(head.host.range), bytes.extracting(head.path.range).extracting(token))
        let client = ChallengeQueue.Client(
            token: table.token(slot), network: accounting.lastRemote.networkGroup, replies: control.challenges)
        challenges?.ask(question, for: client)
        slot.connection.phase = .challenge(response)
        return .pauses
    }

    /// Continues the connections whose file has been read.
    mutating func resumeChallenges() {
        for answer in control.challenges.take() {
            // The connection may have ended.
            guard let slot = table.slot(of: answer.token),
                case .challenge(let response) = slot.connection.phase
            else {
                continue
            }
            writer.clear()
            accounting.resumeExchanges(of: slot)
            switch answer.answer {
            case .some(let bytes): answerChallenge(slot, response, bytes == nil ? .notFound : .ok, bytes)
            case nil: answerChallenge(slot, response, .serviceUnavailable, nil)
            }
            if slot.connection.ending == .close, slot.connection.held.count > 0 {
                slot.connection.ending = .linger
            }
            if slot.connection.ending == .none, slot.connection.held.count > 0 {
                if unsafe flush(slot) { processInput(slot, receivedCount: 0) }
            } else {
                finishTurn(slot, unused: 0..<0)
            }
            limitMemory(after: slot)
        }
    }

    private mutating func answerChallenge(_ slot: Slot, _ response: Response, _ status: Status, _ body: [UInt8]?) {
        var response = response
        response.status = status
        slot.connection.phase = .idle
        if response.closes { slot.connection.ending = .close }
        let fields = body == nil ? WireText.unstored : WireText.unstoredBytes
        unsafe (body ?? []).withUnsafeBytes {
            unsafe compose(response, fields: fields, body: $0, isSecure: slot.connection.session != nil)
        }
    }
}
