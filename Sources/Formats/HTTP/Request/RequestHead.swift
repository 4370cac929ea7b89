// A parsed request head: values, and ranges of the bytes it was read from. Fields that this server does not use are checked for
// their form and not stored.

/// The head of one request. The ranges are offsets from the head's first byte.
public struct RequestHead: Sendable {
    public var method: Method = .unknown
    /// The method as written.
    public var methodName: ByteRange = .absent
    /// The target's path as written: percent-encoded, without the query.
    public var path: ByteRange = .absent
    /// The target's query without the `?`; absent if it has none.
    public var query: ByteRange = .absent
    /// `OPTIONS *` (RFC 9112 §3.2.4): about the server, not a resource.
    public var isAboutServer = false
    /// The host as written, without its port and one trailing dot. Empty when an HTTP/1.0 request names none.
    public var host: ByteRange = .absent
    /// 1 for HTTP/1.1 and future minor versions, 0 for HTTP/1.0.
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
    /// The forwarding fields, which any client can send too.
    public var forwarded: FieldValue = .absent
    public var forwardedFor: FieldValue = .absent
    public var forwardedProto: FieldValue = .absent
    public var forwardedHost: FieldValue = .absent
    /// The fields with which a proxy traces a request, which any client can send too.
    public var traceParent: FieldValue = .absent
    public var requestID: FieldValue = .absent
    /// Set later, when a trusted proxy has sent the request: the client used TLS, and `host` is the one that the proxy named.
    public var cameSecurely = false
    public var hostIsForwarded = false

    /// How the body that follows the head is framed (RFC 9112 §6.3).
    public enum Body: Equatable, Sendable {
        case none
        case length(UInt64)
        case chunked
    }

    public init() {}

    /// The value of a field that has no place above. For answers that are not prepared; it searches the whole head.
    /// - Parameters:
    ///   - name: in lower case.
    ///   - bytes: of a head that the parser has accepted.
    public static func value(of name: StaticString, in bytes: Span<UInt8>) -> FieldValue {
        var value = FieldValue.absent
        var start = 0
        while let end = bytes.firstIndex(of: Octet.lineFeed, from: start) {
            if let colon = bytes.firstIndex(of: UInt8(ascii: ":"), from: start, to: end),
                bytes.extracting(start..<colon).equalsIgnoringCase(name)
            {
                value.note(bytes.trimmed(colon + 1, end - 1))
            }
            start = end + 1
        }
        return value
    }
}

/// The range of a field's value, and whether the field occurs more than once. A repeated list is one list (RFC 9110 §5.3); the
/// range then covers everything from the first value to the last, and its reader must skip the lines between them.
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

public enum Method: UInt8, Sendable {
    case get
    case head
    case options
    case connect
    // The public server has no resource for these. PATCH is of RFC 5789, the others are of RFC 9110 §9.3.
    case post, put, patch, delete, trace
    /// Any other well-formed token, such as the methods of WebDAV.
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
        } else if token.equals("POST") {
            self = .post
        } else if token.equals("PUT") {
            self = .put
        } else if token.equals("PATCH") {
            self = .patch
        } else if token.equals("DELETE") {
            self = .delete
        } else if token.equals("CONNECT") {
            self = .connect
        } else {
            self = token.equals("TRACE") ? .trace : .unknown
        }
    }
}

/// Limits of a request's head. They are part of `Limits`, so `server.json` can set them.
public struct HeadLimits: Sendable {
    /// The whole head, in bytes: 431 beyond it.
    public var headBytesMax: Int
    /// The request line, in bytes: 414 beyond it. RFC 9112 §3 requires at least 8,000.
    public var requestLineBytesMax: Int
    /// Field lines: 431 beyond it.
    public var fieldCountMax: Int

    public init(headBytesMax: Int = 16_384, requestLineBytesMax: Int = 8_192, fieldCountMax: Int = 100) {
        (self.headBytesMax, self.requestLineBytesMax, self.fieldCountMax) = (
            headBytesMax, requestLineBytesMax, fieldCountMax
        )
    }
}
