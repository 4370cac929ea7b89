// One client's connection as a plain value in the worker's table. It holds no buffer while nothing is under way: bytes are
// received into a buffer that all connections of a worker share, and only what is left over is kept.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

/// The state of one connection: what it is in the middle of receiving, and what it has not been able to send. While
/// something is left to be sent nothing is received, so a client that does not read cannot make us collect answers.
struct Connection {
    var fd: Int32
    /// Tells this connection from earlier ones in the same slot, so that a stale event is recognised.
    var generation: UInt32
    var phase = Phase.idle
    var ending = Ending.none
    var requestCount: UInt32 = 0
    /// What the poller waits for on its behalf; nil while it does not know the connection.
    var interest: Poller.Interest?
    var deadline = Deadline()
    /// How many requests there had been when the deadline for receiving something was set.
    var deadlineRequestCount: UInt32 = 0
    /// Bytes received and not yet used.
    var held = HeldBytes()
    var outgoing: Outgoing?
    var transport = Transport.plain
    /// The client has announced over TLS that it will send no more, behind the bytes that are here.
    var hasEnded = false
    /// All bytes received.
    var receivedBytes = 0
    /// Bytes moved, in the direction that the deadline is about, since it was set.
    var progress = 0
    /// What the client had not taken when it was last looked at; 0 before that.
    var untakenBytes = 0
    /// Who is at the other end, as records name it, or whom the front there speaks for.
    var remote = RemoteAddress.unknown
    /// Whether that is a front that is trusted, so that it may speak for others.
    var isFront = false
    /// Requests whose answers are not handed over yet, between two turns.
    var exchanges = HeldExchanges()
    /// Why it will end, once that is settled.
    var closeReason: CloseReason?
    /// What it counts among the connections of its address; 0 when they are not counted.
    var addressWeight: UInt32 = 0
    /// What it was last reckoned to hold, in bytes.
    var reckonedBytes = 0

    /// Nil where plain HTTP is spoken.
    var session: SecureSession? {
        if case .secure(let session) = transport { session } else { nil }
    }

    /// What it takes of the memory for connections: what is known of it exactly, and the usual cost of the rest.
    var heldBytes: Int {
        var bytes = Limits.connectionBytes + held.count + exchanges.byteCount + (outgoing?.copiedBytes ?? 0)
        if session == nil { return bytes }
        switch phase {
        case .handshake, .certificate: bytes += Limits.handshakeBytes
        case .proxyHeader, .idle, .head, .body, .challenge, .lingering: bytes += Limits.sessionBytes
        }
        return bytes
    }

    /// Whether nothing is under way on it, unless it came later than `time` and has not been heard of yet.
    func isSilent(since time: Int64, _ limits: Limits) -> Bool {
        switch phase {
        case .idle:
            if outgoing != nil || held.count > 0 { return false }
        case .handshake, .proxyHeader:
            if receivedBytes > 0 { return false }
        case .certificate, .head, .body, .challenge, .lingering:
            return false
        }
        if requestCount > 0 { return true }
        // Until then its deadline is the one it got when it came.
        let isInHandshake = deadline.kind == .hello || deadline.kind == .handshake
        let span = isInHandshake ? limits.handshakeTimeoutMilliseconds : limits.headTimeoutMilliseconds
        return deadline.time - span <= time
    }

    /// Whether enough was moved since the deadline was set for another one. Heads and silence get none.
    func hasProgressed(_ limits: Limits) -> Bool {
        let (span, rate) =
            switch deadline.kind {
            case .body: (limits.bodyTimeoutMilliseconds, limits.bodyBytesPerSecondMin)
            case .write: (limits.writeTimeoutMilliseconds, limits.writeBytesPerSecondMin)
            case .idle, .hello, .handshake, .head, .linger, nil: (0, 0)
            }
        return span > 0 && progress > 0 && progress >= Int(span) * rate / 1_000
    }

    /// Lets go of the catalogue that an unfinished request's answer is in.
    mutating func leaveBody() {
        guard case .body(_, _, let catalogue) = phase else { return }
        phase = .idle
        unsafe catalogue.release()
    }

    /// What is being received.
    @safe enum Phase {
        /// A front tells whose connection it is, before anything else.
        case proxyHeader(tlsFollows: Bool)
        /// Becoming a TLS session.
        case handshake
        /// In the middle of that, while the certificate is being read. Nothing is received; what has come already is held.
        case certificate
        /// Between requests.
        case idle
        /// Part of a head is here.
        case head(RequestParser)
        /// The head is understood, and is answered when the body is over. The answer's bytes are in that catalogue.
        case body(BodyDrain, Response, Unmanaged<Catalogue>)
        /// The disk is being asked for the body of the answer. Nothing is received; what has come already is held.
        case challenge(Response)
        /// What still comes is thrown away until the client closes, so that it is not reset before it has read.
        case lingering
    }

    /// What happens when everything is sent.
    enum Ending: UInt8 {
        /// The next request.
        case none
        /// The end.
        case close
        /// The end, once the client has closed or had time to: bytes of its are still unread or on their way.
        case linger
    }
}

/// Bytes in memory of their own. Its owner gives the memory back.
@safe struct HeldBytes {
    private var start: UnsafeMutableRawPointer?
    private(set) var count = 0

    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

    init() {}

    init(copying bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        unsafe memory.copyMemory(from: bytes)
        unsafe start = memory.baseAddress
        count = bytes.count
    }

    /// Gives the memory back.
    mutating func release() {
        unsafe start?.deallocate()
        unsafe start = nil
        count = 0
    }
}
