// The account key and its replacement: what is stored, what nodes do meanwhile, and what authorities are told, with faults at each
// moment.

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

struct AccountSecretTests {
    private func makeKey() throws -> AccountKey { AccountKey(try SigningKey(.p256)) }

    private func thumbprints(_ secret: AccountSecret) -> [String?] {
        [secret.key.thumbprint, secret.next?.thumbprint, secret.previous?.thumbprint]
    }

    /// What another process reads.
    private func stored(_ database: TestDatabase) throws -> [String?] {
        var store = try database.store()
        return thumbprints(try AccountSecret.load(&store))
    }

    @Test(arguments: TestEngine.available)
    func `replaces the key in steps, each of which another process continues`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        var secret = try AccountSecret.load(&store)
        let (first, second) = (secret.key.thumbprint, try makeKey())
        // Another node at the same time uses the key that is there.
        var other = try AccountSecret.load(&store)
        #expect(other.key.thumbprint == first)
        try secret.prepare(second, &store)
        #expect(try stored(database) == [first, second.thumbprint, nil])
        // Another command at the same time takes the key that is there.
        try other.prepare(try makeKey(), &store)
        #expect(thumbprints(other) == [first, second.thumbprint, nil])
        try other.advance(&store)
        #expect(try stored(database) == [second.thumbprint, nil, first])
        try secret.advance(&store)
        try secret.prepare(try makeKey(), &store)
        #expect(thumbprints(secret) == [second.thumbprint, nil, first])
        try secret.finish(&store)
        #expect(try stored(database) == [second.thumbprint, nil, nil])
        let isCurrent = try store.read { transaction throws(DatabaseError) in
            [try secret.isCurrent(in: transaction), try other.isCurrent(in: transaction)]
        }
        #expect(isCurrent == [true, false])
    }

    @Test(arguments: TestEngine.available)
    func `keeps the key as long as a node works on a certificate`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        var secret = try AccountSecret.load(&store)
        let (first, second) = (secret.key.thumbprint, try makeKey())
        let work = try store.write { transaction throws(DatabaseError) in
            for kind in [CertificateWork.kind, "delivery"] {
                try Work.add(kind, "shop.example", state: "queued", due: 1, priority: 0, in: transaction)
            }
            _ = try Work.claim("delivery", by: "node/2", in: transaction)
            return try Work.claim(CertificateWork.kind, by: "node/2", in: transaction)
        }
        try secret.prepare(second, &store)
        try secret.advance(&store)
        #expect(thumbprints(secret) == [first, second.thumbprint, nil])
        try store.write { transaction throws(DatabaseError) in
            let isOurs = try work?.postpone(to: 1, state: "issued", problem: nil, tries: 0, in: transaction)
            #expect(isOurs == true)
        }
        try secret.advance(&store)
        #expect(thumbprints(secret) == [second.thumbprint, nil, first])
    }

    @Test func `seals all keys again, and a key from elsewhere ends the replacement`() throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        var secret = try AccountSecret.load(&store)
        try secret.prepare(try makeKey(), &store)
        let before = thumbprints(secret)
        let (newKey, oldKey) = ([UInt8](repeating: 0x4B, count: 32), (0..<32).map { UInt8($0) })
        func open(_ key: [UInt8]) throws -> Store {
            let file = "\(database.folder)/\(key.count).key"
            try Data(key).write(to: URL(fileURLWithPath: file))
            return try Store(database.location, keys: try SealingKeys(file: file))
        }
        var both = try open(newKey + oldKey)
        #expect(thumbprints(try AccountSecret.load(&both)) == before)
        var new = try open(newKey)
        #expect(thumbprints(try AccountSecret.load(&new)) == before)
        let elsewhere = try makeKey()
        let adoption = try AccountSecret.adopt(elsewhere, replaces: true, &new)
        #expect(adoption == .replaced)
        #expect(thumbprints(try AccountSecret.load(&new)) == [elsewhere.thumbprint, nil, nil])
    }

    /// A rig with an issued certificate, and a key that its authorities do not know yet.
    private func makeRig(
        authorities: Int = 1, answerMilliseconds: Int = 30_000
    ) throws -> (rig: CertificateRig, old: AccountKey, new: AccountKey) {
        let rig = try CertificateRig(authorities: authorities) { $0.patience.answerMilliseconds = answerMilliseconds }
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        let new = try makeKey()
        for server in rig.servers { server.use { $0.otherKeys = [new] } }
        return (rig, rig.servers[0].use { $0.key }, new)
    }

    private func prepare(_ key: AccountKey, _ rig: CertificateRig) throws {
        var secret = try AccountSecret.load(&rig.store)
        try secret.prepare(key, &rig.store)
    }

    private func renew(_ rig: CertificateRig) throws {
        try rig.execute("update certificate set renew_at = 1")
        try rig.settleLater()
    }

    @Test func `the manager replaces the key between orders, at each authority before its next order`() throws {
        let (rig, old, new) = try makeRig(authorities: 2)
        try prepare(new, rig)
        try rig.execute("update certificate set renew_at = 1")
        try rig.makeDue()
        // It sees the key, makes it the key, and takes it, before it begins the renewal that is due.
        for _ in 0..<2 {
            let hasWorked = try rig.worker.step()
            #expect(!hasWorked && rig.count("new-order") == 1)
        }
        #expect(try rig.folder.read("thumbprint") == "\(new.thumbprint)\n")
        #expect(rig.log.value.last == "the account key has the thumbprint \(new.thumbprint) now")
        try rig.settle()
        try rig.expectIssued()
        #expect(rig.count("new-order") == 2 && rig.count("key-change") == 1)
        let keys = rig.servers.map { $0.use { $0.key.thumbprint } }
        #expect(keys == [new.thumbprint, old.thumbprint])
        // What the command does about the others.
        var secret = try AccountSecret.load(&rig.store)
        var link = try AuthorityLink(rig.rules, secret, userAgent: "test")
        // The first one serves the connection of the worker.
        try link.changeKey(at: rig.servers[1].directory)
        try secret.finish(&rig.store)
        #expect(rig.servers.allSatisfy { $0.use { $0.key.thumbprint } == new.thumbprint })
        #expect(rig.servers.allSatisfy { $0.use { $0.complaints.isEmpty } })
    }

    /// What happens to the request for the change.
    struct Row: Sendable, CustomTestStringConvertible {
        var what: String
        var lostAnswers: [String] = []
        /// How often the authority is asked for the change until it is done.
        var changes = 2
        var authority: @Sendable (ScriptedAuthority, AccountKey) -> Void = { _, _ in }

        var testDescription: String { what }
    }

    private static let rows: [Row] = [
        Row(what: "the answer is lost", lostAnswers: ["key-change"], changes: 1),
        Row(what: "the authority is down before", lostAnswers: ["account"], changes: 1),
        Row(what: "the authority is down") { authority, _ in
            authority.instead = [("key-change", CertificateWorkerTests.down(1))]
        },
        Row(what: "another node is faster", changes: 1) { authority, key in
            let event = { (authority.key, authority.otherKeys) = (key, [authority.key]) }
            authority.meanwhile = ("key-change", event)
        },
    ]

    @Test(arguments: rows) func `finds out which key the authority knows`(row: Row) throws {
        let (rig, _, new) = try makeRig(answerMilliseconds: row.lostAnswers.isEmpty ? 30_000 : 1_000)
        rig.servers[0].use { row.authority($0, new) }
        rig.servers[0].faults.change { $0.lostAnswers = row.lostAnswers }
        try prepare(new, rig)
        for _ in 0..<3 { _ = try rig.worker.step() }
        try renew(rig)
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order") == 2 && rig.count("key-change") == row.changes)
        #expect(rig.servers[0].use { $0.key.thumbprint } == new.thumbprint)
    }

    @Test func `an authority that refuses the change gets no order with another account`() throws {
        let (rig, old, new) = try makeRig()
        rig.servers[0].use { $0.otherKeys = [] }
        try prepare(new, rig)
        for _ in 0..<3 { _ = try rig.worker.step() }
        try renew(rig)
        let standing = try #require(try rig.standing())
        #expect(standing.state == .paused && standing.problem?.contains("refuses the account") == true, "\(standing)")
        #expect(rig.count("new-account") == 3 && rig.count("new-order") == 1)
        #expect(rig.servers[0].use { $0.key.thumbprint } == old.thumbprint)
        // What the operator does about it. The paused host is tried again at once.
        let third = try makeKey()
        rig.servers[0].use { $0.key = third }
        let adoption = try AccountSecret.adopt(third, replaces: true, &rig.store)
        #expect(adoption == .replaced)
        try rig.settle()
        try rig.settle()
        #expect(rig.count("new-order") == 2)
        try rig.expectIssued()
    }

    @Test func `deactivates the account, and says which authorities cannot replace keys`() throws {
        // The first one serves the connection of the worker.
        let (rig, _, _) = try makeRig(authorities: 3)
        let url = rig.servers[1].directory
        rig.servers[2].use { $0.oddities.changesKeys = false }
        var link = try AuthorityLink(rig.rules, AccountSecret.load(&rig.store), userAgent: "test")
        let canChange = [try link.changesKeys(at: url), try link.changesKeys(at: rig.servers[2].directory)]
        #expect(canChange == [true, false])
        let account = try link.account(at: url)
        #expect(account?.text.hasSuffix("/account/1") == true)
        try link.deactivate(at: url)
        #expect(rig.servers[1].use { $0.oddities.isAccountDeactivated })
        #expect(throws: AuthorityProblem.self) { try link.account(at: url) }
    }
}
