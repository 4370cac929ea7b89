// The rate limits of a certificate authority as token buckets in the store, so that all nodes together stay below them
// and other clients of the same account or domain have something left. Only the limits of Let's Encrypt are modelled
// (https://letsencrypt.org/docs/rate-limits/); its own answers with 429 take precedence in any case.

import ACME
import Database
public import Store

/// The tokens that orders and validations take at one authority.
public struct Budget: Sendable {
    private let authority: String
    private let isModelled: Bool

    /// - Parameter authority: the host of its directory.
    /// - Parameter isModelled: false for an authority without known limits, such as a private one.
    public init(authority: String, isModelled: Bool) {
        (self.authority, self.isModelled) = (authority, isModelled)
    }

    /// What the order of a new host takes. Renewals, which name the certificate that they replace, are not counted. Of a failed
    /// validation nothing is given back: so there is at most one attempt an hour.
    /// - Parameter mayUseReserve: whether no other new host of its tenant waits.
    public func charges(for host: String, mayUseReserve: Bool, _ suffixes: PublicSuffixes) -> [Bucket.Charge] {
        guard isModelled else { return [] }
        let name = host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
        return [
            // So a tenant with many new hosts does not keep all others waiting.
            Bucket.Charge(orders, reserve: mayUseReserve ? 0 : orders.capacity / 5, isOfAll: true),
            Bucket.Charge(bucket(.sets, host)),
            Bucket.Charge(bucket(.domains, suffixes.registeredDomain(of: host))),
            Bucket.Charge(bucket(.failures, name)),
        ]
    }

    /// The bucket from which all orders of the account take; nil if the authority has no known limits.
    var account: Bucket? { isModelled ? orders : nil }

    /// What the authority limits; the last part of a bucket's scope. The fewest hosts share the first ones.
    public enum Limit: String, CaseIterable, Sendable {
        case failures, sets, domains, orders

        /// What it counts, in words.
        public var meaning: String {
            switch self {
            case .failures: "failed validations of the host"
            case .sets: "certificates of the host"
            case .domains: "certificates of its registered domain"
            case .orders: "orders of the account"
            }
        }
    }

    /// Nil for a bucket of something else.
    static func limit(of bucket: Bucket) -> Limit? {
        bucket.scope.split(separator: "/").last.flatMap { Limit(rawValue: String($0)) }
    }

    /// What each limit of the authorities allows now, at the authority and for the subject that it allows the fewest. Without a limit
    /// of which nothing has been taken yet.
    static func left(
        _ rules: IssuanceRules, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Limit: Double] {
        let now = try transaction.now()
        var fewest: [Limit: Double] = [:]
        for budget in rules.directories.map({ rules.budget($0) }) where budget.isModelled {
            for limit in Limit.allCases {
                let bucket = budget.bucket(limit, "")
                let lowest = try transaction.query(
                    """
                    select min(tokens + cast(case when at < ? then ? - at else 0 end as double precision)
                        * cast(? as double precision)) from bucket where scope = ?
                    """, now, now, bucket.capacity / Double(bucket.fillMilliseconds), bucket.scope)
                let tokens: Double? = try lowest[0][0]
                if let tokens { fewest[limit] = min(fewest[limit] ?? bucket.capacity, tokens) }
            }
        }
        return fewest
    }

    private var orders: Bucket { bucket(.orders, "account") }

    private func bucket(_ limit: Limit, _ subject: String) -> Bucket {
        let (capacity, hours): (Double, Int64) =
            switch limit {
            // One an hour.
            case .failures: (1, 1)
            // 5 certificates of exactly this host in seven days; at most four are used.
            case .sets: (2, 7 * 24)
            // 50 certificates in seven days. A full bucket of 25, and the 25 that flow in, are 50 at most.
            case .domains: (25, 7 * 24)
            // 300 orders of an account in three hours.
            case .orders: (300, 3)
            }
        return Bucket(
            scope: "\(authority)/\(limit.rawValue)", subject: subject, capacity: capacity,
            fillMilliseconds: hours * 3_600_000)
    }
}

extension AuthorityURL {
    /// Without the port.
    var host: String { String(text.dropFirst("https://".count).prefix { $0 != "/" && $0 != ":" && $0 != "?" }) }
}
