// What the preflight of a host is compared with: where hosts should lead, and who will ask which authority for a
// certificate.

public import DNS
public import Posix

/// The conditions for an order of a certificate.
public struct PreflightRules: Sendable {
    /// The public addresses of this server (`acme.leadsTo`); their ports are ignored.
    public var expectedAddresses: [RemoteAddress] = []
    /// The addresses that this machine listens on. Together with the expected ones, they are the only addresses that are requested
    /// although they are not public: otherwise the owner of a domain could have this server connect to any place in its network.
    public var localAddresses: [RemoteAddress] = []
    /// The names of this server (`acme.leadsTo`). Without names and addresses, only the probe decides.
    public var expectedNames: [DomainName] = []
    /// The names of the authority in CAA records. Empty if the authority does not publish them.
    public var caaIdentities: [String] = []
    /// Nil before an account is registered.
    public var accountURL: String?
    /// The validation method: `http-01`, or `dns-01`, which wildcards need.
    public var method = "http-01"
    /// Whether to request a challenge at each address.
    public var isProbing = true

    public init() {}
}
