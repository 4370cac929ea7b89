// What comes of a look-up. "There is none" and "nobody could say" are different outcomes: the first is a fact to act on, the
// second never is.

public import Posix

/// The outcome of a look-up. `aliases` are the names that CNAME records lead to from the one asked for, the last one last.
public enum DNSOutcome: Hashable, Sendable {
    /// At least one record.
    case found([DNSRecord], aliases: [DomainName])
    /// The name exists and has no record of this type.
    case noData(aliases: [DomainName])
    /// The name, or the last of its aliases, does not exist (NXDOMAIN).
    case noSuchName(aliases: [DomainName])
    case failed(DNSFailure)
}

/// Why there is no outcome that could be relied on.
public struct DNSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let kind: Kind
    /// Such as `CAA of shop.example.com`.
    let subject: String

    public enum Kind: Error, Hashable, Sendable {
        /// SERVFAIL.
        case serverFailure(server: String)
        /// REFUSED, or an answer that only leads to other servers.
        case refused(server: String)
        /// Another code of RFC 6895 §2.3.
        case code(Int, server: String)
        case timedOut
        /// The answer is too long for a datagram and could not be fetched over TCP.
        case truncated(server: String, reason: String)
        case malformed(server: String, reason: String)
        case unreachable(server: String, SystemError)
        case tooManyAliases
    }

    init(_ kind: Kind, _ question: DNSQuestion) {
        self.kind = kind
        subject = "\(question.type) of \(question.name)"
    }

    public var description: String { "cannot look up \(subject): \(reason)" }

    private var reason: String {
        switch kind {
        case .serverFailure(let server):
            "name server \(server) answers SERVFAIL; the name servers of the domain may be down, or its DNSSEC broken"
        case .refused(let server): "name server \(server) does not look up names for this machine"
        case .code(let code, let server): "name server \(server) answers with code \(code)"
        case .timedOut: "no name server answered in time"
        case .truncated(let server, let reason):
            "the answer of name server \(server) is too long for UDP, and TCP failed: \(reason)"
        case .malformed(let server, let reason): "name server \(server) sent a malformed answer: \(reason)"
        case .unreachable(let server, let error): "cannot reach name server \(server): \(error.reason)"
        case .tooManyAliases: "more than \(DNSLimits.aliasesMax) CNAME records lead from one to the next"
        }
    }
}

/// The bounds of one look-up, whatever a server sends.
enum DNSLimits {
    /// Resolvers follow between 8 and 16.
    static let aliasesMax = 16
    /// In one section of an answer. Nobody publishes as many; each costs the expansion of a name.
    static let recordsMax = 1_024
    /// What every network delivers in one piece, as agreed for DNS Flag Day 2020.
    static let datagramBytesMax: UInt16 = 1_232
}
