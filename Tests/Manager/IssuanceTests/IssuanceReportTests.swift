// The numbers for metrics, on both engines.

import ACME
import Database
import Store
import Testing

@testable import DatabaseSupport
@testable import Issuance

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
            #expect(figures.budgets.isEmpty)
            return
        }
        // The database's clock runs on.
        let tokens = try #require(figures.budgets[.orders])
        #expect((allowed...allowed + 0.5).contains(tokens))
    }

    @Test(arguments: TestEngine.available)
    func `says what each limit allows for the subject with the fewest`(engine: TestEngine) throws {
        let rules = try rules()
        let database = try TestDatabase(engine)
        var store = try database.store()
        let budgets = try store.write { transaction throws(DatabaseError) in
            // A clock that was ahead adds nothing, and full buckets are full.
            let now = try transaction.now()
            for (scope, subject, tokens, at) in [
                ("domains", "a.example", 24, now + 600_000), ("domains", "b.example", 3, now + 600_000),
                ("sets", "shop.a.example", 1, now + 600_000), ("failures", "shop.a.example", 0, now - 7_200_000),
            ] as [(String, String, Double, Int64)] {
                try transaction.execute(
                    "insert into bucket (scope, subject, tokens, at) values (?, ?, ?, ?)", "b.example/\(scope)",
                    subject, tokens, at)
            }
            return try IssuanceFigures(rules, in: transaction).budgets
        }
        #expect(budgets == [.domains: 3, .sets: 1, .failures: 1])
    }

    /// Each row: a state, the hours for which the host has been without a certificate, and whether it needs a person.
    @Test(
        arguments: TestEngine.available,
        [
            ("failing", 0, true), ("paused-by-ca", 0, true), ("waiting-dns", 23, false), ("waiting-dns", 25, true),
            ("waiting-caa", 23, false), ("waiting-caa", 25, true), ("queued", 99, false), ("limited", 99, false),
            ("issued", 99, false), ("leaving", 99, false),
        ])
    func `lists the hosts that need a person`(engine: TestEngine, row: (String, Int64, Bool)) throws {
        let (state, hours, isStuck) = row
        let database = try TestDatabase(engine)
        var store = try database.store()
        let figures = try store.write { transaction throws(DatabaseError) in
            let now = try transaction.now()
            for number in 1_000...(1_001 + IssuanceFigures.stuckMax) {
                try Work.add(CertificateWork.kind, "\(number).example", state: state, due: now, in: transaction)
            }
            try transaction.execute("update work set began = ?", now - hours * 3_600_000)
            return try IssuanceFigures(in: transaction)
        }
        let listed = 1_000...(1_000 + IssuanceFigures.stuckMax)
        #expect(figures.stuck.map(\.host) == (isStuck ? listed.map { "\($0).example" } : []))
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
