// What is asked of whom, and within which bounds. Verifiers differ in the words they use for the same question, so every
// word is said here and none is added on the way.

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
    public var userAgent: String
    public var acceptsGzip = false
    public var limits: FetchLimits

    public init(
        host: String, hostField: String, address: SocketAddress, isSecure: Bool = true, path: String, userAgent: String,
        limits: FetchLimits = FetchLimits()
    ) {
        (self.host, self.hostField, self.address, self.isSecure) = (host, hostField, address, isSecure)
        (self.path, self.userAgent, self.limits) = (path, userAgent, limits)
    }

    /// The bytes that are sent.
    var head: [UInt8] {
        var lines = "\(method) \(path) HTTP/1.1\r\nHost: \(hostField)\r\nUser-Agent: \(userAgent)\r\n"
        lines += "Accept: */*\r\n"
        if acceptsGzip { lines += "Accept-Encoding: gzip\r\n" }
        return Array((lines + "Connection: close\r\n\r\n").utf8)
    }
}

/// The bounds of one fetch.
public struct FetchLimits: Sendable {
    /// For everything together. AOSP gives five seconds, and Apple's fetcher is seen to give as many.
    public var milliseconds = 5_000
    public var headBytesMax = 65_536
    /// More than any verifier reads: AOSP takes 1 MiB.
    public var bodyBytesMax = 2 * 1_048_576

    public init() {}
}

/// An answer, as far as it was read.
public struct FetchedResponse: Sendable {
    public var status: Int
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
    }

    /// The value of a field, its lines joined.
    public subscript(name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

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
    /// Nothing more came in time, in the middle of what is named.
    case timedOut(String)
    /// The connection ended in the middle of what is named.
    case cutOff(String)
    case failed(String)
    /// What came is not HTTP/1.
    case malformed(String)

    public var description: String {
        switch self {
        case .cannotConnect(let error): "cannot connect: \(error.reason)"
        case .handshake(let error): error.description
        case .timedOut(let what): "\(what) did not come in time"
        case .cutOff(let what): "the connection ended in the middle of \(what)"
        case .failed(let reason): reason
        case .malformed(let reason): "the answer is not HTTP: \(reason)"
        }
    }

    /// Whether the time was too short, whatever it was spent on.
    public var isTimeOut: Bool {
        switch self {
        case .timedOut, .handshake(.timedOut): true
        case .cannotConnect(let error): error.isTimeOut
        case .cutOff, .failed, .malformed, .handshake: false
        }
    }
}
