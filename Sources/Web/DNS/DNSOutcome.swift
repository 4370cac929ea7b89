// The outcome of a lookup. "There is no such record" and "the lookup failed" are different outcomes: the caller may act on
// the first, never on the second.

public import Posix

/// The outcome of a lookup. `aliases` are the targets of CNAME records, in the order in which they were followed.
public enum DNSOutcome: Hashable, Sendable {
    /// At least one record.
    case found([DNSRecord], aliases: [DomainName])
    /// The name exists and has no record of this type.
    case noData(aliases: [DomainName])
    /// The name, or the last of its aliases, does not exist (NXDOMAIN).
    case noSuchName(aliases: [DomainName])
    case failed(DNSFailure)

    /// Whether no name server has answered at all.
    public var isSilence: Bool {
        guard case .failed(let failure) = self else { return false }
        switch failure.kind {
        case .timedOut, .unreachable: return true
        default: return false
        }
    }
}

/// Why a lookup failed.
public struct DNSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let kind: Kind
    /// Such as `CAA of shop.example.com`.
    let subject: String

    public enum Kind: Error, Hashable, Sendable {
        /// SERVFAIL.
        case serverFailure(server: String)
        /// REFUSED, or an answer that only names other servers.
        case refused(server: String)
        /// Another code of RFC 6895 §2.3.
        case code(Int, server: String)
        case timedOut
        /// The answer is too long for UDP and could not be fetched over TCP.
        case truncated(server: String, reason: String)
        case malformed(server: String, reason: String)
        case unreachable(server: String, SystemError)
        case tooManyAliases
        /// There is no memory, or no descriptor, for the state of the C library.
        case unprepared(SystemError)
    }

    init(_ kind: Kind, _ question: DNSQuestion) {
        self.kind = kind
        subject = "\(question.type) of \(question.name)"
    }

    public var description: String { "cannot look up \(subject): \(reason)" }

    private var reason: String {
        switch kind {
        case .serverFailure(let server):
            "name server \(server) answered SERVFAIL; the domain's name servers may be down, or its DNSSEC broken"
        case .refused(let server): "name server \(server) does not resolve names for this machine"
        case .code(let code, let server): "name server \(server) answered with code \(code)"
        case .timedOut: "no name server answered in time"
        case .truncated(let server, let reason):
            "the answer of name server \(server) is too long for UDP, and TCP failed: \(reason)"
        case .malformed(let server, let reason): "name server \(server) sent a malformed answer: \(reason)"
        case .unreachable(let server, let error): "cannot reach name server \(server): \(error.reason)"
        case .tooManyAliases: "the name has a chain of more than \(DNSLimits.aliasesMax) CNAME records"
        case .unprepared(let error): error.reason
        }
    }
}

/// The limits of one lookup.
enum DNSLimits {
    /// Other resolvers follow between 8 and 16.
    static let aliasesMax = 16
    /// Records in one section of an answer; real answers have far fewer. Each costs the expansion of a name.
    static let recordsMax = 1_024
    /// The size that every network delivers without fragmentation (DNS Flag Day 2020).
    static let datagramBytesMax: UInt16 = 1_232
}
