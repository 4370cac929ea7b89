// One client's connection as a plain value in the worker's table. An idle connection has no buffer: bytes are received into a
// buffer that all connections of a worker share, and only unused bytes are copied.

import Catalogue
import HTTP
import Posix
import TLS
import Telemetry

/// The state of one connection: what it is receiving, and what it has not sent yet. While there is something to send, nothing is
/// received, so a client that does not read cannot make answers pile up.
struct Connection {
    var fd: Int32
    /// Differs from that of earlier connections in the same slot, so that stale events are recognised.
    var generation: UInt32
    var phase = Phase.idle
    var ending = Ending.none
    var requestCount: UInt32 = 0
    /// What the poller waits for; nil while the connection is not registered.
    var interest: Poller.Interest?
    var deadline = Deadline()
    /// `requestCount` when the deadline for receiving was set.
    var deadlineRequestCount: UInt32 = 0
    /// Received bytes that are not used yet.
    var held = HeldBytes()
    var outgoing: Outgoing?
    var transport = Transport.plain
    /// Whether the client has announced over TLS that it will send no more after the present bytes.
    var hasEnded = false
    var receivedBytes = 0
    /// Bytes sent or received since the deadline was set, in the direction that it limits.
    var progress = 0
    /// The unacknowledged bytes when they were last checked; 0 before that.
    var untakenBytes = 0
    /// The peer's address, or the client that the PROXY header names.
    var remote = RemoteAddress.unknown
    /// Whether the peer is a trusted proxy, so that its forwarding fields are believed.
    var isTrustedProxy = false
    /// Requests whose answers are not sent yet, between two turns.
    var exchanges = HeldExchanges()
    /// Why it will be closed, once that is decided.
    var closeReason: CloseReason?
    /// How much it counts among the connections of its address; 0 when it is not counted.
    var addressWeight: UInt32 = 0
    /// Its place among the handshakes, while it is one.
    var handshakeIndex: Int32 = 0
    /// The memory of the certificate of its handshake.
    var certificateBytes: Int32 = 0
    /// Its part of the table's `heldBytes`.
    var countedBytes = 0

    var session: SecureSession? { transport.session }

    /// The memory that it uses: the exact size of its buffers, and the usual size of everything else.
    var heldBytes: Int {
        var bytes = Limits.connectionBytes + held.count + exchanges.byteCount + (outgoing?.copiedBytes ?? 0)
        if session == nil { return bytes }
        switch phase {
        case .handshake, .certificate: bytes += Limits.handshakeBytes(certificateBytes: Int(certificateBytes))
        case .proxyHeader, .idle, .head, .body, .challenge, .lingering: bytes += Limits.sessionBytes
        }
        return bytes
    }

    /// Whether it is idle. A connection that has sent nothing yet counts as idle only if it was accepted before `time`.
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
        // Before the first request, the deadline is that of the accepted connection.
        let isInHandshake = deadline.kind == .hello || deadline.kind == .handshake
        let span = isInHandshake ? limits.handshakeTimeoutMilliseconds : limits.headTimeoutMilliseconds
        return deadline.time - span <= time
    }

    /// Whether enough bytes were moved since the deadline was set to extend it. Deadlines of heads and idle connections are not
    /// extended.
    func hasProgressed(_ limits: Limits) -> Bool {
        let (span, rate) =
            switch deadline.kind {
            case .body: (limits.bodyTimeoutMilliseconds, limits.bodyBytesPerSecondMin)
            case .write: (limits.writeTimeoutMilliseconds, limits.writeBytesPerSecondMin)
            case .idle, .hello, .handshake, .head, .linger, nil: (0, 0)
            }
        return span > 0 && progress > 0 && progress >= Int(span) * rate / 1_000
    }

    /// Releases the catalogue that holds the answer to an unfinished request.
    mutating func leaveBody() {
        guard case .body(_, _, let catalogue) = phase else { return }
        phase = .idle
        unsafe catalogue.release()
    }

    /// What is being received.
    @safe enum Phase {
        /// The PROXY header, before anything else.
        case proxyHeader(tlsFollows: Bool)
        case handshake
        /// The handshake is paused until the certificate has been read, or a slow key has its turn. Nothing is received; received bytes
        /// are held.
        case certificate
        /// Nothing: between requests.
        case idle
        /// A head, of which a part has arrived.
        case head(RequestParser)
        /// A body. The answer was decided with the head and is sent after the body; its bytes are in this catalogue.
        case body(BodyReader, Response, Unmanaged<Catalogue>)
        /// Nothing: the disk is searched for the answer. Received bytes are held.
        case challenge(Response)
        /// Bytes that are discarded until the client closes, so that a reset does not destroy the answer.
        case lingering
    }

    /// What happens when everything is sent.
    enum Ending: UInt8 {
        /// The next request is read.
        case none
        case close
        /// The connection is closed when the client has closed it or had time to, because it may still be sending.
        case linger
    }
}

/// A copy of bytes. The owner must call `release`.
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

    /// Frees the memory.
    mutating func release() {
        unsafe start?.deallocate()
        unsafe start = nil
        count = 0
    }
}
