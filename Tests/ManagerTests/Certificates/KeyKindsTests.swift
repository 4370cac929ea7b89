// Certificates for two kinds of key: the orders, their limits, what is stored and written, and what happens when the settings change.

import Database
import Foundation
import Posix
import TLS
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import DatabaseSupport
@testable import Manager

struct KeyKindsTests {
    private func makeRig(
        _ keys: [SigningKey.Kind] = [.p256, .rsa2048], isLimited: Bool = false
    ) throws -> CertificateRig {
        try CertificateRig { ($0.keys, $0.isBudgetModelled) = (keys, isLimited) }
    }

    /// The same node after a change of the settings.
    private func change(_ rig: CertificateRig, to keys: [SigningKey.Kind]) throws {
        var rules = rig.rules
        rules.keys = keys
        rig.worker = try CertificateWorker(
            0, rules, rig.control, places: rig.places, holder: "node/2", account: AccountSecret.load(&rig.store),
            suffixes: PublicSuffixes(text: ""), userAgent: "test", store: rig.database.store())
    }

    @Test(arguments: [(first: [SigningKey.Kind.p256], isDue: true), ([.p256, .rsa2048], false)])
    func `a second kind of key makes hosts due that lack its certificate`(
        first: [SigningKey.Kind], isDue: Bool
    ) throws {
        let rig = try makeRig(first)
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        var rules = rig.rules
        rules.keys = [.p256, .rsa2048]
        try rig.store.write { transaction throws(DatabaseError) in try rules.note(in: transaction) }
        #expect((try #require(try rig.standing()).waitSeconds <= 0) == isDue)
    }

    @Test func `replaces a revoked certificate even if the other one of its host is not revoked`() throws {
        // The first authority serves the connection of the worker.
        let rig = try CertificateRig(authorities: 2) { $0.keys = [.p256, .rsa2048] }
        try rig.serve()
        try rig.settle()
        let renewals = try stored(rig).map(\.renewAt)
        var rules = rig.rules
        rules.directories.removeFirst()
        rig.servers[1].use {
            $0.instead = [("/revoke", AuthorityResponse(status: 404, fields: [], body: Array("{}".utf8)))]
        }
        let account = try AccountSecret.load(&rig.store)
        let outcome = try CertificateRevocation.run(
            CertificateRig.host, .superseded, rules, account, userAgent: "test",
            noting: RevokedCertificates(rig.places), &rig.store)
        guard case .refused = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let now = try stored(rig).map(\.renewAt)
        #expect(now[0] == renewals[0] && now[1] <= Clock.wallSeconds() * 1_000 + 1_000 && now[1] < renewals[1])
        #expect(try #require(try rig.standing()).waitSeconds <= 0)
    }

    private func stored(_ rig: CertificateRig) throws -> [StoredCertificate] {
        try rig.store.read { transaction throws(DatabaseError) in
            try StoredCertificate.load(CertificateRig.host, in: transaction)
        }
    }

    /// The host has these files, with the certificates of the store and their keys.
    private func expectFiles(_ rig: CertificateRig, _ kinds: [String]) throws {
        let certificates = try stored(rig)
        #expect(certificates.map(\.keyKind) == kinds)
        let folder = "\(rig.places.certificates)/\(CertificateRig.host)"
        let names = try Directory.entries(folder).map(\.name).sorted()
        let all = [["fullchain.pem", "privkey.pem"], ["fullchain.rsa.pem", "privkey.rsa.pem"]]
        #expect(names == all.prefix(kinds.count).flatMap(\.self).sorted())
        for (pair, certificate) in zip(all, certificates) {
            let bytes = try pair.map { try File.read("\(folder)/\($0)", bytesMax: 65_536).bytes }
            #expect(bytes[0] == Array(certificate.chain.utf8))
            let key = try SigningKey(reading: bytes[1])
            #expect(key.kindName == certificate.keyKind)
            let isFor = try IssuedChain(pem: bytes[0]).isFor(key)
            #expect(isFor)
        }
        let complaints = rig.servers[0].use { $0.complaints }
        #expect(complaints == [])
    }

    @Test func `orders a certificate for each kind of key, and renews each in its time`() throws {
        let rig = try makeRig()
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        try expectFiles(rig, ["p256", "rsa2048"])
        #expect(rig.count("new-order") == 2)
        let standing = try #require(try rig.standing())
        #expect(standing.waitSeconds > 20_000, "\(standing)")
        let first = try stored(rig)
        for (index, kind) in ["p256", "rsa2048"].enumerated() {
            let before = try stored(rig)
            try rig.execute("update certificate set renew_at = 1 where key_kind = '\(kind)'")
            try rig.settleLater()
            try expectFiles(rig, ["p256", "rsa2048"])
            let after = try stored(rig)
            #expect(after[index].chain != before[index].chain && after[1 - index].chain == before[1 - index].chain)
            #expect(rig.count("new-order") == 3 + index)
            // The renewal names the certificate of the same kind.
            let payload = rig.servers[0].use { $0.orders.last?.payload ?? "" }
            let replaced = try #require(first[index].renewalID)
            #expect(payload.contains(replaced), "\(payload)")
        }
    }

    @Test func `a certificate for a second kind of key takes the limit of the host only, and gives it back`() throws {
        let rig = try makeRig(isLimited: true)
        // The second order is refused.
        rig.servers[0].use { authority in
            authority.meanwhile = (
                "certificate",
                { authority.instead = [("new-order", CertificateWorkerTests.response(400, "badCSR", "no RSA"))] }
            )
        }
        try rig.serve()
        try rig.settle()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .failing && standing.problem == "no RSA", "\(standing)")
        #expect(try rig.tokens().mapValues { $0.rounded() } == Self.taken(1))
        try expectFiles(rig, ["p256"])
        try rig.settleLater()
        try expectFiles(rig, ["p256", "rsa2048"])
        #expect(try rig.tokens().mapValues { $0.rounded() } == Self.taken(2))
    }

    /// What is left of the limits.
    private static func taken(_ sets: Double) -> [String: Double] {
        ["orders": 299, "sets": 2 - sets, "domains": 24, "failures": 0]
    }

    @Test func `waits for the limit of the host with one certificate in service`() throws {
        let rig = try makeRig(isLimited: true)
        try rig.execute(
            """
            insert into bucket (scope, subject, tokens, at)
            values ('localhost/sets', '\(CertificateRig.host)', 1, \(Clock.wallSeconds() * 1_000))
            """)
        try rig.serve()
        try rig.settle()
        let standing = try #require(try rig.standing())
        // A token in half a week.
        #expect(standing.state == .issued && (302_300...302_400).contains(standing.waitSeconds), "\(standing)")
        #expect(rig.count("new-order") == 1)
        try expectFiles(rig, ["p256"])
        try rig.execute("update bucket set tokens = 1 where scope = 'localhost/sets'")
        try rig.settleLater()
        try expectFiles(rig, ["p256", "rsa2048"])
    }

    @Test func `follows the settings`() throws {
        let rig = try makeRig([.p256])
        try rig.serve()
        try rig.settle()
        try expectFiles(rig, ["p256"])
        try change(rig, to: [.p256, .rsa2048])
        try rig.settleLater()
        try expectFiles(rig, ["p256", "rsa2048"])
        // One that is not wanted any more is removed, because it would expire.
        try change(rig, to: [.p256])
        try rig.settleLater()
        try expectFiles(rig, ["p256"])
        // The only one is replaced when it is renewed.
        try change(rig, to: [.rsa2048])
        try rig.settleLater()
        try expectFiles(rig, ["p256"])
        #expect(rig.count("new-order") == 2)
        try rig.execute("update certificate set renew_at = 1")
        try rig.settleLater()
        try expectFiles(rig, ["rsa2048"])
    }

    @Test func `gives an order up whose kind of key is not wanted any more`() throws {
        let rig = try makeRig()
        rig.servers[0].use { $0.instead = [("finalize", CertificateWorkerTests.down(120))] }
        try rig.serve()
        try rig.settle()
        try change(rig, to: [.rsa2048])
        try rig.settleLater()
        try expectFiles(rig, ["rsa2048"])
    }

    @Test(arguments: TestEngine.available)
    func `a host with two certificates appears once, with the one that expires first`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let reports = try store.write { transaction throws(DatabaseError) in
            for host in ["a.example", "b.example"] {
                try Work.add(CertificateWork.kind, host, state: "failing", due: 1, priority: 0, in: transaction)
                for (kind, end) in [("p256", 2_000), ("rsa2048", 1_000), ("p384", 1_000)] as [(String, Int64)] {
                    try StoredCertificate(
                        name: host, keyKind: kind, chain: "PEM", issuer: kind, sealedKey: [1], notBefore: 0,
                        notAfter: end, renewAt: 1
                    ).save(in: transaction)
                }
            }
            return try IssuanceReport.unsettled(limit: 10, in: transaction)
        }
        #expect(reports.map(\.host) == ["a.example", "b.example"])
        #expect(reports.allSatisfy { $0.notAfter == 1_000 && $0.issuer == "p384" })
    }

    @Test(arguments: [(false, [["p256"]]), (true, [["p256", "rsa2048"]])])
    func `imports a pair for RSA beside one for ECDSA if both are wanted`(isPaired: Bool, kinds: [[String]]) throws {
        let (folder, authority, database) = (
            try TemporaryFolder(), try TestCertificates(), try TestDatabase(.sqlite)
        )
        for (infix, kind, days) in [("", SigningKey.Kind.p256, 60), (".rsa", .rsa2048, 50)] {
            let key = try SigningKey(kind)
            try folder.write(
                "shop.example/fullchain\(infix).pem", try authority.chain(["shop.example"], key, days: days))
            try folder.write("shop.example/privkey\(infix).pem", key.pem)
        }
        try folder.write("shop.example/fullchain.old.pem", "no certificate")
        var store = try database.store()
        let archive = try ClientArchive(reading: folder.path, now: Clock.wallSeconds())
        var work = ArchiveImport(archive, isPaired: isPaired) { _ in true }
        // The second time, nothing changes.
        for _ in 0..<2 { try work.run(&store) }
        let stored = try store.read { transaction throws(DatabaseError) in
            [try StoredCertificate.load("shop.example", in: transaction).map(\.keyKind)]
        }
        #expect(stored == kinds && archive.omissions.isEmpty)
        let first = work.certificates.prefix(kinds[0].count)
        #expect(first.allSatisfy { $0.stored == ["shop.example"] } && work.omissions.isEmpty == isPaired)
    }
}
