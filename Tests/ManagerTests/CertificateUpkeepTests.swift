// The files of certificates that other nodes have ordered, on both engines.

import Database
import Posix
import TLS
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Manager

struct CertificateUpkeepTests {
    /// A node with a folder of its own.
    private final class Node {
        let folder: TemporaryFolder
        let log: Shared<[String]>
        private var upkeep: CertificateUpkeep

        init(_ database: TestDatabase) throws {
            let (folder, log) = (try TemporaryFolder(), Shared<[String]>([]))
            (self.folder, self.log) = (folder, log)
            let places = ManagerPlaces(
                certificates: "\(folder.path)/certificates", thumbprint: "", hosts: "\(folder.path)/own")
            let control = try ManagerControl(workerCount: 1) { _, text in log.change { $0.append(text) } }
            upkeep = CertificateUpkeep(0, control, places: places, store: try database.store())
        }

        /// Does one pass.
        /// - Returns: the number of pages.
        @discardableResult
        func pass() throws -> Int {
            var pages = 1
            while try upkeep.step() { pages += 1 }
            return pages
        }

        func read(_ file: String) throws -> String { try folder.read("certificates/\(file)") }

        func exists(_ file: String) -> Bool { File.exists("\(folder.path)/certificates/\(file)") }
    }

    private func save(_ name: String, _ chain: String, _ store: inout Store) throws {
        let sealed = try store.seal(Array("key of \(chain)".utf8), for: StoredCertificate.sealingPlace(name, "p256"))
        let certificate = StoredCertificate(
            name: name, keyKind: "p256", chain: chain, issuer: "CA", sealedKey: sealed, notBefore: 0, notAfter: 1,
            renewAt: 1)
        try store.write { transaction throws(DatabaseError) in try certificate.save(in: transaction) }
    }

    @Test(arguments: TestEngine.available)
    func `each node has the files of all certificates, and writes those again that are new or missing`(
        engine: TestEngine
    ) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        try save("shop.example", "first", &store)
        try save("*.shop.example", "wildcard", &store)
        let nodes = [try Node(database), try Node(database)]
        for node in nodes {
            try node.pass()
            #expect(try node.read("shop.example/fullchain.pem") == "first")
            #expect(try node.read("shop.example/privkey.pem") == "key of first")
            #expect(try node.read("_wildcard.shop.example/fullchain.pem") == "wildcard")
        }
        let file = "\(nodes[0].folder.path)/certificates/_wildcard.shop.example/fullchain.pem"
        let before = try File.status(file)
        try save("shop.example", "second", &store)
        try nodes[1].folder.remove("certificates")
        for node in nodes {
            try node.pass()
            #expect(try node.read("shop.example/fullchain.pem") == "second")
            #expect(try node.read("_wildcard.shop.example/privkey.pem") == "key of wildcard")
        }
        // A file that is the same is not written again, not even by a new process.
        var another = CertificateUpkeep(
            0, try ManagerControl(workerCount: 1) { _, _ in },
            places: ManagerPlaces(certificates: "\(nodes[0].folder.path)/certificates", thumbprint: "", hosts: ""),
            store: try database.store())
        let hasMore = try another.step()
        #expect(!hasMore)
        #expect(try File.status(file) == before)
    }

    @Test func `goes through many certificates in pages`() throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        for number in 0...CertificateUpkeep.pageCount { try save("h\(number).example", "chain", &store) }
        let node = try Node(database)
        for _ in 0..<2 {
            #expect(try node.pass() == 2)
            #expect((0...CertificateUpkeep.pageCount).allSatisfy { node.exists("h\($0).example/privkey.pem") })
        }
    }

    @Test func `an empty database removes only what has expired`() throws {
        let (certificates, key) = (try TestCertificates(), try SigningKey(.p256))
        let node = try Node(try TestDatabase(.sqlite))
        for (name, days) in [("old.example", -2), ("shop.example", 90)] {
            try node.folder.write("certificates/\(name)/fullchain.pem", try certificates.chain([name], key, days: days))
            try node.folder.write("certificates/\(name)/privkey.pem", key.pem)
        }
        try node.folder.write("certificates/other/notes.txt", "no certificate")
        try node.pass()
        #expect(!node.exists("old.example"))
        #expect(node.exists("shop.example/fullchain.pem") && node.exists("shop.example/privkey.pem"))
        #expect(node.exists("other/notes.txt"))
    }

    @Test func `says once that a certificate cannot be written, and writes the others`() throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        for name in ["a.example", "b.example"] { try save(name, "chain", &store) }
        let node = try Node(database)
        try node.folder.write("certificates/a.example", "a file instead of the folder")
        for _ in 0..<2 { try node.pass() }
        #expect(node.exists("b.example/fullchain.pem"))
        #expect(node.log.value.count == 1)
        #expect(node.log.value.first?.hasPrefix("a.example: cannot write its certificate to ") == true)
        try node.folder.remove("certificates/a.example")
        try node.pass()
        #expect(node.exists("a.example/fullchain.pem") && node.log.value.count == 2)
    }
}
