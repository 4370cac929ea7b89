// The kind of key of certificates: what happens when the setting changes, and what is left of the version that had two for a host.

import Database
import Foundation
import Posix
import Store
import TLS
import Testing

@testable import ACME
@testable import ACMESupport
@testable import DatabaseSupport
@testable import Issuance

struct KeyKindsTests {
    /// The same node after a change of the setting.
    private func change(_ rig: CertificateRig, to key: SigningKey.Kind) throws {
        var rules = rig.rules
        rules.key = key
        rig.worker = try CertificateWorker(
            0, rules, rig.control, places: rig.places, holder: "node/2", account: AccountSecret.load(&rig.store),
            suffixes: PublicSuffixes(text: ""), userAgent: "test", store: rig.database.store())
    }

    private func folder(_ rig: CertificateRig) -> String { "\(rig.places.certificates)/\(CertificateRig.host)" }

    /// The store has one certificate, with a key of this kind, and the host has its files.
    private func expect(_ rig: CertificateRig, _ kind: String) throws {
        let rows: [String] = try rig.store.read { transaction throws(DatabaseError) in
            try transaction.query("select key_kind from certificate").map { row throws(DatabaseError) in try row[0] }
        }
        #expect(rows == [kind])
        let certificate = try #require(try rig.certificate())
        #expect(try Directory.entries(folder(rig)).map(\.name).sorted() == ["fullchain.pem", "privkey.pem"])
        let chain = try File.read("\(folder(rig))/fullchain.pem", bytesMax: 65_536).bytes
        #expect(chain == Array(certificate.chain.utf8))
        let key = try SigningKey(reading: try File.read("\(folder(rig))/privkey.pem", bytesMax: 65_536).bytes)
        #expect(try key.kindName == kind && IssuedChain(pem: chain).isFor(key))
        #expect(rig.servers[0].use { $0.complaints } == [])
    }

    @Test func `follows the setting when a certificate is renewed`() throws {
        let rig = try CertificateRig()
        try rig.serve()
        try rig.settle()
        try expect(rig, "p256")
        try change(rig, to: .rsa2048)
        try rig.settleLater()
        try expect(rig, "p256")
        #expect(rig.count("new-order") == 1)
        try rig.execute("update certificate set renew_at = 1")
        try rig.settleLater()
        try expect(rig, "rsa2048")
    }

    @Test func `gives an order up whose kind of key is not wanted any more`() throws {
        let rig = try CertificateRig()
        rig.servers[0].use { $0.instead = [("finalize", CertificateWorkerTests.down(120))] }
        try rig.serve()
        try rig.settle()
        try change(rig, to: .rsa2048)
        try rig.settleLater()
        try expect(rig, "rsa2048")
    }

    @Test func `ignores a second certificate in the store, and removes it with the renewal of the first`() throws {
        let rig = try CertificateRig()
        try rig.serve()
        try rig.settle()
        // As an earlier version left it: expired, of no use, and with files.
        try rig.execute(
            """
            insert into certificate (name, key_kind, chain, issuer, sealed_key, not_before, not_after, renew_at)
            select name, 'rsa2048', 'PEM', 'CN=Old', sealed_key, 1, 2, 1 from certificate
            """)
        for file in ["privkey.rsa.pem", "fullchain.rsa.pem"] {
            try File.replaceDurably(file, in: folder(rig), permissions: 0o600) { [0x41] }
        }
        try rig.settleLater()
        #expect(rig.count("new-order") == 1)
        #expect(try Directory.entries(folder(rig)).map(\.name).sorted() == ["fullchain.pem", "privkey.pem"])
        let (report, figures, marks) = try rig.store.read { transaction throws(DatabaseError) in
            (
                try IssuanceReport.load(CertificateRig.host, in: transaction),
                try IssuanceFigures(in: transaction),
                try StoredCertificate.marks(after: "", limit: 10, in: transaction)
            )
        }
        let lifeLeft = try #require(figures.lifeLeftMin)
        #expect(report?.issuer != "CN=Old" && lifeLeft > 0.5 && marks.count == 1)
        try rig.execute("update certificate set renew_at = 1 where key_kind = 'p256'")
        try rig.settleLater()
        try expect(rig, "p256")
    }
}
