// A request's head, understood: what matters of it, as values and as places in the bytes it was read from. Fields that
// this server has no use for are checked for their form and forgotten.

/// The head of one request. The ranges are offsets from the head's first byte.
public struct RequestHead: Sendable {
    public var method: Method = .unknown
    /// The method as written.
    public var methodName: ByteRange = .absent
    /// The target's path as written: percent-encoded, without the query.
    public var path: ByteRange = .absent
    /// The target's query without the `?`; absent when there is none.
    public var query: ByteRange = .absent
    /// `OPTIONS *` (RFC 9112 §3.2.4): about the server, not a resource.
    public var isAboutServer = false
    /// The host without its port and one trailing dot; as written otherwise. Empty when HTTP/1.0 named none.
    public var host: ByteRange = .absent
    /// 1 for HTTP/1.1 and for minor versions to come, 0 for HTTP/1.0.
    public var minorVersion: UInt8 = 1
    public var wantsKeepAlive = true
    public var expectsContinue = false
    public var body: Body = .none

    public var acceptEncoding: FieldValue = .absent
    public var ifMatch: FieldValue = .absent
    public var ifNoneMatch: FieldValue = .absent
    public var ifModifiedSince: FieldValue = .absent
    public var ifUnmodifiedSince: FieldValue = .absent
    public var range: FieldValue = .absent
    public var ifRange: FieldValue = .absent
    public var userAgent: FieldValue = .absent
    public var authorization: FieldValue = .absent
    public var referer: FieldValue = .absent
    /// What a front says about the client, and what anybody else may say.
    public var forwarded: FieldValue = .absent
    public var forwardedFor: FieldValue = .absent
    public var forwardedProto: FieldValue = .absent
    public var forwardedHost: FieldValue = .absent
    /// By which a front finds the request again, and what anybody else may say.
    public var traceParent: FieldValue = .absent
    public var requestID: FieldValue = .absent
    /// Not in the head itself, but what has become of it where a trusted front has sent it: that the client came over TLS,
    /// and that the host is the front's word.
    public var cameSecurely = false
    public var hostIsForwarded = false

    /// How the body that follows the head is framed (RFC 9112 §6.3).
    public enum Body: Equatable, Sendable {
        case none
        case length(UInt64)
        case chunked
    }

    public init() {}
}

/// Where a field's value is, and whether the field stood there more than once. A repeated list is one list (RFC 9110
/// §5.3); the range then covers everything from the first value to the last, and its reader has to skip what is between.
public struct FieldValue: Hashable, Sendable {
    public var range: ByteRange
    public var isRepeated: Bool

    public static let absent = FieldValue(range: .absent, isRepeated: false)

    public var isPresent: Bool { range.isPresent }

    @inline(__always)
    mutating func note(_ value: ByteRange) {
        if range.isPresent {
            isRepeated = true
            range.end = value.end
        } else {
            range = value
        }
    }
}

/// The method of a request.
public enum Method: UInt8, Sendable {
    case get
    case head
    case options
    case connect
    /// Another method that every resource on the web may have: those of RFC 9110 §9.3, and PATCH (RFC 5789).
    case notServed
    /// Any other well-formed token, extensions such as WebDAV's among them.
    case unknown

    /// Methods are case-sensitive (RFC 9110 §9.1).
    @inline(__always)
    init(_ token: Span<UInt8>) {
        if token.equals("GET") {
            self = .get
        } else if token.equals("HEAD") {
            self = .head
        } else {
            self.init(rare: token)
        }
    }

    private init(rare token: Span<UInt8>) {
        if token.equals("OPTIONS") {
            self = .options
        } else if token.equals("CONNECT") {
            self = .connect
        } else {
            let isKnown =
                token.equals("POST") || token.equals("PUT") || token.equals("DELETE") || token.equals("PATCH")
                || token.equals("TRACE")
            self = isKnown ? .notServed : .unknown
        }
    }
}

/// Bounds on a request's head. `Limits` holds them and takes them from `server.json`.
public struct HeadLimits: Sendable {
    /// The whole head, in bytes: 431 beyond it.
    public var headBytesMax: Int
    /// The request line, in bytes: 414 beyond it. RFC 9112 §3 asks for 8,000 at least.
    public var requestLineBytesMax: Int
    /// Field lines: 431 beyond it.
    public var fieldCountMax: Int

    public init(headBytesMax: Int = 16_384, requestLineBytesMax: Int = 8_192, fieldCountMax: Int = 100) {
        self.headBytesMax = headBytesMax
        self.requestLineBytesMax = requestLineBytesMax
        self.fieldCountMax = fieldCountMax
    }
}
