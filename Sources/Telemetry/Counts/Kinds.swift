// What is told apart in counts and records: short, closed lists, so that a table of counters has the same size whatever
// the number of hosts and whatever clients send.

import HTTP

/// The hundreds of a status code. No answer here begins with 1. A client can have 501 and 505 whenever it likes, so they
/// stand apart from the errors that are the server's own.
public enum StatusClass: UInt8, CaseIterable, Sendable {
    case success
    case redirection
    case clientError
    case serverError
    /// 501 and 505: a method or a version that this server does not have.
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

/// What a request was about. Where there is nothing to answer with, the path still tells an association file.
public enum RequestedDocument: UInt8, CaseIterable, Sendable {
    case appleAssociation
    case statementList
    /// Another file below `/.well-known/`.
    case wellKnown
    case page
    case landing
    case none

    /// Whether verifiers ask for it.
    @inlinable
    public var isAssociation: Bool { self == .appleAssociation || self == .statementList }

    /// The kind that a path names; `.none` for all that are no association file.
    public init(naming path: Span<UInt8>) {
        if path.equals("/.well-known/apple-app-site-association") || path.equals("/apple-app-site-association") {
            self = .appleAssociation
        } else if path.equals("/.well-known/assetlinks.json") {
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
    /// No certificate here is for the name that the client asked for, or it asked for none.
    case unknownName
    /// The certificate for the name cannot be used.
    case brokenCertificate
    case noSharedVersion
    case noSharedCipher
    /// The client sent an alert: most often it does not trust the certificate.
    case refusedByClient
    /// Plain HTTP on a port for TLS.
    case plainHTTP
    /// The client went away in the middle.
    case clientClosed
    case timedOut
    case other
}

extension HandshakeOutcome {
    /// In metrics and in the access log.
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

/// Why nobody listened to a connection that was accepted.
public enum AdmissionRefusal: UInt8, CaseIterable, Sendable {
    case tooManyConnections
    case tooManyHandshakes
    case tooManyFromAddress
    /// A listener for fronts was connected to by somebody else, or by one that said nothing that could be understood.
    case notFromFront
}

/// Why a connection ended.
public enum CloseReason: UInt8, CaseIterable, Sendable {
    /// The client has closed it.
    case client
    /// Client or answer had said that it would end.
    case finished
    /// Silent for too long between requests.
    case idle
    /// A handshake, a head, a body or an answer took too long.
    case deadline
    /// It had as many requests or bytes as one connection may have.
    case limit
    /// What came was refused.
    case refused
    /// Sending or receiving failed.
    case error
    /// It made room for others: it had not asked for anything yet, was between two requests, or held too much memory.
    case evicted
    /// The server is ending.
    case drained
}
