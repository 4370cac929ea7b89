// What a handler gets and gives: values, without a connection.

public import HTTP
import Posix

/// A request with its whole body.
public struct ServiceRequest: Sendable {
    public let method: Method
    /// As written, without the query.
    public let path: String
    /// Without the `?`; nil if there is none.
    public let query: String?
    /// Without the port, in lower case; empty if the request has none.
    public let host: String
    public internal(set) var body: [UInt8]
    /// The segments of the path that the route's pattern leaves open, decoded.
    public internal(set) var parameters: [String] = []
    /// Nil for a stranger.
    public internal(set) var identity: Identity?
    /// On whose account it goes, by name; nil for a stranger.
    var payer: String?
    private let head: [UInt8]

    /// The value of a field.
    public enum Field: Equatable, Sendable {
        case absent
        case once(String)
        /// On several lines, which no field that a handler reads may be.
        case repeated
    }

    init(_ head: RequestHead, _ bytes: Span<UInt8>) {
        method = head.isAboutServer ? .unknown : head.method
        path = bytes.text(head.path)
        query = head.query.isPresent ? bytes.text(head.query) : nil
        host = bytes.text(head.host).lowercased()
        self.head = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        body = []
    }

    /// For calls within a process, and tests.
    package init(_ method: Method, _ path: String, host: String = "localhost", lines: [String] = [], body: [UInt8] = [])
    {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        (self.method, self.path, self.query) = (method, parts[0], parts.count > 1 ? parts[1] : nil)
        (self.host, self.body) = (host, body)
        head = Array(([""] + lines + [""]).joined(separator: "\r\n").utf8)
    }

    /// Whether it announces a body.
    var hasBody: Bool {
        field("transfer-encoding") != .absent || ![.absent, .once("0")].contains(field("content-length"))
    }

    /// - Parameter name: in lower case.
    public func field(_ name: StaticString) -> Field {
        let value = RequestHead.value(of: name, in: head.span)
        if !value.isPresent { return .absent }
        return value.isRepeated ? .repeated : .once(head.span.text(value.range))
    }
}

/// Who asks, and what that permits.
public struct Identity: Hashable, Sendable {
    public let name: String
    public let scopes: Set<Scope>
    /// Whose things it may use; nil for those of all.
    public let tenant: String?

    public init(_ name: String, _ scopes: Set<Scope>, tenant: String? = nil) {
        (self.name, self.scopes, self.tenant) = (name, scopes, tenant)
    }
}

/// A permission that a route needs.
public struct Scope: Hashable, Sendable {
    public let name: String

    public init(_ name: String) { self.name = name }
}

/// An answer.
public struct ServiceResponse: Sendable {
    public var status: Status
    public var contentType: String
    public var body: [UInt8]
    /// Further fields.
    public var fields = FieldLines()
    public var cacheControl = "no-store"

    public static let plainText = "text/plain; charset=utf-8"
    public static let json = "application/json"
    public static let bytes = "application/octet-stream"

    public init(_ status: Status, _ contentType: String, _ body: [UInt8]) {
        (self.status, self.contentType, self.body) = (status, contentType, body)
    }

    /// Lines for people.
    public init(_ status: Status, lines: [String]) {
        self.init(status, ServiceResponse.plainText, Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    package func encoded(wantsBody: Bool, closes: Bool) -> [UInt8] {
        var lines = fields
        lines.add("date", HTTPDate.text(Clock.wallSeconds()))
        // Without a body there is no length either (RFC 9110 §8.6).
        if status != .noContent, status != .notModified {
            lines.add("content-type", contentType)
            lines.add("content-length", "\(body.count)")
        }
        lines.add("cache-control", cacheControl)
        lines.add("x-content-type-options", "nosniff")
        if closes { lines.add("connection", "close") }
        return StatusLine.bytes(status) + lines.bytes + [0x0D, 0x0A] + (wantsBody ? body : [])
    }
}

extension Span<UInt8> {
    fileprivate func text(_ range: ByteRange) -> String {
        unsafe extracting(range.range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
