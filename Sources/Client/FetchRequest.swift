// What is asked of whom, and within which bounds. Verifiers differ in the words they use for the same question, so every
// word is said here and none is added on the way.

import HTTP
public import Posix
public import TLS

/// One request to a server.
public struct FetchRequest: Sendable {
    /// The host that the certificate has to be for and that is named in the handshake.
    public var host: String
    public var address: SocketAddress
    public var isSecure: Bool
    public var method = "GET"
    public var path: String
    /// What `host` says. An address may stand in for another one, so it does not tell whether a port belongs here.
    public var hostField: String
    /// Nil for a request that says neither who asks nor what is accepted.
    public var userAgent: String?
    public var acceptsGzip = false
    /// Further field lines.
    public var fields: [FetchedResponse.Field] = []
    public var body: [UInt8]?
    /// Whether the connection is for another request too.
    public var keepsConnection = false
    /// Whether a server that a client must not trust gets no request at all.
    public var requiresTrust = false
    /// Whether the body of the answer is waited for.
    public var readsBody = true
    /// What the server at the address is asked for first, where it is a proxy.
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
        // What ends a line would begin another one.
        guard lines.allSatisfy({ line in line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            throw .failed("the request has a character that cannot be sent")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }
}

/// The bounds of one fetch.
public struct FetchLimits: Sendable {
    /// For everything together. AOSP gives five seconds, and Apple's fetcher is seen to give as many.
    public var milliseconds = 5_000
    /// For the connection alone, with a proxy's and TLS's part in it.
    public var connectMilliseconds: Int?
    /// From the request to the end of the answer's head.
    public var headMilliseconds: Int?
    public var headBytesMax = 65_536
    /// More than any verifier reads: AOSP takes 1 MiB.
    public var bodyBytesMax = 2 * 1_048_576

    public init() {}
}

/// An answer, as far as it was read.
public struct FetchedResponse: Sendable {
    public var status: Int
    /// As it came, up to 256 characters of it.
    public var statusLine: String
    public var fields: [Field]
    public var body: [UInt8]
    /// Whether the body is longer than what was read of it.
    public var isCut: Bool
    /// Until the first byte of the answer, from the first packet on.
    public var firstByteMilliseconds: Int
    public var totalMilliseconds: Int
    /// Nil in plain HTTP.
    public var peer: PeerFacts?
    /// Until the handshake was finished.
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

    /// The value of a field, its lines joined.
    public subscript(name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// How long to wait before the next request, in seconds (RFC 9110 §10.2.3). Nil where the server does not say, or not
    /// in a way that can be read; never more than a year.
    public func retryAfterSeconds(now: Int64) -> Int64? {
        guard let text = self["retry-after"], !text.isEmpty else { return nil }
        let longest: Int64 = 366 * 86_400
        if text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) { return min(longest, Int64(text) ?? longest) }
        return HTTPDate.read(Array(text.utf8).span, now: now).map { min(longest, max(0, $0 - now)) }
    }

    public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The body without its coding; nil where it is in none that is known, or not in the one that it says.
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
    /// No careful client would send the server anything.
    case untrusted(String)
    /// Nothing more came in time, in the middle of what is named.
    case timedOut(String)
    /// The connection ended in the middle of what is named.
    case cutOff(String)
    /// The connection failed in the middle of what is named.
    case brokenOff(String, SystemError)
    case failed(String)
    /// What came is not HTTP/1.
    case malformed(String, line: String = "")

    public var description: String {
        switch self {
        case .cannotConnect(let error): "cannot connect: \(error.reason)"
        case .handshake(let error): error.description
        case .untrusted(let reason): reason
        case .timedOut(let what): "\(what) did not come in time"
        case .cutOff(let what): "the connection ended in the middle of \(what)"
        case .brokenOff(let what, let error): "\(what) broke off: \(error.reason)"
        case .failed(let reason): reason
        case .malformed(let reason, _): "the answer is not HTTP: \(reason)"
        }
    }

    /// Whether the time was too short, whatever it was spent on.
    public var isTimeOut: Bool {
        switch self {
        case .timedOut, .handshake(.timedOut): true
        case .cannotConnect(let error): error.isTimeOut
        case .cutOff, .brokenOff, .failed, .malformed, .untrusted, .handshake: false
        }
    }

    /// The system call that failed, where it was one.
    public var systemError: SystemError? {
        switch self {
        case .cannotConnect(let error), .brokenOff(_, let error): error
        case .timedOut: .timedOut("recv")
        case .handshake, .untrusted, .cutOff, .failed, .malformed: nil
        }
    }
}
