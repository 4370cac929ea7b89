// An archive in the store, on both engines: as if the manager had ordered its certificates, and once.

import ACME
import Database
import Posix
import Store
import TLS
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Issuance

struct ArchiveImportTests {
    typealias Failure = DatabaseError

    private let folder: TemporaryFolder
    private let authority: TestCertificates

    init() throws {
        folder = try TemporaryFolder()
        authority = try TestCertificates()
    }

    /// Writes a certificate, and returns its key.
    @discardableResult
    private func install(_ name: String, _ hosts: [String], days: Int = 90) throws -> SigningKey {
        let key = try SigningKey(.p256)
        try folder.write("live/\(name)/fullchain.pem", try authority.chain(hosts, key, days: days))
        try folder.write("live/\(name)/privkey.pem", key.pem)
        return key
    }

    private func archive() throws -> ClientArchive {
        try ClientArchive(reading: folder.path, now: Clock.wallSeconds())
    }

    private func file(_ name: String) -> String { "\(folder.path)/live/\(name)/fullchain.pem" }

    private func run(_ store: inout Store) throws -> [ImportedCertificate] {
        var work = ArchiveImport(try archive()) { _ in true }
        try work.run(&store)
        return work.certificates
    }

    @Test func `the certificate that is valid longest serves a host, and the settings exclude others`() throws {
        try install("short", ["a.example", "b.example", "*.example.net"], days: 30)
        try install("long", ["b.example", "closed.example", "192-0-2-1.example"], days: 60)
        try install("closed", ["closed.example"])
        try install("other", ["b.example"], days: 20)
        let plan = ImportPlan(try archive().certificates) { $0 != "closed.example" }
        #expect(plan.items.map(\.certificate.file) == [file("long"), file("short")])
        #expect(plan.items.map(\.hosts) == [["192-0-2-1.example", "b.example"], ["*.example.net", "a.example"]])
        let reasons = plan.omissions.map { "\($0.file): \($0.reason)" }
        #expect(
            reasons == [
                "\(file("closed")): `acme.allow` and `acme.deny` exclude closed.example",
                "\(file("long")): `acme.allow` and `acme.deny` exclude closed.example",
                "\(file("short")): \(file("long")) is valid as long or longer for b.example",
                "\(file("other")): \(file("long")) is valid as long or longer for b.example",
            ])
        #expect(plan.omissions.allSatisfy { !$0.isFailure })
    }

    @Test(arguments: TestEngine.available)
    func `stores a certificate for each of its hosts as if it had been ordered`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let key = try install("shop.example", ["shop.example", "*.shop.example"])
        let imported = try run(&store)
        #expect(imported.map(\.file) == [file("shop.example")])
        #expect(imported.map(\.stored) == [["*.shop.example", "shop.example"]])
        for host in ["shop.example", "*.shop.example"] {
            let (stored, report, now) = try store.read { transaction throws(Failure) in
                (
                    try StoredCertificate.load(host, in: transaction),
                    try IssuanceReport.load(host, in: transaction), try transaction.now()
                )
            }
            let row = try #require(stored)
            #expect(row.keyKind == "p256" && row.issuer == "CN=Intermediate")
            let facts = try IssuedChain(pem: Array(row.chain.utf8)).facts
            #expect(row.notBefore == facts.notBefore * 1_000 && row.notAfter == facts.notAfter * 1_000)
            let life = row.notAfter - row.notBefore
            #expect((row.notBefore + life / 2..<row.notAfter - life / 6).contains(row.renewAt))
            let opened = try store.keys.open(
                row.sealedKey, for: StoredCertificate.sealingPlace(host, row.keyKind)
            ).secret
            #expect(opened == key.pem)
            // Due now, so that the files are written.
            let work = try #require(report)
            #expect(work.state == .issued && work.problem == nil && work.tries == 0 && work.due <= now)
        }
    }

    @Test(arguments: TestEngine.available) func `a second import changes nothing`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        try install("shop.example", ["shop.example"])
        _ = try run(&store)
        func row(_ store: inout Store) throws -> StoredCertificate? {
            try store.read { transaction throws(Failure) in try StoredCertificate.load("shop.example", in: transaction)
            }
        }
        let before = try row(&store)
        let again = try run(&store)
        #expect(again.map(\.known) == [["shop.example"]] && again[0].stored.isEmpty && again[0].superseded.isEmpty)
        #expect(try row(&store) == before && before != nil)
    }

    @Test(arguments: TestEngine.available)
    func `keeps a certificate of the store that is valid longer, and replaces a shorter one of any kind of key`(
        engine: TestEngine
    ) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        try install("shop.example", ["shop.example", "news.example", "old.example"], days: 40)
        let now = Clock.wallSeconds() * 1_000
        let kind = "rsa2048"
        let present: [(host: String, days: Int64)] = [("shop.example", 50), ("news.example", 30), ("old.example", -1)]
        try store.write { transaction throws(Failure) in
            for (host, days) in present {
                try StoredCertificate(
                    name: host, keyKind: kind, chain: "PEM", issuer: "Other", sealedKey: [1], notBefore: 0,
                    notAfter: now + days * 86_400_000, renewAt: 0
                ).save(in: transaction)
            }
        }
        let imported = try run(&store)
        #expect(imported.map(\.stored) == [["news.example", "old.example"]])
        #expect(imported.map(\.superseded) == [["shop.example"]])
        let kinds = try store.read { transaction throws(Failure) in
            var kinds: [String?] = []
            for host in ["shop.example", "news.example", "old.example"] {
                kinds.append(try StoredCertificate.load(host, in: transaction)?.keyKind)
            }
            return kinds
        }
        #expect(kinds == ["rsa2048", "p256", "p256"])
    }

    @Test(arguments: TestEngine.available)
    func `a worker that is about to order loses its claim`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        try install("shop.example", ["shop.example"])
        let claimed = try store.write { transaction throws(Failure) in
            try Work.add(
                CertificateWork.kind, "shop.example", state: IssuanceState.queued.rawValue,
                due: try transaction.now(), in: transaction)
            return try Work.claim(CertificateWork.kind, by: "worker", in: transaction)
        }
        let work = try #require(claimed)
        _ = try run(&store)
        let (isRecorded, next) = try store.write { transaction throws(Failure) in
            (
                try work.record(state: IssuanceState.ordering.rawValue, journal: "order", in: transaction),
                try Work.claim(CertificateWork.kind, by: "next", in: transaction)
            )
        }
        #expect(!isRecorded)
        #expect(next?.state == IssuanceState.issued.rawValue && next?.journal == nil)
    }

    @Test(arguments: TestEngine.available)
    func `takes an account key over once, and replaces another one only when asked`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let (first, second) = (AccountKey(try SigningKey(.rsa2048)), AccountKey(try SigningKey(.p256)))
        var outcomes: [AccountSecret.Adoption] = []
        for (key, replaces) in [(first, false), (first, true), (second, false), (second, true), (second, false)] {
            outcomes.append(try AccountSecret.adopt(key, replaces: replaces, &store))
        }
        #expect(
            outcomes == [.stored, .known, .refused(thumbprint: first.thumbprint), .replaced, .known])
        let loaded = try AccountSecret.load(&store)
        #expect(loaded.key.thumbprint == second.thumbprint)
    }

    @Test(arguments: TestEngine.available) func `says that the key file is of another database`(engine: TestEngine)
        throws
    {
        let database = try TestDatabase(engine)
        var store = try database.store()
        _ = try AccountSecret.load(&store)
        let file = "\(database.folder)/other.key"
        try SealingKeys.create(file)
        var other = try Store(database.location, keys: try SealingKeys(file: file))
        let error = #expect(throws: DatabaseError.self) { try AccountSecret.load(&other) }
        #expect(error?.cause == .wrongKey)
        #expect(error?.description.contains("is not the key of this database; restore the copy") == true)
    }

    @Test func `the files of a wildcard are where the server looks for them`() throws {
        let files = IssuedFiles(
            ManagerPlaces(certificates: folder.path, thumbprint: "\(folder.path)/acme/thumbprint", hosts: ""))
        let keys = try TestDatabase(.sqlite).keys()
        let sealed = try keys.seal(
            Array("key".utf8), for: StoredCertificate.sealingPlace("*.shop.example", "p256"))
        let certificate = StoredCertificate(
            name: "*.shop.example", keyKind: "p256", chain: "chain", issuer: "", sealedKey: sealed, notBefore: 0,
            notAfter: 0, renewAt: 0)
        #expect(files.put(certificate, keys) == nil)
        #expect(try folder.read("_wildcard.shop.example/fullchain.pem") == "chain")
        #expect(try folder.read("_wildcard.shop.example/privkey.pem") == "key")
    }
}
