// Requests for answers to challenges of certificate authorities: the connection pauses until the disk has been asked.

import Catalogue
import HTTP
import Posix
import Telemetry

extension Worker {
    /// The token that a request asks for, as a part of its path; nil for every other request. One with a body is no
    /// authority's.
    func challengeToken(_ head: RequestHead, _ bytes: Span<UInt8>) -> Range<Int>? {
        guard challenges != nil, head.method == .get || head.method == .head, head.body == .none else { return nil }
        return ChallengeReader.token(of: bytes.extracting(head.path.range))
    }

    /// Has the disk asked.
    mutating func askForChallenge(_ index: Int32, _ head: RequestHead, _ bytes: Span<UInt8>, _ token: Range<Int>)
        -> Step
    {
        let slot = table.slots + Int(index)
        let pause = ChallengePause(
            isHeadOnly: head.method == .head,
            announcesKeepAlive: head.minorVersion == 0 && slot.pointee.closeReason == nil)
        describe(pause.response(.notFound))
        let isTaken = challenges?.ask(
            bytes.extracting(head.host.range), bytes.extracting(head.path.range).extracting(token),
            of: exchanges.last.pointee.remote, for: table.token(index), answering: control)
        slot.pointee.phase = .challenge(pause)
        if isTaken == true { return .pauses }
        appendChallenge(index, pause.response(.serviceUnavailable), nil)
        return slot.pointee.closeReason == nil ? .next : .ending
    }

    /// Goes on with the connections for which the disk has been asked.
    mutating func resumeChallenges() {
        for answer in control.takeChallenges() {
            // The connection may have ended since.
            guard let index = table.index(of: answer.token) else { continue }
            let slot = table.slots + Int(index)
            guard case .challenge(let pause) = slot.pointee.phase else { continue }
            output.clear()
            resumeExchanges(index)
            appendChallenge(index, pause.response(answer.bytes == nil ? .notFound : .ok), answer.bytes)
            if slot.pointee.ending == .close, slot.pointee.held.count > 0 { slot.pointee.ending = .linger }
            if slot.pointee.ending == .none, slot.pointee.held.count > 0 {
                if flush(index) { processHeld(index, andReceived: 0) }
            } else {
                settle(index, unused: 0..<0)
            }
            reckon(index)
        }
    }

    private mutating func appendChallenge(_ index: Int32, _ response: Response, _ body: [UInt8]?) {
        let slot = table.slots + Int(index)
        var response = response
        response.closes = slot.pointee.closeReason != nil
        slot.pointee.phase = .idle
        if response.closes { slot.pointee.ending = .close }
        append(response, challenge: body, isSecure: slot.pointee.session != nil)
    }
}

/// What has to be known of a request that waits for the answer to a challenge.
struct ChallengePause {
    let isHeadOnly: Bool
    let announcesKeepAlive: Bool

    func response(_ status: Status) -> Response {
        Response(
            status: status, isHeadOnly: isHeadOnly, announcesKeepAlive: announcesKeepAlive, document: .wellKnown)
    }
}
