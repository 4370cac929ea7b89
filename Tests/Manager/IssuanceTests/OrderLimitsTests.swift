// The rate limits of a public authority around single orders: what is taken, what is given back, and who waits.

import DNS
import Database
import Posix
import Store
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import Issuance

struct OrderLimitsTests {
    /// With the rate limits of a public authority.
    private func limitedRig(_ change: (inout IssuanceRules) -> Void = { _ in }) throws -> CertificateRig {
        try CertificateRig {
            $0.isBudgetModelled = true
            change(&$0)
        }
    }

    private static let spent: [String: Double] = ["orders": 299, "sets": 1, "domains": 24, "failures": 0]

    @Test func `an order takes tokens once, and a host that is limited waits`() throws {
        let rig = try limitedRig()
        try rig.execute(
            """
            insert into bucket (scope, subject, tokens, at)
            values ('localhost/orders', 'account', -100000, \(Clock.wallSeconds() * 1_000))
            """)
        try rig.serve()
        try rig.settle()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .queued && standing.problem == nil && rig.count("new-order") == 0)
        try rig.execute("delete from bucket")
        try rig.settleLater()
        try rig.expectIssued()
        #expect(try rig.tokens() == Self.spent)
    }

    @Test func `orders that never reached the authority take no tokens, so the host is ordered when it is back`() throws
    {
        let rig = try limitedRig()
        rig.servers[0].faults.change { $0.isDown = true }
        try rig.serve()
        try rig.settle()
        for tries in 1...3 {
            let standing = try #require(try rig.standing())
            #expect(standing.state == .failing && standing.tries == Int64(tries))
            #expect(try rig.tokens() == ["orders": 300, "sets": 2, "domains": 25, "failures": 1])
            try rig.settleLater()
        }
        rig.servers[0].faults.change { $0.isDown = false }
        try rig.settleLater()
        try rig.expectIssued()
        #expect(try rig.tokens() == Self.spent)
    }

    /// Why an order fails, the tokens that are left, and whether the next attempt has to wait for a limit.
    private static let failures:
        [(what: String, path: String, response: AuthorityResponse?, tokens: [String: Double], waits: Bool)] = [
            ("validation", "", nil, ["orders": 299, "sets": 2, "domains": 25, "failures": 0], true),
            (
                "the order is refused", "new-order", CertificateWorkerTests.response(400, "rejectedIdentifier", "no"),
                ["orders": 300, "sets": 2, "domains": 25, "failures": 1], false
            ),
            (
                "the finalization is refused", "finalize", CertificateWorkerTests.response(400, "badCSR", "no"),
                ["orders": 299, "sets": 2, "domains": 25, "failures": 1], false
            ),
            (
                "the certificate cannot be used", "certificate",
                AuthorityResponse(status: 200, fields: [], body: Array("no PEM".utf8)),
                ["orders": 299, "sets": 1, "domains": 24, "failures": 1], false
            ),
        ]

    @Test(arguments: failures.indices, [false, true])
    func `a failed order gives back what the authority does not count`(index: Int, isRestarted: Bool) throws {
        let row = Self.failures[index]
        let rig = try limitedRig()
        rig.servers[0].use {
            if let response = row.response {
                $0.instead = [(row.path, response)]
            } else {
                $0.oddities.findsThumbprint = false
            }
            // Another process continues the order.
            if isRestarted { $0.instead.insert(("new-order", CertificateWorkerTests.down(1)), at: 0) }
        }
        try rig.serve()
        try rig.settle()
        if isRestarted { try rig.settleLater() }
        let standing = try #require(try rig.standing())
        #expect(standing.state == .failing && standing.journal == nil, "\(standing)")
        let tokens = try rig.tokens()
        #expect(tokens == row.tokens, "\(row.what)")
        rig.servers[0].use { $0.oddities.findsThumbprint = true }
        try rig.settleLater()
        if row.waits {
            let waiting = try #require(try rig.standing())
            #expect(waiting.state == .queued && (3_590...3_600).contains(waiting.waitSeconds), "\(waiting)")
            try rig.execute("update bucket set at = at - 3600000")
            try rig.settleLater()
        }
        try rig.expectIssued()
    }

    @Test(arguments: [true, false])
    func `a limit of the account ends with an accepted order, or when an operator lifts it`(isOrder: Bool) throws {
        let rig = try limitedRig()
        func limits() throws -> [AccountLimit] {
            try rig.store.read { transaction throws(DatabaseError) in try AccountLimit.all(in: transaction) }
        }
        func lift() throws -> Bool {
            let rules = rig.rules
            return try rig.store.write { transaction throws(DatabaseError) in try rules.liftLimits(in: transaction) }
        }
        let text = "too many new orders (300) from this account in the last 3h0m0s"
        rig.servers[0].use {
            $0.instead = [("new-order", CertificateWorkerTests.response(429, "rateLimited", text, retryAfter: 518_400))]
        }
        try rig.serve()
        try rig.settle()
        try rig.serve([CertificateRig.host, "two.example"])
        try rig.settle()
        #expect(rig.count("new-order") == 1)
        let limit = try #require(try limits().first)
        #expect(limit.authority == "localhost" && limit.problem.contains(text))
        #expect((518_390_000...518_400_000).contains(limit.until - limit.since))
        #expect(try #require(try rig.tokens()["orders"]) < -14_000)
        if isOrder { try rig.hurry() } else { #expect(try lift()) }
        try rig.settle()
        #expect(rig.count("new-order") == 3, "the limited host too")
        #expect(try limits().isEmpty)
        #expect((297...300).contains(try #require(try rig.tokens()["orders"])))
        #expect(try !lift())
        #expect(rig.log.value.contains { $0.contains("no longer limits the account") } == isOrder)
    }

    @Test(arguments: [
        ("too many new orders (300) from this account in the last 3h0m0s", true),
        ("too many certificates (50) already issued for shop.example in the last 168h0m0s", false),
        ("too many certificates (5) already issued for this exact set of identifiers", false),
    ])
    func `a limit of the account stops the other hosts without a request`(text: String, isOfAccount: Bool) throws {
        let rig = try limitedRig()
        rig.servers[0].use {
            $0.instead = [("new-order", CertificateWorkerTests.response(429, "rateLimited", text, retryAfter: 3_600))]
        }
        try rig.serve()
        try rig.settle()
        let orders = try #require(try rig.tokens()["orders"])
        // One in 36 seconds.
        #expect(isOfAccount ? (-99.1...(-98.5)).contains(orders) : orders == 299, "\(orders)")
        try rig.serve([CertificateRig.host, "two.example"])
        try rig.settle()
        #expect(rig.count("new-order") == (isOfAccount ? 1 : 2))
        try rig.settleLater()
        // The order was refused, so it is not looked for.
        #expect(rig.count("orders") == 0 && rig.files.count == 2)
    }

    @Test func `an authority that is busy for a moment stops no other host`() throws {
        let rig = try limitedRig()
        rig.servers[0].use {
            let answer = CertificateWorkerTests.response(
                503, "rateLimited", "Service busy; retry later.", retryAfter: 600)
            $0.instead = [("new-order", answer)]
        }
        try rig.serve()
        try rig.settle()
        #expect(try rig.tokens()["orders"] == 299)
        try rig.serve([CertificateRig.host, "two.example"])
        try rig.settle()
        #expect(rig.count("new-order") == 2)
    }

    @Test func `a CA certificate does not lift the limits of Let's Encrypt`() throws {
        for (url, count) in [("https://acme-v02.api.letsencrypt.org/directory", 4), ("https://ca.internal/dir", 0)] {
            var rules = IssuanceRules(directories: [try #require(AuthorityURL(url))])
            rules.authorityFile = "/etc/proxy.pem"
            #expect(rules.charges("a.example", tries: 0, turn: 0, PublicSuffixes(text: "")).count == count)
        }
    }

    @Test func `a renewal that fails gives back nothing`() throws {
        let rig = try limitedRig()
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        rig.servers[0].use { $0.instead = [("finalize", CertificateWorkerTests.response(400, "badCSR", "no"))] }
        try rig.execute("update certificate set renew_at = 1")
        try rig.settleLater()
        let standing = try rig.standing()
        #expect(try standing?.state == .failing && rig.tokens() == Self.spent)
    }

    @Test(arguments: [true, false]) func `a crash before the order takes tokens once`(isKnown: Bool) throws {
        let rig = try limitedRig()
        try rig.serve()
        // Into the queue.
        _ = try rig.worker.step()
        let suffixes = PublicSuffixes(text: "")
        let rules = rig.rules
        let isClaimed = try rig.store.write { transaction throws(DatabaseError) in
            let work = try Work.claim(CertificateWork.kind, by: "node/0", in: transaction) { work in
                rules.charges(work.key, tries: 0, turn: 0, suffixes)
            }
            if isKnown {
                try Work.freeClaims(ofHolders: "node/", in: transaction)
            } else {
                try transaction.execute("update work set until = 1, due = 1")
            }
            return work != nil
        }
        #expect(try isClaimed && rig.tokens() == Self.spent)
        try rig.settle()
        try rig.expectIssued()
        #expect(try rig.tokens() == Self.spent)
    }

    @Test func `a crash before an order that is never made takes no tokens`() throws {
        let rig = try limitedRig()
        rig.servers[0].faults.change { $0.isDown = true }
        try rig.serve()
        _ = try rig.worker.step()
        let suffixes = PublicSuffixes(text: "")
        let rules = rig.rules
        try rig.store.write { transaction throws(DatabaseError) in
            _ = try Work.claim(CertificateWork.kind, by: "node/0", in: transaction) { work in
                rules.charges(work.key, tries: 0, turn: 0, suffixes)
            }
            try Work.freeClaims(ofHolders: "node/", in: transaction)
        }
        try rig.settle()
        #expect(try rig.tokens() == ["orders": 300, "sets": 2, "domains": 25, "failures": 1])
    }

    @Test func `an order that cannot be written takes no tokens`() throws {
        let rig = try limitedRig()
        try rig.folder.write("certificates", "a file instead of the folder")
        try rig.serve()
        try rig.settle()
        try rig.folder.remove("certificates")
        try rig.settleLater()
        try rig.expectIssued()
        #expect(try rig.tokens() == Self.spent)
    }

    @Test func `a host that is removed while it waits for a limit leaves at once, without a token`() throws {
        let rig = try limitedRig()
        try rig.execute(
            """
            insert into bucket (scope, subject, tokens, at)
            values ('localhost/failures', '\(CertificateRig.host)', -100000, \(Clock.wallSeconds() * 1_000))
            """)
        try rig.serve()
        try rig.settle()
        let waiting = try rig.standing()
        #expect(waiting?.state == .queued)
        try rig.serve([])
        try rig.settle()
        let left = try rig.standing()
        #expect(left == nil && rig.count("dir") == 0)
        let orders = try rig.tokens()["orders"]
        #expect(orders == 300)
    }

    @Test func `a long queue delays neither renewals nor hosts whose DNS records are looked at again`() throws {
        let rig = try limitedRig()
        try rig.execute(
            """
            insert into bucket (scope, subject, tokens, at)
            values ('localhost/orders', 'account', -100000, \(Clock.wallSeconds() * 1_000))
            """)
        let (dns, renewed) = ("dns.example", "renewed.example")
        try rig.serve((0..<100).map { "h\($0).example" } + [dns, renewed])
        try rig.execute("update work set state = 'queued', priority = 0 where key like 'h%'")
        try rig.execute("update work set tries = 1 where key = '\(dns)'")
        try rig.execute("update work set state = 'failing', priority = 2 where key = '\(renewed)'")
        func states() throws -> [String?] {
            let states = try rig.store.read { transaction throws(DatabaseError) in
                try Work.states(CertificateWork.kind, after: "", countMax: 200, in: transaction)
            }
            return [renewed, dns].map { key in states.first { $0.key == key }?.state }
        }
        // Without a preflight, the next state is that of the queue.
        var seen: [[String?]] = []
        for _ in 0..<2 {
            let hasWorked = try rig.worker.step()
            #expect(hasWorked)
            seen.append(try states())
        }
        #expect(seen == [["queued", "new"], ["queued", "queued"]])
    }

    @Test func `an order that cannot be read is placed again, within the limits`() throws {
        let rig = try limitedRig()
        try rig.serve()
        try rig.execute("update work set state = 'ordering', journal = 'not sealed'")
        try rig.settle()
        try rig.expectIssued()
        #expect(try rig.tokens() == Self.spent)
    }

    @Test(arguments: [(50, true), (70, false)])
    func `looks at DNS again after an hour in the queue`(minutes: Int, isOrdered: Bool) throws {
        let rig = try limitedRig(CertificateWorkerTests.hasNoNames)
        try rig.serve()
        try rig.execute("update work set state = 'queued', priority = 0, since = since - \(minutes * 60_000)")
        try rig.settle()
        if isOrdered { return try rig.expectIssued() }
        let standing = try #require(try rig.standing())
        #expect(standing.state == .waitingForDNS && rig.count("new-order") == 0)
        #expect(try rig.tokens() == ["orders": 300, "sets": 2, "domains": 25, "failures": 1])
    }
}
