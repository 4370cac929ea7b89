// The rate limits of a certificate authority as token buckets in the store, so that all nodes together stay below them
// and other clients of the same account or domain have something left. Only the limits of Let's Encrypt are modelled
// (https://letsencrypt.org/docs/rate-limits/); its own answers with 429 take precedence in any case.

import Database
import TLS

/// The tokens that orders and validations take at one authority.
public struct Budget: Sendable {
    private let authority: String
    private let isModelled: Bool

    private static let hourMilliseconds: Int64 = 3_600_000
    private static let weekMilliseconds = 7 * 24 * hourMilliseconds
    /// Longer subjects are digested: an index of PostgreSQL holds at most 2,704 bytes.
    private static let subjectBytesMax = 255

    /// - Parameter authority: the host of its directory.
    /// - Parameter isModelled: false for an authority without known limits, such as a private one.
    public init(authority: String, isModelled: Bool) {
        (self.authority, self.isModelled) = (authority, isModelled)
    }

    /// What a new order takes.
    /// - Parameter isRenewal: whether the order names the certificate that it replaces. Those are not counted.
    /// - Parameter mayUseReserve: whether it is a single new host whose registered domain has no other order waiting.
    public func charges(
        hosts: [String], isRenewal: Bool, mayUseReserve: Bool = false, suffixes: PublicSuffixes
    ) -> [Bucket.Charge] {
        guard isModelled, !isRenewal, !hosts.isEmpty else { return [] }
        // An order counts once for each registered domain, however many of its hosts it has.
        let domains = Set(hosts.map { suffixes.registeredDomain(of: $0) }).sorted()
        return [
            // So a tenant with many new hosts does not keep all others waiting.
            Bucket.Charge(orders, reserve: mayUseReserve ? 0 : orders.capacity / 5),
            Bucket.Charge(certificates(of: hosts)),
        ] + domains.map { Bucket.Charge(certificates(in: $0)) }
    }

    /// What one attempt to validate a host takes. Nothing is given back when it succeeds: so there is at most one
    /// attempt an hour, and at most one failure.
    public func failureCharges(_ host: String) -> [Bucket.Charge] {
        guard isModelled else { return [] }
        let name = host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
        return [Bucket.Charge(bucket(.failures, name, capacity: 1, fillMilliseconds: Budget.hourMilliseconds))]
    }

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
        for url in rules.directories where rules.isBudgetModelled {
            let bucket = Budget(authority: url.host, isModelled: true).orders
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

    /// 5 certificates with exactly these hosts in seven days; at most four are used.
    private func certificates(of hosts: [String]) -> Bucket {
        var subject = Set(hosts).sorted().joined(separator: ",")
        if subject.utf8.count > Budget.subjectBytesMax { subject = Base64URL.text(Digest.sha256(Array(subject.utf8))) }
        return bucket(.sets, subject, capacity: 2, fillMilliseconds: Budget.weekMilliseconds)
    }

    private func bucket(_ limit: Limit, _ subject: String, capacity: Double, fillMilliseconds: Int64) -> Bucket {
        Bucket(
            scope: "\(authority)/\(limit.rawValue)", subject: subject, capacity: capacity,
            fillMilliseconds: fillMilliseconds)
    }
}
