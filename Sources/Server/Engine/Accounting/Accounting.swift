// Records each request: counters, times, a line in the access log, and a verifier fetch when a verifier asked for an association
// file. The clock is read once for each turn of a connection, however many requests it has.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

/// The requests of the connection that is being served, until the kernel has their answers, and the sinks that record them.
struct Accounting: ~Copyable {
    private let recorder: Recorder
    /// Nil without an access log.
    private var log: LogSink?
    private var exchanges = Exchanges()
    /// When the poller returned, and the last time the clock was read, by the exact monotonic clock.
    private var roundBeganMicroseconds: Int64 = 0
    private var lastReadMicroseconds: Int64 = 0
    /// The difference between the wall clock and the monotonic clock.
    private var wallOffsetMicroseconds: Int64 = 0
    /// The wall time when the round began, in seconds since 1970.
    private(set) var seconds: Int64 = -1

    init(_ recorder: Recorder, log: LogSink?) { (self.recorder, self.log) = (recorder, log) }

    var counters: CounterBlock { recorder.counters }

    /// Reads the clocks at the beginning of a round.
    mutating func beginRound() {
        roundBeganMicroseconds = Clock.monotonicMicroseconds()
        lastReadMicroseconds = roundBeganMicroseconds
        let seconds = Clock.wallSeconds()
        if seconds == self.seconds { return }
        self.seconds = seconds
        // The difference is updated once a second; in between, wall times are computed from it.
        wallOffsetMicroseconds = Clock.wallNanoseconds() / 1_000 - Clock.monotonicMicroseconds()
    }

    /// Publishes the log lines of a round, and records how long it took.
    mutating func endRound(_ eventCount: Int, nowMilliseconds: Int64) {
        publishLog()
        // After a single turn, the last read of the clock is recent enough.
        let isRecent = eventCount == 1 && lastReadMicroseconds > roundBeganMicroseconds
        let end = isRecent ? lastReadMicroseconds : Clock.monotonicMicroseconds()
        counters.addRound(microseconds: end - roundBeganMicroseconds, nowMilliseconds: nowMilliseconds)
    }

    mutating func publishLog() { log?.publish() }

    /// Begins to record a request whose head was parsed, or refused after this part was parsed.
    mutating func beginExchange(_ head: RequestHead, _ bytes: Span<UInt8>, from remote: RemoteAddress) {
        exchanges.append(Exchange(head, bytes, from: remote, at: roundBeganMicroseconds))
    }

    /// Begins to record an answer that is sent before a request was read.
    mutating func beginExchangeWithoutRequest(from remote: RemoteAddress) {
        exchanges.append(Exchange(from: remote, at: roundBeganMicroseconds))
    }

    /// Stores the trace fields of a trusted proxy for the last request.
    func noteTrace(_ head: RequestHead, _ bytes: Span<UInt8>) { unsafe exchanges.last.pointee.noteTrace(head, bytes) }

    /// The client of the last request.
    var lastRemote: RemoteAddress { unsafe exchanges.last.pointee.remote }

    /// Stores the requested document of the last request, and whether a verifier asks for it.
    func noteSubject(_ response: Response) {
        let exchange = unsafe exchanges.last
        unsafe exchange.pointee.document = response.document
        if response.document.isAssociation, unsafe exchange.pointee.userAgent.isPresent {
            unsafe exchange.pointee.verifier = VerifierKind(
                userAgent: exchange.pointee.bytes(exchange.pointee.userAgent))
        }
    }

    /// Stores the answer that was written to the output. To be called for every answer.
    mutating func noteAnswer(_ response: Response, bodyBytes: Int) {
        if !exchanges.isOpen { beginExchangeWithoutRequest(from: .unknown) }
        exchanges.answer(status: response.status.rawValue, bodyBytes: bodyBytes)
        let exchange = unsafe exchanges.last
        if unsafe exchange.pointee.verifier == .none || !response.isOfServedHost { return }
        unsafe recorder.note(
            VerifierFetch(
                exchange.pointee.verifier, exchange.pointee.document, status: exchange.pointee.status,
                host: exchange.pointee.bytes(exchange.pointee.host),
                entityTag: response.form?.entityTag ?? AccessEntry.absent, seconds: seconds,
                from: exchange.pointee.remote))
    }

    /// After sending: records the answered requests if everything was sent, and keeps them otherwise.
    mutating func finishOrHold(_ slot: Slot, isSent: Bool) {
        if exchanges.isEmpty { return }
        if isSent {
            recordAnswered(slot.connection.session)
        } else if slot.connection.fd >= 0 {
            holdExchanges(of: slot)
        }
    }

    /// Keeps unfinished requests until the connection's next turn.
    mutating func holdExchanges(of slot: Slot) {
        if !exchanges.isEmpty { slot.connection.exchanges = exchanges.takeAll() }
    }

    /// Takes back the requests that were kept.
    mutating func resumeExchanges(of slot: Slot) {
        if slot.connection.exchanges.count == 0 { return }
        exchanges.resume(slot.connection.exchanges)
        slot.connection.exchanges = HeldExchanges()
    }

    mutating func recordAnswered(_ session: SecureSession?) {
        let count = exchanges.answeredCount
        if count == 0 { return }
        let now = Clock.monotonicMicroseconds()
        lastReadMicroseconds = now
        let secure = log == nil ? nil : session.flatMap { AccessEntry.Secure($0) }
        for place in 0..<count {
            let exchange = exchanges[place]
            counters.add(to: .requests(StatusClass(exchange.status), exchange.document))
            counters.addLatency(microseconds: now - exchange.beganMicroseconds)
            log?.append(AccessEntry(exchange, secure, at: now, wallOffset: wallOffsetMicroseconds))
        }
        exchanges.removeAnswered()
    }

    /// Records the answered requests of a connection that ends with unsent bytes, and drops the one without an answer.
    mutating func abandonExchanges(of slot: Slot, unsentBytes: Int) {
        if exchanges.isEmpty { resumeExchanges(of: slot) }
        if exchanges.isEmpty { return }
        exchanges.subtract(unsentBytes)
        recordAnswered(slot.connection.session)
        exchanges.removeAll()
    }

    /// Records how a handshake ended, with the requested server name if the client has sent one.
    mutating func noteHandshake(_ outcome: HandshakeOutcome, _ slot: Slot) {
        counters.add(to: .handshakes(outcome))
        guard outcome != .full, outcome != .resumed, log?.wantsHandshakes == true else { return }
        var entry = AccessEntry()
        entry.handshake = outcome
        entry.remote = slot.connection.remote
        entry.wallMicroseconds = roundBeganMicroseconds + wallOffsetMicroseconds
        if let session = slot.connection.session {
            entry.secure = unsafe AccessEntry.Secure(
                isTLS13: true, isResumed: false, serverName: session.serverName ?? AccessEntry.absent)
        }
        log?.append(handshake: entry)
    }
}

extension AccessEntry {
    fileprivate init(_ exchange: Exchange, _ secure: Secure?, at now: Int64, wallOffset: Int64) {
        self.init()
        remote = exchange.remote
        unsafe method = exchange.bytes(exchange.method)
        unsafe host = exchange.bytes(exchange.host)
        unsafe path = exchange.bytes(exchange.path)
        unsafe query = exchange.bytes(exchange.query)
        unsafe userAgent = exchange.bytes(exchange.userAgent)
        unsafe traceParent = exchange.bytes(exchange.traceParent)
        unsafe requestID = exchange.bytes(exchange.requestID)
        unsafe referer = exchange.bytes(exchange.referer)
        minorVersion = exchange.minorVersion
        status = exchange.status
        bodyBytes = exchange.bodyBytes
        wallMicroseconds = now + wallOffset
        durationMicroseconds = now - exchange.beganMicroseconds
        self.secure = secure
        verifier = exchange.verifier
    }
}

extension AccessEntry.Secure {
    /// Nil before the session is established.
    fileprivate init?(_ session: SecureSession) {
        guard session.isEstablished else { return nil }
        unsafe self.init(
            isTLS13: session.isTLS13, isResumed: session.isResumed,
            serverName: session.serverName ?? AccessEntry.absent)
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

    /// The outcome when the connection ended during the handshake.
    init(_ reason: CloseReason) {
        self =
            switch reason {
            case .client, .error: .clientClosed
            case .deadline: .timedOut
            case .finished, .idle, .limit, .refused, .evicted, .drained: .other
            }
    }
}
