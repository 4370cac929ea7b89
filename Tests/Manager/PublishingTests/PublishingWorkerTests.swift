// The live releases on a node's disk, what the server makes of them, and the audit log.

import Database
import Foundation
import HTTP
import SourceJSON
import Store
import Synchronization
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Publishing

struct PublishingWorkerTests {
    private func files(_ folder: TemporaryFolder, _ kind: String) -> [String: String] {
        let root = "\(folder.path)/published/\(kind)"
        var found: [String: String] = [:]
        for path in FileManager.default.enumerator(atPath: root)?.allObjects.compactMap({ $0 as? String }) ?? [] {
            guard path.contains("/") else { continue }
            found[path] = try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
        }
        return found
    }

    @Test func `a node has whole releases, and what they have replaced`() throws {
        let (rig, folder) = (try PublishingRig(tenants: ["acme", "other"]), try TemporaryFolder())
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish"], tenant: "acme")
        let published = try PublishedFolder(folder.path)
        let (one, two) = (PublishingRig.app(), PublishingRig.app(path: "/b"))
        #expect(try rig.publisher.apply(to: published) == [])
        #expect(try rig.post("acme/releases", token, PublishingRig.release(base: 0, [("a.json", one)])).status == 201)
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(files(folder, "apps") == ["acme/a.json": one] && files(folder, "retired").isEmpty)
        #expect(try rig.publisher.apply(to: published) == [])
        // A node that was away sees the last of several.
        #expect(
            try rig.post("acme/releases", token, PublishingRig.release(base: 1, [("a.json", nil), ("b.json", one)]))
                .status == 201)
        #expect(try rig.post("acme/releases", token, PublishingRig.release(base: 2, [("b.json", two)])).status == 201)
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(files(folder, "apps") == ["acme/b.json": two] && files(folder, "retired") == ["acme/a.json": one])
        #expect(try rig.post("acme/releases", token, PublishingRig.release(base: 3, [("b.json", nil)])).status == 201)
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(files(folder, "apps").isEmpty)
        // Another database: everything is compared, and what is right stays.
        try rig.execute("update feed set incarnation = 'other'")
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(published.position.incarnation == "other")
        // An earlier state of the same one, from a backup.
        try rig.execute("update feed set seq = 1")
        try rig.execute("update tenant set seq = 1")
        #expect(try rig.publisher.apply(to: published) == ["acme", "other"] && published.position.seq == 1)
    }

    @Test func `a draft that a crash has left is no harm`() throws {
        let (rig, folder) = (try PublishingRig(), try TemporaryFolder())
        try rig.own("shop.acme.test")
        let published = try PublishedFolder(folder.path)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/published/apps/.acme", withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/published/apps/.acme/x.json"))
        let token = try rig.token(["publish"], tenant: "acme")
        let body = PublishingRig.release(base: 0, [("a.json", PublishingRig.app())])
        #expect(try rig.post("acme/releases", token, body).status == 201)
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(files(folder, "apps") == ["acme/a.json": PublishingRig.app()])
    }

    private static func file(_ name: String, _ digest: String, _ state: String = "served") -> ServedAppFile {
        ServedAppFile(name: name, digest: digest, state: state, detail: "why")
    }

    @Test(
        arguments: [
            ([], [], "served"), ([("a", "1")], [], nil), ([("a", "1")], [file("a", "1")], "served"),
            ([("a", "2")], [file("a", "1")], nil), ([], [file("a", "1")], nil), ([], [file("a", "", "held")], "held"),
            ([("a", "1"), ("b", "1")], [file("a", "1"), file("b", "1", "held")], "held"),
            ([("a", "1"), ("b", "1")], [file("a", "1", "broken"), file("b", "1", "held")], "broken"),
            ([("a", "1")], [file("", "", "broken")], "broken"),
        ] as [([(String, String)], [ServedAppFile], String?)])
    func `a release has an outcome when the server has read all of it`(
        wanted: [(String, String)], files: [ServedAppFile], outcome: String?
    ) {
        #expect(PublishingWorker.outcome(wanted.map { (name: $0.0, digest: $0.1) }, files)?.state == outcome)
    }

    @Test(arguments: TestEngine.available)
    func `an entry of the audit log that was altered or removed is found`(engine: TestEngine) throws {
        let rig = try PublishingRig(engine, tenants: ["a", "b", "c"])
        func fault() throws -> Int64? {
            var store = try rig.database.store(PublishingRig.tables)
            let page = try store.read { transaction throws(DatabaseError) in
                try AuditLog.page(after: 0, in: transaction)
            }
            var last: (seq: Int64, digest: String) = (0, "")
            return AuditLog.fault(in: page, after: &last)?.seq
        }
        #expect(try fault() == nil)
        try rig.execute("update audit set actor = 'x' where seq = 2")
        #expect(try fault() == 2)
        try rig.execute("update audit set actor = 'test' where seq = 2")
        #expect(try fault() == nil)
        try rig.execute("delete from audit where seq = 2")
        #expect(try fault() == 3)
    }

    @Test func `no two entries have the same text`() {
        func digest(_ actor: String, _ action: String) -> String {
            AuditEntry(seq: 1, at: 1, actor: actor, tenant: "", action: action, object: "", detail: "", digest: "")
                .expected(after: "")
        }
        #expect(digest("a", "bc") != digest("ab", "c"))
    }
}
