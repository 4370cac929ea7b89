// The result of a preflight: the DNS records wanted and found, and the first problem. All texts are single lines.

/// What is known about a host before an order.
public struct PreflightReport: Hashable, Sendable {
    /// The DNS records to create, such as `shop.example.com. A 192.0.2.1`. Each CNAME record is enough alone, and so
    /// are all addresses together.
    public internal(set) var wanted: [String] = []
    public internal(set) var found: [String] = []
    /// What the authority does not offer, although the settings ask for it.
    public internal(set) var notes: [String] = []
    /// Why the authority takes no orders of this server now, whatever the host: it does not answer, or refuses the account.
    public internal(set) var authorityProblem: String?
    /// Nil if the host can get a certificate.
    public internal(set) var problem: PreflightProblem?
}

/// Why a host cannot get a certificate now: what is wrong, and what to do.
public enum PreflightProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The host does not lead to this server, or only in part.
    case dns(String)
    /// The CAA records do not allow a certificate, or are unknown.
    case caa(String)

    public var description: String {
        switch self {
        case .dns(let text), .caa(let text): text
        }
    }
}
