// What a worker leaves behind of each request: counts, times, a line in the access log, and a sighting where a verifier asked
// for an association file. One look at the clock for each turn of a connection, however many requests were in it.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

/// The requests of the connection that is being served, until their answers are handed over, and where they are recorded.
struct Accounting: ~Copyable {
    private let recorder: Recorder
    /// Nil where no access log is written.
    private var log: LogSink?
    private var exchanges = Exchanges()
    /// When the poller came back, and the last look at the clock since, exactly.
    private var roundBeganMicroseconds: Int64 = 0
    private var lastLookMicroseconds: Int64 = 0
    /// What to add to that clock for the time on the wall.
    private var wallOffsetMicroseconds: Int64 = 0
    /// The time on the wall when the round began, in seconds since 1970.
    private(set) var seconds: Int64 = -1

    init(_ recorder: Recorder, log: LogSink?) {
        self.recorder = recorder
        self.log = log
    }

    var counters: CounterBlock { recorder.counters }

    /// Looks at the clocks at the beginning of a round.
    mutating func beginRound() {
        roundBeganMicroseconds = Clock.monotonicMicroseconds()
        lastLookMicroseconds = roundBeganMicroseconds
        let seconds = Clock.wallSeconds()
        if seconds == self.seconds { return }
        self.seconds = seconds
        // How far apart the clocks are, once a second: in between the wall's is reckoned from the exact one.
        wallOffsetMicroseconds = Clock.wallNanoseconds() / 1_000 - Clock.monotonicMicroseconds()
    }

    /// Lets others see what happened in a round, and notes how long it took.
    mutating func endRound(_ eventCount: Int, nowMilliseconds: Int64) {
        publishLog()
        // After a single turn the last look at the clock is recent enough.
        let isRecent = eventCount == 1 && lastLookMicroseconds > roundBeganMicroseconds
        let end = isRecent ? lastLookMicroseconds : Clock.monotonicMicroseconds()
        counters.addRound(microseconds: end - roundBeganMicroseconds, nowMilliseconds: nowMilliseconds)
    }

    mutating func publishLog() { log?.publish() }

    /// Notes that a head was understood, or refused with this much of it understood.
    mutating func begin(_ head: RequestHead, _ bytes: Span<UInt8>, from remote: RemoteAddress) {
        exchanges.append(Exchange(head, bytes, from: remote, at: roundBeganMicroseconds))
    }

    /// Notes that an answer will be given before anything of a request was read.
    mutating func beginUnread(from remote: RemoteAddress) {
        exchanges.append(Exchange(from: remote, at: roundBeganMicroseconds))
    }

    /// Takes over by which names a front knows the last request.
    func noteTrace(_ head: RequestHead, _ bytes: Span<UInt8>) { unsafe exchanges.last.pointee.noteTrace(head, bytes) }

    /// Who sent the last request.
    var lastRemote: RemoteAddress { unsafe exchanges.last.pointee.remote }

    /// Notes what the last request is about, and who may be asking for it.
    func noteSubject(_ response: Response) {
        let exchange = unsafe exchanges.last
        unsafe exchange.pointee.document = response.document
        if response.document.isAssociation, unsafe exchange.pointee.userAgent.isPresent {
            unsafe exchange.pointee.verifier = VerifierKind(
                userAgent: exchange.pointee.bytes(exchange.pointee.userAgent))
        }
    }

    /// Notes what was put into the output as an answer. Every answer is, whatever it is to.
    mutating func noteAnswer(_ response: Response, bodyBytes: Int) {
        if !exchanges.isOpen { beginUnread(from: .unknown) }
        exchanges.answer(status: response.status.rawValue, bodyBytes: bodyBytes)
        let exchange = unsafe exchanges.last
        if unsafe exchange.pointee.verifier == .none || !response.isOfServedHost { return }
        unsafe recorder.note(
            Sighting(
                exchange.pointee.verifier, exchange.pointee.document, status: exchange.pointee.status,
                host: exchange.pointee.bytes(exchange.pointee.host),
                entityTag: response.form?.entityTag ?? AccessEntry.absent, seconds: seconds))
    }

    /// Looks at what has become of the answers when the output has been given to the kernel, or as much as it took.
    mutating func settle(_ slot: Slot, isSent: Bool) {
        if exchanges.isEmpty { return }
        if isSent { unsafe finish(slot.pointee.session) } else if unsafe slot.pointee.fd >= 0 { unsafe hold(for: slot) }
    }

    /// Keeps what is not finished until the connection's next turn.
    mutating func hold(for slot: Slot) {
        if !exchanges.isEmpty { unsafe slot.pointee.exchanges = exchanges.takeAll() }
    }

    /// Goes on with what was kept.
    mutating func resume(_ slot: Slot) {
        if unsafe slot.pointee.exchanges.count == 0 { return }
        unsafe exchanges.resume(slot.pointee.exchanges)
        unsafe slot.pointee.exchanges = HeldExchanges()
    }

    /// Records those whose answers have been handed over.
    mutating func finish(_ session: SecureSession?) {
        let count = exchanges.answeredCount
        if count == 0 { return }
        let now = Clock.monotonicMicroseconds()
        lastLookMicroseconds = now
        let secure = log == nil ? nil : session.flatMap { AccessEntry.Secure($0) }
        for place in 0..<count {
            let exchange = exchanges[place]
            counters.add(to: .requests(StatusClass(exchange.status), exchange.document))
            counters.addLatency(microseconds: now - exchange.beganMicroseconds)
            log?.append(AccessEntry(exchange, secure, at: now, wallOffset: wallOffsetMicroseconds))
        }
        exchanges.removeAnswered()
    }

    /// Records those of a connection that ends with so many bytes unsent, and forgets the one without an answer.
    mutating func abandon(_ slot: Slot, unsentBytes: Int) {
        if exchanges.isEmpty { unsafe resume(slot) }
        if exchanges.isEmpty { return }
        exchanges.subtract(unsentBytes)
        unsafe finish(slot.pointee.session)
        exchanges.removeAll()
    }

    /// Notes how a handshake ended, with the name that was asked for as far as the client has said it.
    mutating func noteHandshake(_ outcome: HandshakeOutcome, _ slot: Slot) {
        counters.add(to: .handshakes(outcome))
        guard outcome != .full, outcome != .resumed, log?.wantsHandshakes == true else { return }
        var entry = AccessEntry()
        entry.handshake = outcome
        entry.remote = unsafe slot.pointee.remote
        entry.wallMicroseconds = roundBeganMicroseconds + wallOffsetMicroseconds
        if let session = unsafe slot.pointee.session {
            entry.secure = unsafe AccessEntry.Secure(
                version: .tls13, isResumed: false, serverName: session.serverName ?? AccessEntry.absent)
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
            version: session.isTLS13 ? .tls13 : .tls12, isResumed: session.isResumed,
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
