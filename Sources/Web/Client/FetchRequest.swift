// A request to a server, its limits, and the answer. Verifiers send different headers for the same file, so a request
// contains every header, and nothing adds others.

import HTTP
public import Posix
public import TLS

/// One request to a server.
public struct FetchRequest: Sendable {
    /// The host in the handshake, for which the certificate must be valid.
    public var host: String
    public var address: SocketAddress
    public var isSecure: Bool
    public var method = "GET"
    public var path: String
    /// The value of `Host`. It cannot be derived from the address, which may be an override with another port.
    public var hostField: String
    /// Nil for a request without `User-Agent` and `Accept`.
    public var userAgent: String?
    public var acceptsGzip = false
    /// Further field lines.
    public var fields: [FetchedResponse.Field] = []
    public var body: [UInt8]?
    /// Whether the connection stays open for another request.
    public var keepsConnection = false
    /// Whether the request is not sent to a server whose certificate cannot be trusted.
    public var requiresTrust = false
    /// Whether to read the body of the answer.
    public var readsBody = true
    /// The tunnel to request first, if the address is that of a proxy.
    public var tunnel: Tunnel?
    public var limits: FetchLimits

    public init(
        host: String, hostField: String, address: SocketAddress, isSecure: Bool = true, path: String,
        userAgent: String?,
        limits: FetchLimits = FetchLimits()
    ) {
        (self.host, self.hostField, self.address, self.isSecure) = (host, hostField, address, isSecure)
        (self.path, self.userAgent, self.limits) = (path, userAgent, limits)
    }

    /// The bytes that are sent.
    func bytes() throws(FetchError) -> [UInt8] {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(hostField)"]
        if let userAgent { lines += ["User-Agent: \(userAgent)", "Accept: */*"] }
        if acceptsGzip { lines.append("Accept-Encoding: gzip") }
        lines += fields.map { "\($0.name): \($0.value)" }
        if let body { lines.append("Content-Length: \(body.count)") }
        if !keepsConnection { lines.append("Connection: close") }
        // A control character could start another line.
        guard lines.allSatisfy({ line in line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            throw .failed("the request contains a control character")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }
}

public struct FetchLimits: Sendable {
    /// The whole fetch. AOSP allows five seconds, and so does Apple's fetcher as far as observed.
    public var milliseconds = 5_000
    /// The connection only, including the tunnel and the handshake.
    public var connectMilliseconds: Int?
    /// From the request to the end of the answer's head.
    public var headMilliseconds: Int?
    public var headBytesMax = 65_536
    /// Answers before the final one, such as 100 and 103. No server sends more than a few.
    public var interimAnswersMax = 10
    /// More than any verifier reads: AOSP reads 1 MiB.
    public var bodyBytesMax = 2 * 1_048_576

    public init() {}
}

/// An answer, as far as it was read.
public struct FetchedResponse: Sendable {
    public var status: Int
    /// The unchanged status line, up to 256 characters.
    public var statusLine: String
    public var fields: [Field]
    public var body: [UInt8]
    /// Whether the body was longer than the limit and is incomplete.
    public var isTruncated: Bool
    /// From the first packet to the first byte of the answer.
    public var firstByteMilliseconds: Int
    public var totalMilliseconds: Int
    /// Nil in plain HTTP.
    public var peer: PeerFacts?
    /// From the first packet to the end of the handshake.
    public var handshakeMilliseconds: Int

    /// A field line.
    public struct Field: Hashable, Sendable {
        /// In lower case.
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The value of a field; several lines are joined with commas.
    public subscript(name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// How long to wait before the next request, in seconds (RFC 9110 §10.2.3), up to a year. Nil if the field is missing or
    /// unreadable.
    public func retryAfterSeconds(now: Int64) -> Int64? {
        guard let text = self["retry-after"], !text.isEmpty else { return nil }
        let longest: Int64 = 366 * 86_400
        if text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) { return min(longest, Int64(text) ?? longest) }
        return HTTPDate.read(Array(text.utf8).span, now: now).map { min(longest, max(0, $0 - now)) }
    }

    /// When the server made the response, by its own clock, in seconds since 1970.
    public func date(now: Int64) -> Int64? {
        self["date"].flatMap { HTTPDate.read(Array($0.utf8).span, now: now) }
    }

    public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The decoded body; nil if the content coding is unknown or the body does not match it.
    public var plainBody: [UInt8]? {
        switch self["content-encoding"]?.lowercased() {
        case nil, "identity": body
        case "gzip", "x-gzip": Gunzip.expand(body, bytesMax: FetchLimits().bodyBytesMax)
        default: nil
        }
    }

    /// The media type without its parameters, in lower case.
    public var mediaType: String? {
        self["content-type"].map { type in
            type.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        }
    }
}

/// Why there is no answer.
public enum FetchError: Error, Sendable, CustomStringConvertible {
    case cannotConnect(SystemError)
    case handshake(HandshakeError)
    /// The server's certificate cannot be trusted, so no request was sent.
    case untrusted(String)
    /// The named part did not arrive in time.
    case timedOut(String)
    /// The connection ended within the named part.
    case connectionEnded(String)
    /// The connection failed within the named part.
    case connectionFailed(String, SystemError)
    case failed(String)
    /// The answer is not HTTP/1.
    case malformed(String, line: String = "")

    public var description: String {
        switch self {
        case .cannotConnect(let error): "cannot connect: \(error.reason)"
        case .handshake(let error): error.description
        case .untrusted(let reason): reason
        case .timedOut(let what): "\(what) did not arrive in time"
        case .connectionEnded(let what): "the connection ended in the middle of \(what)"
        case .connectionFailed(let what, let error): "the connection failed during \(what): \(error.reason)"
        case .failed(let reason): reason
        case .malformed(let reason, _): "the answer is not HTTP: \(reason)"
        }
    }

    /// Whether a time limit was reached, in any step.
    public var isTimeOut: Bool {
        switch self {
        case .timedOut, .handshake(.timedOut): true
        case .cannotConnect(let error): error.isTimeOut
        case .connectionEnded, .connectionFailed, .failed, .malformed, .untrusted, .handshake: false
        }
    }

    /// The error of the system call that failed, if there was one.
    public var systemError: SystemError? {
        switch self {
        case .cannotConnect(let error), .connectionFailed(_, let error): error
        case .timedOut: .timedOut("recv")
        case .handshake, .untrusted, .connectionEnded, .failed, .malformed: nil
        }
    }
}

/// Fetches over plain HTTP and over TLS. Several threads may use one.
public struct Fetcher: Sendable {
    private let context: ClientContext?

    /// - Parameter context: nil if all requests use plain HTTP.
    public init(_ context: ClientContext?) { self.context = context }

    public func fetch(_ request: FetchRequest) -> Result<FetchedResponse, FetchError> {
        let stopwatch = Stopwatch(request.limits.milliseconds)
        do throws(FetchError) {
            var connection = try ClientConnection(for: request, context, stopwatch)
            return .success(try connection.send(request, stopwatch))
        } catch {
            return .failure(error)
        }
    }
}
