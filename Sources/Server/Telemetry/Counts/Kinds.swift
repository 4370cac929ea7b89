// The categories of metrics and logs: short, closed lists, so that the number of counters depends neither on the number of hosts
// nor on what clients send.

import HTTP

/// The class of a status code. There are no 1xx answers. Any client can cause a 501 or 505, so they are not counted as server
/// errors.
public enum StatusClass: UInt8, CaseIterable, Sendable {
    case success
    case redirection
    case clientError
    case serverError
    /// 501 and 505: a method or a version that this server does not support.
    case notSupported

    @inlinable
    public init(_ status: UInt16) {
        switch status {
        case ..<300: self = .success
        case ..<400: self = .redirection
        case ..<500: self = .clientError
        case 501, 505: self = .notSupported
        default: self = .serverError
        }
    }
}

/// The kind of document that a request asks for. If the host has no such document, the path can still name an association file.
public enum RequestedDocument: UInt8, CaseIterable, Sendable {
    case appleAssociation
    case statementList
    /// Another file below `/.well-known/`.
    case wellKnown
    case page
    case landing
    case none

    /// Whether verifiers fetch it.
    @inlinable
    public var isAssociation: Bool { self == .appleAssociation || self == .statementList }

    /// The association file that a path names; `.none` for any other path.
    public init(naming path: Span<UInt8>) {
        if path.equals(WellKnownPath.appleAssociation) || path.equals(WellKnownPath.appleAssociationAtRoot) {
            self = .appleAssociation
        } else if path.equals(WellKnownPath.statementList) {
            self = .statementList
        } else {
            self = .none
        }
    }
}

/// How a handshake ended.
public enum HandshakeOutcome: UInt8, CaseIterable, Sendable {
    case full
    case resumed
    /// There is no certificate for the name that the client sent, or it sent none.
    case unknownName
    /// The certificate for the name cannot be used.
    case brokenCertificate
    case noSharedVersion
    case noSharedCipher
    /// The client sent an alert: most often it does not trust the certificate.
    case refusedByClient
    /// Plain HTTP on a port for TLS.
    case plainHTTP
    /// The client closed the connection during the handshake.
    case clientClosed
    case timedOut
    case other
}

extension HandshakeOutcome {
    /// The name in metrics and in the access log.
    public var name: StaticString {
        switch self {
        case .full: "full"
        case .resumed: "resumed"
        case .unknownName: "unknown_name"
        case .brokenCertificate: "broken_certificate"
        case .noSharedVersion: "no_shared_version"
        case .noSharedCipher: "no_shared_cipher"
        case .refusedByClient: "refused_by_client"
        case .plainHTTP: "plain_http"
        case .clientClosed: "client_closed"
        case .timedOut: "timed_out"
        case .other: "other"
        }
    }
}

/// Why an accepted connection was refused.
public enum AdmissionRefusal: UInt8, CaseIterable, Sendable {
    case tooManyConnections
    case tooManyHandshakes
    case tooManyFromAddress
    /// On a listener with the PROXY protocol, the client is not a trusted proxy, or its header is malformed.
    case notFromTrustedProxy
}

/// Why a connection ended.
public enum CloseReason: UInt8, CaseIterable, Sendable {
    /// The client closed it.
    case client
    /// The client or the answer had announced the end.
    case finished
    /// Idle for too long between requests.
    case idle
    /// A handshake, a head, a body or an answer took too long.
    case deadline
    /// It reached the limit of requests or bytes.
    case limit
    /// The request or the handshake was refused.
    case refused
    /// Sending or receiving failed.
    case error
    /// Closed to make room for others: it had sent no request yet, was between two requests, or used too much memory.
    case evicted
    /// The server is exiting.
    case drained
}
