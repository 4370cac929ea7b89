// What a worker leaves behind of each request: counts, times, a line in the access log, and a sighting where a verifier asked
// for an association file. One look at the clock for each turn of a connection, however many requests were in it.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// Notes that a head was understood, or refused with this much of it understood.
    mutating func begin(_ head: RequestHead, _ bytes: Span<UInt8>, from remote: RemoteAddress) {
        exchanges.append(Exchange(head, bytes, from: remote, at: roundBeganMicroseconds))
    }

    /// Notes what was put into the output as an answer. Every answer is, whatever it is to.
    mutating func note(_ response: Response, bodyBytes: Int) {
        if !exchanges.isOpen { exchanges.append(Exchange(from: .unknown, at: roundBeganMicroseconds)) }
        exchanges.answer(status: response.status.rawValue, bodyBytes: bodyBytes)
        if exchanges.last.pointee.verifier != .none, response.isOfServedHost { noteSighting(response) }
    }

    private func noteSighting(_ response: Response) {
        let exchange = exchanges.last.pointee
        recorder.note(
            Sighting(
                exchange.verifier, exchange.document, status: exchange.status, host: exchange.bytes(exchange.host),
                entityTag: response.form?.entityTag ?? AccessEntry.absent, seconds: wire.seconds))
    }

    /// Notes what a request is about, and who may be asking for it.
    func describe(_ response: Response) {
        let exchange = exchanges.last
        exchange.pointee.document = response.document
        if response.document.isAssociation, exchange.pointee.userAgent.isPresent {
            exchange.pointee.verifier = VerifierKind(userAgent: exchange.pointee.bytes(exchange.pointee.userAgent))
        }
    }

    /// Looks at what has become of the answers when the output has been given to the kernel, or as much as it took.
    mutating func account(_ index: Int32, isSent: Bool) {
        if isSent {
            finishExchanges(table.slots[Int(index)].session)
        } else if table.slots[Int(index)].fd >= 0 {
            holdExchanges(index)
        }
    }

    /// Keeps what is not finished until the connection's next turn.
    mutating func holdExchanges(_ index: Int32) {
        if exchanges.isEmpty { return }
        table.slots[Int(index)].exchanges = exchanges.takeAll()
    }

    /// Goes on with what was kept.
    mutating func resumeExchanges(_ index: Int32) {
        let slot = table.slots + Int(index)
        if slot.pointee.exchanges.count == 0 { return }
        exchanges.resume(slot.pointee.exchanges)
        slot.pointee.exchanges = HeldExchanges()
    }

    /// Records those whose answers have been handed over.
    mutating func finishExchanges(_ session: SecureSession?) {
        let count = exchanges.answeredCount
        if count == 0 { return }
        let now = Clock.monotonicMicroseconds()
        lastLookMicroseconds = now
        let secure = log == nil ? nil : session.flatMap { Worker.facts($0) }
        for place in 0..<count {
            let exchange = exchanges[place]
            recorder.counters.add(to: .requests(StatusClass(exchange.status), exchange.document))
            recorder.counters.addLatency(microseconds: now - exchange.beganMicroseconds)
            if log != nil { writeLine(exchange, secure, at: now) }
        }
        exchanges.removeAnswered()
    }

    /// Records those whose connection has ended with so many bytes unsent, and forgets the one without an answer.
    mutating func abandonExchanges(_ session: SecureSession?, unsent: Int) {
        if exchanges.isEmpty { return }
        exchanges.subtract(unsent)
        finishExchanges(session)
        exchanges.removeAll()
    }

    private mutating func writeLine(_ exchange: Exchange, _ secure: AccessEntry.Secure?, at now: Int64) {
        var entry = AccessEntry()
        entry.remote = exchange.remote
        entry.method = exchange.bytes(exchange.method)
        entry.host = exchange.bytes(exchange.host)
        entry.path = exchange.bytes(exchange.path)
        entry.query = exchange.bytes(exchange.query)
        entry.userAgent = exchange.bytes(exchange.userAgent)
        entry.traceParent = exchange.bytes(exchange.traceParent)
        entry.requestID = exchange.bytes(exchange.requestID)
        entry.referer = exchange.bytes(exchange.referer)
        entry.minorVersion = exchange.minorVersion
        entry.status = exchange.status
        entry.bodyBytes = exchange.bodyBytes
        entry.wallMicroseconds = now + wallOffsetMicroseconds
        entry.durationMicroseconds = now - exchange.beganMicroseconds
        entry.secure = secure
        entry.verifier = exchange.verifier
        log?.append(entry)
    }

    private static func facts(_ session: SecureSession) -> AccessEntry.Secure? {
        guard session.isEstablished else { return nil }
        return AccessEntry.Secure(
            version: session.isTLS13 ? .tls13 : .tls12, isResumed: session.isResumed,
            serverName: session.serverName ?? AccessEntry.absent)
    }

    /// Looks at the clocks at the beginning of a round.
    mutating func beginRound() {
        roundBeganMicroseconds = Clock.monotonicMicroseconds()
        lastLookMicroseconds = roundBeganMicroseconds
        let seconds = Clock.wallSeconds()
        if seconds == wire.seconds { return }
        wire.update(seconds: seconds)
        // How far apart the clocks are, once a second: in between the wall's is reckoned from the exact one.
        wallOffsetMicroseconds = Clock.wallNanoseconds() / 1_000 - Clock.monotonicMicroseconds()
    }

    /// Lets others see what happened in a round, and notes how long it took.
    mutating func endRound(_ eventCount: Int) {
        log?.publish()
        // After a single turn the last look at the clock is recent enough.
        let isRecent = eventCount == 1 && lastLookMicroseconds > roundBeganMicroseconds
        let end = isRecent ? lastLookMicroseconds : Clock.monotonicMicroseconds()
        recorder.counters.addRound(microseconds: end - roundBeganMicroseconds, nowMilliseconds: now)
    }

    /// Notes how a handshake ended, with the name that was asked for as far as the client has said it.
    mutating func noteHandshake(_ outcome: HandshakeOutcome, _ index: Int32) {
        recorder.counters.add(to: .handshakes(outcome))
        guard outcome != .full, outcome != .resumed, log?.wantsHandshakes == true else { return }
        let connection = table.slots[Int(index)]
        var entry = AccessEntry()
        entry.handshake = outcome
        entry.remote = connection.remote
        entry.wallMicroseconds = roundBeganMicroseconds + wallOffsetMicroseconds
        if let session = connection.session {
            entry.secure = AccessEntry.Secure(
                version: .tls13, isResumed: false, serverName: session.serverName ?? AccessEntry.absent)
        }
        log?.append(handshake: entry)
    }
}

extension HandshakeOutcome {
    init(_ failure: SecureSession.Failure) {
        self =
            switch failure {
            case .plainHTTP: .plainHTTP
            case .unknownName: .unknownName
            case .brokenCertificate: .brokenCertificate
            case .noSharedVersion: .noSharedVersion
            case .noSharedCipher: .noSharedCipher
            case .refusedByClient: .refusedByClient
            case .other: .other
            }
    }

    /// For a connection that ended in the middle.
    init(_ reason: CloseReason) {
        self =
            switch reason {
            case .client, .error: .clientClosed
            case .deadline: .timedOut
            case .finished, .idle, .limit, .refused, .evicted, .drained: .other
            }
    }
}
