// What is said of one request in the access log: values, and bytes that still lie where they were received.

public import Posix

/// One request and its answer. What the client did not say, or what could not be understood, is an empty stretch without a
/// start.
@safe public struct AccessEntry {
    public var remote = RemoteAddress.unknown
    public var method = unsafe AccessEntry.absent
    public var host = unsafe AccessEntry.absent
    /// As written, percent-encoded.
    public var path = unsafe AccessEntry.absent
    public var query = unsafe AccessEntry.absent
    public var userAgent = unsafe AccessEntry.absent
    public var referer = unsafe AccessEntry.absent
    /// By which names a trusted front knows the request.
    public var traceParent = unsafe AccessEntry.absent
    public var requestID = unsafe AccessEntry.absent
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    public var minorVersion: UInt8 = 1
    public var status: UInt16 = 0
    /// Bytes of the answer's body that were handed to the kernel.
    public var bodyBytes = 0
    /// When the last of them was, since 1970 by the wall clock.
    public var wallMicroseconds: Int64 = 0
    /// From the head being here until then.
    public var durationMicroseconds: Int64 = 0
    public var secure: Secure?
    public var verifier = VerifierKind.none
    /// Of a handshake that came to nothing, and of no request; nil for requests.
    public var handshake: HandshakeOutcome?

    /// What there is to say of a connection over TLS.
    @safe public struct Secure {
        public var version: Version
        public var isResumed: Bool
        /// As the client wrote it.
        public var serverName: UnsafeRawBufferPointer

        public enum Version: UInt8, Sendable {
            case tls12
            case tls13
        }

        public init(version: Version, isResumed: Bool, serverName: UnsafeRawBufferPointer) {
            self.version = version
            self.isResumed = isResumed
            unsafe self.serverName = serverName
        }
    }

    public static var absent: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: nil, count: 0) }

    public init() {}
}

/// Which requests have a line, and what of it is left out.
public struct LogSelection: Hashable, Sendable {
    public var only = Only.all
    /// Whether lines have the query that was asked for.
    public var hasQuery = true
    /// Whether handshakes that came to nothing have lines too.
    public var hasHandshakes = false

    public enum Only: String, CaseIterable, Sendable {
        case all
        /// 4xx and 5xx.
        case errors
        /// Fetches of association files by verifiers.
        case verifiers
    }

    public init() {}

    func takes(_ entry: borrowing AccessEntry) -> Bool {
        if entry.handshake != nil { return hasHandshakes }
        switch only {
        case .all: return true
        case .errors: return entry.status >= 400
        case .verifiers: return entry.verifier != .none
        }
    }
}

/// How lines are written.
public enum LogFormat: String, CaseIterable, Sendable {
    /// A JSON object on each line.
    case json
    /// The combined format that Apache's and nginx's tools read.
    case combined
}
