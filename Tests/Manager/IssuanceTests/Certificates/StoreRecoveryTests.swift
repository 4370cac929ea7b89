// A store that was restored from a backup, beside the files of certificates that are in service.

import Database
import Posix
import Store
import TLS
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import DatabaseSupport
@testable import Issuance

struct StoreRecoveryTests {
    private static let host = "shop.example"

    /// A pair in the folder, and what the store has of the same host.
    struct Pairs: CustomTestStringConvertible {
        var testDescription: String
        /// How much later the one in the store begins and ends, in seconds; nil if the store has none.
        var stored: (begin: Int64, end: Int64)?
        var folderDays = 90
        var isStoredRevoked = false
        var isFolderRevoked = false
        /// Whether the pair of the folder is in the store afterwards.
        var isTaken: Bool
    }

    private static let day: Int64 = 86_400
    private static let pairs = [
        Pairs(testDescription: "a renewal since", stored: (-60 * day, -60 * day), isTaken: true),
        Pairs(testDescription: "issued a second later", stored: (-1, 0), isTaken: true),
        Pairs(testDescription: "issued in the same second", stored: (0, 0), isTaken: false),
        Pairs(testDescription: "imported, valid for longer", stored: (-1, 1), isTaken: false),
        Pairs(testDescription: "older than the store's", stored: (1, 1), isTaken: false),
        Pairs(testDescription: "the store's has expired", stored: (0, -90 * day - 1), isTaken: true),
        Pairs(testDescription: "both have expired", stored: (0, -90 * day), folderDays: -2, isTaken: false),
        Pairs(testDescription: "the store's was revoked", stored: (1, 1), isStoredRevoked: true, isTaken: true),
        Pairs(testDescription: "the folder's was revoked", stored: (-day, -day), isFolderRevoked: true, isTaken: false),
        Pairs(testDescription: "nothing in the store", stored: nil, isTaken: true),
        Pairs(testDescription: "nothing but a revoked one", stored: nil, isFolderRevoked: true, isTaken: false),
        Pairs(testDescription: "nothing but an expired one", stored: nil, folderDays: -2, isTaken: false),
    ]

    @Test(arguments: pairs)
    func `the store takes over what is newer in the folder`(_ pairs: Pairs) throws {
        let (database, folder, certificates) = (
            try TestDatabase(.sqlite), try TemporaryFolder(), try TestCertificates()
        )
        let log = Shared<[String]>([])
        let control = IssuanceStatus(try WorkControl(workerCount: 1) { _, text in log.change { $0.append(text) } })
        let places = ManagerPlaces(
            certificates: "\(folder.path)/certificates", thumbprint: "\(folder.path)/acme/thumbprint", hosts: "")
        var store = try database.store()
        let key = try SigningKey(.p256)
        let chain = try certificates.chain([Self.host], key, days: pairs.folderDays)
        try folder.write("certificates/\(Self.host)/fullchain.pem", chain)
        try folder.write("certificates/\(Self.host)/privkey.pem", key.pem)
        let facts = try IssuedChain(pem: Array(chain.utf8)).facts
        var before: StoredCertificate?
        if let (begin, end) = pairs.stored {
            let other = try certificates.chain([Self.host], try SigningKey(.p256))
            let known = StoredCertificate(
                name: Self.host, keyKind: "p256", chain: other, issuer: "CA", sealedKey: [1],
                notBefore: (facts.notBefore + begin) * 1_000, notAfter: (facts.notAfter + end) * 1_000, renewAt: .max)
            try store.write { transaction throws(DatabaseError) in try known.save(in: transaction) }
            before = known
        }
        let revoked =
            (pairs.isStoredRevoked ? [before?.chain].compactMap(\.self) : []) + (pairs.isFolderRevoked ? [chain] : [])
        for text in revoked { try RevokedCertificates(places).add(IssuedChain(pem: Array(text.utf8))) }
        let after = try StoreRecovery.run(
            Self.host, before, IssuedFiles(places), &store, control)
        #expect(after?.chain == (pairs.isTaken ? chain : before?.chain))
        let stored = try store.read { transaction throws(DatabaseError) in
            try StoredCertificate.load(Self.host, in: transaction)
        }
        #expect(stored == after)
        if pairs.isTaken {
            let opened = try store.keys.open(
                try #require(stored).sealedKey, for: StoredCertificate.sealingPlace(Self.host, "p256"))
            #expect(opened.secret == key.pem)
        }
        for _ in 0..<2 { control.reportRecovered() }
        #expect(log.value.count == (pairs.isTaken ? 1 : 0))
        #expect(log.value.allSatisfy { $0.hasPrefix("the store is older than the certificates in service of 1 host ") })
    }

    /// What meets the restored store first.
    enum First: CaseIterable {
        case upkeep, worker
    }

    private func meet(_ rig: CertificateRig, _ first: First) throws {
        var upkeep = CertificateUpkeep(0, rig.control, places: rig.places, store: try rig.database.store())
        if first == .worker { try rig.settleLater() }
        _ = try upkeep.step()
        if first == .upkeep { try rig.settleLater() }
    }

    private func restore(_ backup: StoredCertificate, in rig: CertificateRig) throws {
        try rig.store.write { transaction throws(DatabaseError) in
            try StoredCertificate.remove(backup.name, in: transaction)
            try backup.save(in: transaction)
        }
    }

    @Test(arguments: First.allCases)
    func `a revoked certificate does not come back with a backup`(first: First) throws {
        // The first authority serves the connection of the worker.
        let rig = try CertificateRig(authorities: 2)
        try rig.serve()
        try rig.settle()
        let backup = try #require(try rig.certificate())
        var rules = rig.rules
        rules.directories.removeFirst()
        let account = try AccountSecret.load(&rig.store)
        let outcome = try CertificateRevocation.run(
            Self.host, .keyCompromise, rules, account, userAgent: "test", noting: RevokedCertificates(rig.places),
            &rig.store)
        #expect(outcome == .revoked)
        try rig.settle()
        let successor = try #require(try rig.certificate())
        #expect(successor.chain != backup.chain)
        try restore(backup, in: rig)
        try meet(rig, first)
        #expect(try rig.certificate()?.chain == successor.chain)
        try rig.expectIssued()
        let lines = rig.log.value.filter { $0.hasPrefix("the store is older than ") }
        #expect(lines.count == 1, "\(rig.log.value)")
        // Without the files, only a new certificate helps.
        try restore(backup, in: rig)
        try rig.folder.remove("certificates")
        try meet(rig, first)
        #expect(try rig.certificate()?.chain != backup.chain)
        try rig.expectIssued()
    }

    @Test(arguments: First.allCases)
    func `an expired certificate of a backup does not replace a valid one`(first: First) throws {
        let rig = try CertificateRig()
        try rig.serve()
        try rig.settle()
        let present = try #require(try rig.certificate())
        var backup = present
        backup.chain = try TestCertificates().chain([Self.host], try SigningKey(.p256), days: -1)
        backup.notAfter = (Clock.wallSeconds() - 86_400) * 1_000
        backup.renewAt = backup.notAfter
        try restore(backup, in: rig)
        let orders = rig.count("new-order")
        try meet(rig, first)
        #expect(try rig.certificate()?.chain == present.chain)
        #expect(rig.count("new-order") == orders)
        try rig.expectIssued()
    }

    @Test func `says that the account key is another one than before`() throws {
        let (database, folder) = (try TestDatabase(.sqlite), try TemporaryFolder())
        var store = try database.store()
        let account = try AccountSecret.load(&store)
        let path = "\(folder.path)/acme/thumbprint"
        #expect(account.surprise(at: path) == nil)
        try account.publish(at: path)
        #expect(account.surprise(at: path) == nil)
        try folder.write("acme/thumbprint", "other\n")
        #expect(account.surprise(at: path)?.contains(" had other before; ") == true)
    }
}
