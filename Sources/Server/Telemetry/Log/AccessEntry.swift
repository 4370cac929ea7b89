// The data of one request for the access log: values, and pointers to the received bytes.

public import Posix

/// One request and its answer. Text that the client did not send, or that could not be parsed, is `absent`.
@safe public struct AccessEntry {
    public var remote = RemoteAddress.unknown
    public var method = unsafe AccessEntry.absent
    public var host = unsafe AccessEntry.absent
    /// As written, percent-encoded.
    public var path = unsafe AccessEntry.absent
    public var query = unsafe AccessEntry.absent
    public var userAgent = unsafe AccessEntry.absent
    public var referer = unsafe AccessEntry.absent
    /// The trace fields of a trusted proxy.
    public var traceParent = unsafe AccessEntry.absent
    public var requestID = unsafe AccessEntry.absent
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    public var minorVersion: UInt8 = 1
    public var status: UInt16 = 0
    /// Bytes of the answer's body that the kernel accepted.
    public var bodyBytes = 0
    /// When it accepted the last of them, since 1970 by the wall clock.
    public var wallMicroseconds: Int64 = 0
    /// The time from the complete head until then.
    public var durationMicroseconds: Int64 = 0
    public var secure: Secure?
    public var verifier = VerifierKind.none
    /// The outcome of a failed handshake; nil for a request.
    public var handshake: HandshakeOutcome?

    /// The properties of a TLS connection.
    @safe public struct Secure {
        /// TLS 1.3, not 1.2.
        public var isTLS13: Bool
        public var isResumed: Bool
        /// As the client wrote it.
        public var serverName: UnsafeRawBufferPointer

        public init(isTLS13: Bool, isResumed: Bool, serverName: UnsafeRawBufferPointer) {
            (self.isTLS13, self.isResumed) = (isTLS13, isResumed)
            unsafe self.serverName = serverName
        }
    }

    public static var absent: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: nil, count: 0) }

    public init() {}
}

extension LogSelection {
    func includes(_ entry: borrowing AccessEntry) -> Bool {
        if entry.handshake != nil { return hasHandshakes }
        switch only {
        case .all: return true
        case .errors: return entry.status >= 400
        case .verifiers: return entry.verifier != .none
        }
    }
}
