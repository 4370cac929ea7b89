// The rate limits of a certificate authority as token buckets in the store, so that all nodes together stay below them
// and other clients of the same account or domain have something left. Only the limits of Let's Encrypt are modelled
// (https://letsencrypt.org/docs/rate-limits/); its own answers with 429 take precedence in any case.

import ACME
import Database

/// The tokens that orders and validations take at one authority.
public struct Budget: Sendable {
    private let authority: String
    private let isModelled: Bool

    private static let hourMilliseconds: Int64 = 3_600_000
    private static let weekMilliseconds = 7 * 24 * hourMilliseconds

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
            Bucket.Charge(certificates(of: host)),
            Bucket.Charge(certificates(in: suffixes.registeredDomain(of: host))),
            Bucket.Charge(bucket(.failures, name, capacity: 1, fillMilliseconds: Budget.hourMilliseconds)),
        ]
    }

    /// The bucket from which all orders of the account take; nil if the authority has no known limits.
    var account: Bucket? { isModelled ? orders : nil }

    /// What the authority limits; the last part of a bucket's scope. The fewest hosts share the first ones.
    enum Limit: String, CaseIterable {
        case failures, sets, domains, orders
    }

    /// Nil for a bucket of something else.
    static func limit(of bucket: Bucket) -> Limit? {
        bucket.scope.split(separator: "/").last.flatMap { Limit(rawValue: String($0)) }
    }

    /// The orders that the rate limits of the authorities allow the account now, at the one that allows the fewest; nil before the
    /// first one.
    static func accountTokens(
        _ rules: IssuanceRules, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Double? {
        let now = try transaction.now()
        var fewest: Double?
        for bucket in rules.directories.compactMap({ rules.budget($0).account }) {
            let rows = try transaction.query(
                "select tokens, at from bucket where scope = ? and subject = ?", bucket.scope, bucket.subject)
            guard let row = rows.first else { continue }
            let tokens = bucket.level(Bucket.Level(tokens: try row[0], at: try row[1]), now).tokens
            fewest = min(fewest ?? tokens, tokens)
        }
        return fewest
    }

    /// 300 orders of an account in three hours.
    private var orders: Bucket {
        bucket(.orders, "account", capacity: 300, fillMilliseconds: 3 * Budget.hourMilliseconds)
    }

    /// 50 certificates in seven days. A full bucket of 25, and the 25 that flow in, are 50 at most.
    private func certificates(in domain: String) -> Bucket {
        bucket(.domains, domain, capacity: 25, fillMilliseconds: Budget.weekMilliseconds)
    }

    /// 5 certificates of exactly this host in seven days; at most four are used.
    private func certificates(of host: String) -> Bucket {
        bucket(.sets, host, capacity: 2, fillMilliseconds: Budget.weekMilliseconds)
    }

    private func bucket(_ limit: Limit, _ subject: String, capacity: Double, fillMilliseconds: Int64) -> Bucket {
        Bucket(
            scope: "\(authority)/\(limit.rawValue)", subject: subject, capacity: capacity,
            fillMilliseconds: fillMilliseconds)
    }
}

extension IssuanceRules {
    /// The authority for an order after some failures.
    func directory(tries: Int64, isUrgent: Bool) -> AuthorityURL {
        directories[RenewalPlan.authorityIndex(tries: tries, isUrgent: isUrgent, count: directories.count)]
    }

    /// What an order of a new host takes from the rate limits.
    func charges(_ host: String, tries: Int64, turn: Int64, _ suffixes: PublicSuffixes) -> [Bucket.Charge] {
        charges(host, at: directory(tries: tries, isUrgent: false), mayUseReserve: turn >= 0, suffixes)
    }

    private func charges(
        _ host: String, at directory: AuthorityURL, mayUseReserve: Bool, _ suffixes: PublicSuffixes
    ) -> [Bucket.Charge] {
        budget(directory).charges(for: host, mayUseReserve: mayUseReserve, suffixes)
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
        charges(host, at: journal.directory, mayUseReserve: true, suffixes).filter { charge in
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

extension AuthorityURL {
    /// Without the port.
    var host: String { String(text.dropFirst("https://".count).prefix { $0 != "/" && $0 != ":" && $0 != "?" }) }
}
