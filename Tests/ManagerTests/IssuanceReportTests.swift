// The numbers for metrics, on both engines.

import ACME
import Database
import Testing

@testable import DatabaseSupport
@testable import Manager

struct IssuanceReportTests {
    private static let urls = ["https://a.example/directory", "https://b.example/directory"]

    private func rules() throws -> IssuanceRules {
        IssuanceRules(directories: try Self.urls.map { try #require(AuthorityURL($0)) })
    }

    /// Each row: the buckets of accounts, with the tokens and their age in seconds, and the orders that are allowed now.
    struct Row: Sendable {
        var buckets: [(authority: String, tokens: Double, seconds: Int64)]
        var allowed: Double?
    }

    static let rows = [
        Row(buckets: [], allowed: nil),
        Row(buckets: [("a.example", 20, 0)], allowed: 20),
        // One order in 36 seconds flows in.
        Row(buckets: [("a.example", 20, 360)], allowed: 30),
        Row(buckets: [("a.example", 0, 1_000_000)], allowed: 300),
        Row(buckets: [("a.example", 20, 360), ("b.example", 25, 0)], allowed: 25),
        // An authority of earlier settings.
        Row(buckets: [("a.example", 20, 0), ("old.example", 0, 0)], allowed: 20),
    ]

    @Test(arguments: TestEngine.available, rows.indices)
    func `says how many orders the authorities allow now`(engine: TestEngine, index: Int) throws {
        let (row, rules) = (Self.rows[index], try rules())
        let database = try TestDatabase(engine)
        var store = try database.store()
        let figures = try store.write { transaction throws(DatabaseError) in
            let now = try transaction.now()
            for bucket in row.buckets {
                try transaction.execute(
                    "insert into bucket (scope, subject, tokens, at) values (?, 'account', ?, ?)",
                    "\(bucket.authority)/orders", bucket.tokens, now - bucket.seconds * 1_000)
            }
            return try IssuanceFigures(rules, in: transaction)
        }
        guard let allowed = row.allowed else {
            #expect(figures.accountTokens == nil)
            return
        }
        // The database's clock runs on.
        let tokens = try #require(figures.accountTokens)
        #expect((allowed...allowed + 0.5).contains(tokens))
    }

    @Test(arguments: TestEngine.available)
    func `the certificates of hosts that leave may become old`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let figures = try store.write { transaction throws(DatabaseError) in
            let now = try transaction.now()
            for (host, state, left) in [
                ("shop.example", IssuanceState.issued, 500), ("old.example", .leaving, 100),
            ] as [(String, IssuanceState, Int64)] {
                try Work.add(CertificateWork.kind, host, state: state.rawValue, due: now, in: transaction)
                try StoredCertificate(
                    name: host, keyKind: "p256", chain: "PEM", issuer: "CA", sealedKey: [1],
                    notBefore: now - (1_000 - left) * 1_000, notAfter: now + left * 1_000, renewAt: now
                ).save(in: transaction)
            }
            return try IssuanceFigures(in: transaction)
        }
        let left = try #require(figures.lifeLeftMin)
        #expect((0.4...0.5).contains(left))
    }
}
