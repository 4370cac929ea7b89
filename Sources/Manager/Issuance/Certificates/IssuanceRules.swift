// What the operator has decided about certificates.

public import ACME
public import Client
public import DNS
public import Database
import Posix
import Store
public import TLS

/// The settings for ordering certificates.
public struct IssuanceRules: Sendable {
    /// The authorities, in the order in which they are tried.
    public var directories: [AuthorityURL]
    /// Such as `mailto:admin@example.com`.
    public var contact: [String] = []
    public var externalAccount: ExternalAccount?
    public var profile: String?
    public var preferredIssuer: String?
    /// For new certificates.
    public var key = SigningKey.Kind.p256
    /// The CA certificates to trust instead of the system's. An authority of one's own has no known rate limits.
    public var authorityFile: String? { didSet { isBudgetModelled = authorityFile == nil } }
    /// Whether orders take tokens from the known rate limits.
    var isBudgetModelled = true
    /// Whether an order needs DNS records that lead here.
    public var isPreflightRequired = true
    /// What the preflight expects, apart from what it asks the authority.
    public var preflight = PreflightRules()
    /// How long one preflight may take. The name servers of the host and its addresses, which its owner chooses, can be slow, and a
    /// worker waits meanwhile.
    var preflightMilliseconds: Int64 = 20_000
    /// The port to which the authority connects.
    public var port: UInt16 = 80
    public var resolver = Resolver()
    /// Of the name servers of zones.
    var nameServerPort: UInt16 = 53
    var patience = AuthorityPatience()
    /// For requests to authorities.
    public var proxy: ProxySettings?
    /// How control of a host is proved, except for wildcards, which allow only `dns`.
    public var challenge = ChallengeKind.http
    /// The name server that takes the TXT records of `dns`; nil if there is none.
    public var updates: UpdateServer?

    public init(directories: [AuthorityURL]) { self.directories = directories }

    /// Notes the settings, and lets the hosts that wait be looked at again if they are not those of the last start: what was wrong may
    /// be right now, and the next look may be a week away.
    public func applyChangedSettings(in transaction: borrowing Transaction) throws(DatabaseError) {
        let isChanged = try transaction.execute(
            """
            insert into secret (name, sealed) values ('acme-settings', ?)
            on conflict (name) do update set sealed = excluded.sealed where secret.sealed <> excluded.sealed
            """, Digest.sha256(Array("\(self)".utf8)))
        if isChanged == 0 { return }
        let now = try transaction.now()
        let waiting: [IssuanceState] = [.waitingForDNS, .waitingForCAA, .failing, .paused]
        try transaction.execute(
            """
            update work set due = ?, tries = 0 where kind = ? and due > ?
                and state in (\(waiting.map { "'\($0.rawValue)'" }.joined(separator: ", ")))
            """, now, CertificateWork.kind, now)
    }

    func challenge(for host: String) -> ChallengeKind { host.hasPrefix("*.") ? .dns : challenge }
}

/// The next order of a host: at which authority, and what it takes from the rate limits there.
extension IssuanceRules {
    /// The authority for an order after some failures.
    func directory(tries: Int64, isUrgent: Bool) -> AuthorityURL {
        directories[RenewalPlan.authorityIndex(tries: tries, isUrgent: isUrgent, count: directories.count)]
    }

    /// What an order of a new host takes from the rate limits.
    func charges(_ host: String, tries: Int64, turn: Int64, _ suffixes: PublicSuffixes) -> [Bucket.Charge] {
        budget(directory(tries: tries, isUrgent: false)).charges(for: host, mayUseReserve: turn >= 0, suffixes)
    }

    /// The limits of Let's Encrypt apply whatever checks its certificate.
    func budget(_ directory: AuthorityURL) -> Budget {
        Budget(
            authority: directory.host,
            isModelled: isBudgetModelled || directory.host.hasSuffix(".api.letsencrypt.org"))
    }

    /// What a failed order of a new host gives back: authorities count certificates, failed validations, and orders. It is computed
    /// from the journal, because another process may have begun the order.
    func refund(
        _ host: String, _ cause: OrderFailure.Cause, _ journal: OrderJournal, _ suffixes: PublicSuffixes
    ) -> [Bucket.Charge] {
        budget(journal.directory).charges(for: host, mayUseReserve: true, suffixes).filter { charge in
            switch Budget.limit(of: charge.bucket) {
            case .orders: journal.order == nil
            case .failures: cause != .validation
            // A certificate that cannot be used has been issued all the same.
            case .sets, .domains: cause != .unusable
            case nil: false
            }
        }
    }
}

/// How long a worker waits for an authority.
struct AuthorityPatience: Sendable {
    /// For one answer. A slow authority may take as long.
    var answerMilliseconds = 30_000
    /// Between two requests of an order. Longer waits are left to the store, so that another host has its turn.
    var pauseSecondsMax: Int64 = 20
    /// How old the last answer of an authority may be before an order: the clock may be wrong since.
    var directoryMilliseconds: Int64 = 600_000
    /// After an answer that did not arrive in time, all orders fail at once for so long, instead of holding up each worker.
    var silenceMilliseconds: Int64 = 55_000
    /// After the account key was replaced. All nodes, whose workers look every two seconds, have written its thumbprint then.
    var accountMilliseconds: Int64 = 6_000
    /// For one order without a break. Then it, too, is left to the store.
    var orderSecondsMax: Int64 = 120
}

/// The folders and files that the server reads.
public struct ManagerPlaces: Sendable {
    /// `state/certificates`
    public var certificates: String
    /// `state/acme/thumbprint`
    public var thumbprint: String
    /// `config/hosts`, whose certificates take precedence.
    public var hosts: String
    /// `state/acme`, for what belongs to this node and not to the store.
    var nodeFolder: String { thumbprint.lastIndex(of: "/").map { String(thumbprint[..<$0]) } ?? "." }

    public init(certificates: String, thumbprint: String, hosts: String) {
        (self.certificates, self.thumbprint, self.hosts) = (certificates, thumbprint, hosts)
    }

    /// The path of the operator's own certificate for a host; nil if there is none.
    public func ownCertificate(of host: String) -> String? {
        let wildcard = host.split(separator: ".", maxSplits: 1).last.map { "_wildcard.\($0)" }
        return [host, wildcard].compactMap(\.self).map { "\(hosts)/\($0)/fullchain.pem" }.first { File.exists($0) }
    }
}
