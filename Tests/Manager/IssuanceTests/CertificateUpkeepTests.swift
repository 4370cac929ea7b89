// The files of certificates that other nodes have ordered, on both engines.

import ACME
import Database
import Foundation
import Posix
import Store
import TLS
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Issuance

struct CertificateUpkeepTests {
    /// A node with a folder of its own.
    private final class Node {
        let folder: TemporaryFolder
        let log: Shared<[String]>
        let account: AccountKey
        let control: IssuanceStatus
        private var upkeep: CertificateUpkeep

        init(_ database: TestDatabase) throws {
            let (folder, log) = (try TemporaryFolder(), Shared<[String]>([]))
            (self.folder, self.log) = (folder, log)
            let places = ManagerPlaces(
                certificates: "\(folder.path)/certificates", thumbprint: "\(folder.path)/acme/thumbprint",
                hosts: "\(folder.path)/own")
            control = IssuanceStatus(try WorkControl(workerCount: 1) { _, text in log.change { $0.append(text) } })
            var store = try database.store()
            account = try AccountSecret.load(&store).key
            upkeep = CertificateUpkeep(0, control, places: places, store: store)
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

    private func save(_ name: String, _ chain: String, _ store: inout Store, _ kind: String = "p256") throws {
        let sealed = try store.seal(Array("key of \(chain)".utf8), for: StoredCertificate.sealingPlace(name, kind))
        let certificate = StoredCertificate(
            name: name, keyKind: kind, chain: chain, issuer: "CA", sealedKey: sealed, notBefore: 0, notAfter: 1,
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
            0, IssuanceStatus(try WorkControl(workerCount: 1) { _, _ in }),
            places: ManagerPlaces(
                certificates: "\(nodes[0].folder.path)/certificates",
                thumbprint: "\(nodes[0].folder.path)/acme/thumbprint",
                hosts: ""), store: try database.store())
        let hasMore = try another.step()
        #expect(!hasMore)
        #expect(try File.status(file) == before)
    }

    @Test func `writes the certificate that is used, and removes a second pair of files`() throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        for (kind, chain) in [("rsa2048", "for RSA"), ("p256", "for ECDSA")] {
            try save("shop.example", chain, &store, kind)
        }
        let node = try Node(database)
        for file in ["fullchain", "privkey"] {
            try node.folder.write("certificates/shop.example/\(file).rsa.pem", "old")
        }
        try node.pass()
        #expect(try node.read("shop.example/fullchain.pem") == "for ECDSA")
        #expect(try node.read("shop.example/privkey.pem") == "key of for ECDSA")
        for file in ["fullchain", "privkey"] { #expect(!node.exists("shop.example/\(file).rsa.pem")) }
    }

    @Test func `writes a thumbprint that was removed, and leaves one that is right`() throws {
        let node = try Node(try TestDatabase(.sqlite))
        let file = "\(node.folder.path)/acme/thumbprint"
        try node.pass()
        #expect(try node.folder.read("acme/thumbprint") == "\(node.account.thumbprint)\n")
        let status = try File.status(file)
        try node.pass()
        #expect(try File.status(file) == status)
        for text in [nil, "other"] {
            if let text { try node.folder.write("acme/thumbprint", text) } else { try node.folder.remove("acme") }
            try node.pass()
            #expect(try node.folder.read("acme/thumbprint") == "\(node.account.thumbprint)\n")
        }
        #expect(node.log.value.isEmpty)
        try node.folder.remove("acme")
        try node.folder.write("acme", "a file instead of the folder")
        for _ in 0..<2 { try node.pass() }
        #expect(node.log.value.count == 1)
        #expect(
            node.log.value.first?.hasPrefix("cannot write \(file), which the server needs for challenges: ") == true)
        try node.folder.remove("acme")
        try node.pass()
        #expect(node.log.value.count == 2)
    }

    @Test(arguments: TestEngine.available)
    func `a new sealing key takes over everything in the store`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        for name in ["shop.example", "*.shop.example"] { try save(name, name, &store) }
        let before = try Node(database)
        try before.pass()
        #expect(before.log.value.isEmpty)
        let old = Array(try File.read("\(database.folder)/store.key", bytesMax: 64).bytes)
        let new = [UInt8](repeating: 9, count: 32)
        func replaceKeys(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(database.folder)/store.key"))
        }
        try replaceKeys(new + old)
        let during = try Node(database)
        for _ in 0..<2 { try during.pass() }
        #expect(during.log.value.count == 1)
        #expect(during.log.value.first?.hasPrefix("everything in the store is sealed with the first key ") == true)
        try replaceKeys(new)
        let after = try Node(database)
        try after.pass()
        #expect(after.log.value.isEmpty)
        #expect(after.account.thumbprint == before.account.thumbprint)
        #expect(try after.read("_wildcard.shop.example/privkey.pem") == "key of *.shop.example")
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

    /// A reader that has opened the folder finds both files of one certificate, whatever happens meanwhile.
    @Test func `replaces the folder of a host as a whole, unless it has other files`() throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        for name in ["a.example", "b.example"] { try save(name, "first", &store) }
        let node = try Node(database)
        try node.pass()
        try node.folder.write("certificates/b.example/notes.txt", "of the operator")
        // What a crash has left.
        try node.folder.write("certificates/.new/privkey.pem", "half")
        let places = ["a.example", "b.example"].map { "\(node.folder.path)/certificates/\($0)" }
        let before = places.map { Directory.identity($0) }
        for name in ["a.example", "b.example"] { try save(name, "second", &store) }
        try node.pass()
        for name in ["a.example", "b.example"] {
            #expect(try node.read("\(name)/fullchain.pem") == "second")
            #expect(try node.read("\(name)/privkey.pem") == "key of second")
        }
        #expect(Directory.identity(places[0]) != before[0])
        #expect(Directory.identity(places[1]) == before[1])
        #expect(node.exists("b.example/notes.txt") && !node.exists(".new"))
        #expect(node.log.value.isEmpty)
    }

    @Test func `what would let each order fail is known before there is one, and no longer when it is over`() throws {
        let node = try Node(try TestDatabase(.sqlite))
        try node.pass()
        #expect(node.control.problem == nil)
        for (folder, problem) in [("certificates", "cannot write certificates to "), ("acme", "cannot write ")] {
            try node.folder.remove(folder)
            try node.folder.write(folder, "a file instead of the folder")
            for _ in 0..<2 { try node.pass() }
            #expect(node.control.problem?.hasPrefix("\(problem)\(node.folder.path)/\(folder)") == true)
            #expect(node.log.value.last?.hasPrefix(problem) == true)
            try node.folder.remove(folder)
            try node.pass()
            #expect(node.control.problem == nil)
        }
        #expect(node.log.value.count == 4)
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
        #expect(node.control.problem == nil)
        try node.folder.remove("certificates/a.example")
        try node.pass()
        #expect(node.exists("a.example/fullchain.pem") && node.log.value.count == 2)
    }
}
