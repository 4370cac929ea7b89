// The account key and its replacement: what is stored, and what nodes do about it.

import Database
import Foundation
import Store
import TLS
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import DatabaseSupport
@testable import Issuance

struct AccountSecretTests {
    private func makeKey() throws -> AccountKey { AccountKey(try SigningKey(.p256)) }

    @Test(arguments: TestEngine.available)
    func `several nodes use the key that is there, and notice a new one`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let secret = try AccountSecret.load(&store)
        var elsewhere = try database.store()
        let other = try AccountSecret.load(&elsewhere)
        #expect(other.key.thumbprint == secret.key.thumbprint)
        let key = try makeKey()
        #expect(try AccountSecret.adopt(key, replaces: true, &elsewhere) == .replaced)
        let isCurrent = try store.read { transaction throws(DatabaseError) in try secret.isCurrent(in: transaction) }
        #expect(!isCurrent)
        #expect(try AccountSecret.load(&store).key.thumbprint == key.thumbprint)
    }

    @Test func `seals the key again while one sealing key replaces another`() throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        let thumbprint = try AccountSecret.load(&store).key.thumbprint
        let (newKey, oldKey) = ([UInt8](repeating: 0x4B, count: 32), (0..<32).map { UInt8($0) })
        for keys in [newKey + oldKey, newKey] {
            let file = "\(database.folder)/\(keys.count).key"
            try Data(keys).write(to: URL(fileURLWithPath: file))
            var store = try Store(database.location, keys: try SealingKeys(file: file))
            #expect(try AccountSecret.load(&store).key.thumbprint == thumbprint)
        }
    }

    /// An earlier version could stop in the middle of a replacement.
    @Test(arguments: [["next"], ["previous"], ["next", "previous"], []])
    func `reads what an earlier version has stored during a replacement`(others: [String]) throws {
        var store = try TestDatabase(.sqlite).store()
        let key = try makeKey()
        var members = ["\"key\": \(text(key))"]
        for name in others { members.append("\"\(name)\": \(text(try makeKey()))") }
        let sealed = try store.keys.seal(Array("{\(members.joined(separator: ", "))}".utf8), for: AccountSecret.place)
        try store.write { transaction throws(DatabaseError) in
            try transaction.execute("insert into secret (name, sealed) values ('acme-account', ?)", sealed)
        }
        let secret = try AccountSecret.load(&store)
        #expect(secret.key.thumbprint == key.thumbprint)
        let isCurrent = try store.read { transaction throws(DatabaseError) in try secret.isCurrent(in: transaction) }
        #expect(isCurrent)
    }

    private func text(_ key: AccountKey) -> String {
        "\"\(String(decoding: key.key.pem, as: UTF8.self).replacing("\n", with: "\\n"))\""
    }

    @Test func `workers take a new key before their next order`() throws {
        let rig = try CertificateRig()
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        let new = try makeKey()
        rig.servers[0].use { $0.key = new }
        #expect(try AccountSecret.adopt(new, replaces: true, &rig.store) == .replaced)
        try rig.execute("update certificate set renew_at = 1")
        try rig.makeDue()
        // It takes the key before it begins the renewal that is due.
        let hasWorked = try rig.worker.step()
        #expect(!hasWorked && rig.count("new-order") == 1)
        #expect(try rig.folder.read("thumbprint") == "\(new.thumbprint)\n")
        #expect(rig.log.value.last == "the account key has the thumbprint \(new.thumbprint) now")
        try rig.settle()
        try rig.expectIssued()
        #expect(rig.count("new-order") == 2)
        #expect(rig.servers[0].use { $0.complaints.isEmpty })
    }

    @Test func `a host whose account was refused is tried again at once with a new key`() throws {
        let rig = try CertificateRig()
        rig.servers[0].use { $0.oddities.isAccountDeactivated = true }
        try rig.serve()
        try rig.settle()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .paused && standing.problem?.contains("refuses the account") == true, "\(standing)")
        let new = try makeKey()
        rig.servers[0].use { ($0.key, $0.oddities.isAccountDeactivated) = (new, false) }
        #expect(try AccountSecret.adopt(new, replaces: true, &rig.store) == .replaced)
        try rig.settle()
        try rig.settle()
        try rig.expectIssued()
    }
}
