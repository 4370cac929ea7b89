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
        #expect(files(folder, "apps") == ["acme/b.json": two] && retired(folder) == ["acme/a.json": [one]])
        #expect(try rig.post("acme/releases", token, PublishingRig.release(base: 3, [("b.json", nil)])).status == 201)
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(files(folder, "apps").isEmpty)
        // Another database: everything is compared, and what is right stays.
        try rig.execute("update audit set hash = 'other' where seq = (select max(seq) from audit)")
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(published.position.digest == "other")
        #expect(try rig.publisher.apply(to: published) == [])
    }

    @Test func `a database that knows no release is a problem, until it has one, and what is published stays`() throws {
        let (folder, one) = (try TemporaryFolder(), PublishingRig.app())
        let published = try PublishedFolder(folder.path)
        let release = PublishingRig.release(base: 0, [("a.json", one)])
        let rigs = [try PublishingRig(), try PublishingRig()]
        for (index, rig) in rigs.enumerated() {
            try rig.own("shop.acme.test")
            if index == 1 {
                #expect(throws: UnknownHistory.self) { try rig.publisher.apply(to: published) }
                #expect(files(folder, "apps") == ["acme/a.json": one])
            }
            #expect(try rig.post("acme/releases", try rig.token(), release).status == 201)
            #expect(try rig.publisher.apply(to: published) == ["acme"])
        }
        #expect(try rigs[1].publisher.apply(to: published) == [])
        #expect(throws: UnknownHistory.self) { try PublishingRig().publisher.apply(to: published) }
    }

    /// Each row: how many releases of another tenant go live in a backup before the node looks at it.
    @Test(arguments: [0, 1, 2, 5])
    func `a node finds a backup out, also one that has overtaken it`(count: Int) throws {
        let (rig, folder) = (try PublishingRig(tenants: ["acme", "other"]), try TemporaryFolder())
        try rig.own("shop.acme.test")
        try rig.own("other.test", by: "other")
        let token = try rig.token()
        let published = try PublishedFolder(folder.path)
        let (one, two) = (PublishingRig.app(), PublishingRig.app(path: "/b"))
        #expect(try rig.post("acme/releases", token, PublishingRig.release(base: 0, [("a.json", one)])).status == 201)
        let backup = try PublishingRig(copying: rig)
        for (base, text) in [(1, two), (2, one), (3, two)] {
            #expect(
                try rig.post("acme/releases", token, PublishingRig.release(base: base, [("a.json", text)])).status
                    == 201)
        }
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(files(folder, "apps") == ["acme/a.json": two])
        for number in 0..<count {
            let app = PublishingRig.app("dev.other", hosts: ["other.test"], path: "/\(number)")
            let body = PublishingRig.release(base: number, [("o.json", app)])
            #expect(try backup.post("other/releases", backup.token(), body).status == 201)
        }
        #expect(try backup.publisher.apply(to: published) == (count == 0 ? ["acme"] : ["acme", "other"]))
        #expect(files(folder, "apps")["acme/a.json"] == one)
        #expect(try backup.publisher.apply(to: published) == [])
    }

    /// The versions of each retired file.
    private func retired(_ folder: TemporaryFolder) -> [String: Set<String>] {
        Dictionary(
            files(folder, "retired").map { path, text in
                (path.replacing(/[0-9a-f]{16}-/, with: ""), [text])
            }
        ) { $0.union($1) }
    }

    private final class Source: PublishedSource {
        let served = Mutex<[String: String]?>(nil)
        let state = Mutex("served")
        /// What happens while the server is asked the next time.
        let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

        func files(of tenant: String) -> [ServedAppFile]? {
            meanwhile.withLock { $0.take() }?()
            return served.withLock { $0 }?.map { name, text in
                ServedAppFile(
                    name: name, digest: ReleaseContent.digest(Array(text.utf8)), state: state.withLock { $0 },
                    detail: "")
            }
        }
    }

    private func worker(
        _ rig: PublishingRig, _ folder: TemporaryFolder, _ source: Source
    ) throws -> PublishingWorker {
        PublishingWorker(
            0, rig.publisher, try WorkControl(workerCount: 1) { _, _ in }, folder: try PublishedFolder(folder.path),
            node: "n", source: source)
    }

    @Test func `an outcome is of the release that the server was asked about`() throws {
        let (rig, folder, source) = (try PublishingRig(), try TemporaryFolder(), Source())
        try rig.own("shop.acme.test")
        let token = try rig.token()
        let versions = (0..<2).map { PublishingRig.app(path: "/\($0)") }
        func release(_ number: Int) -> String { PublishingRig.release(base: number, [("a.json", versions[number])]) }
        func outcomes() throws -> [Int64] {
            try rig.query("select number from outcome").map { row throws(DatabaseError) in try row[0] }
        }
        #expect(try rig.post("acme/releases", token, release(0)).status == 201)
        source.served.withLock { $0 = ["a.json": versions[0]] }
        let next = release(1)
        source.meanwhile.withLock { $0 = { _ = try? rig.post("acme/releases", token, next) } }
        var node = try worker(rig, folder, source)
        try node.step()
        #expect(try outcomes() == [] && rig.query("select 1 from release").count == 2)
        try node.step()
        #expect(try outcomes() == [])
        source.served.withLock { $0 = ["a.json": versions[1]] }
        try node.step()
        #expect(try outcomes() == [2])
    }

    @Test func `an outcome is not lost with a step that failed`() throws {
        let (rig, folder, source) = (try PublishingRig(), try TemporaryFolder(), Source())
        try rig.own("shop.acme.test")
        let (token, app) = (try rig.token(), PublishingRig.app())
        source.served.withLock { $0 = ["a.json": app] }
        var node = try worker(rig, folder, source)
        try node.step()
        #expect(try rig.post("acme/releases", token, PublishingRig.release(base: 0, [("a.json", app)])).status == 201)
        try rig.execute("alter table outcome rename to lost")
        #expect(throws: APIProblem.self) { try node.step() }
        try rig.execute("alter table lost rename to outcome")
        try node.step()
        #expect(try rig.query("select 1 from outcome where number = 1").count == 1)
    }

    @Test func `what a release takes away is retired until the server serves one without it`() throws {
        let (rig, folder, source) = (try PublishingRig(), try TemporaryFolder(), Source())
        try rig.own("shop.acme.test")
        let token = try rig.token()
        var node = try worker(rig, folder, source)
        let versions = (0..<5).map { PublishingRig.app("dev.acme.v\($0)") }
        /// Publishes a version, and has the server read one.
        func publish(_ number: Int, reading read: Int?) throws {
            let body = PublishingRig.release(
                base: number, [("a.json", versions[number])], ", \"retire\": true")
            #expect(try rig.post("acme/releases", token, body).status == 201)
            try node.step()
            source.served.withLock { $0 = read.map { ["a.json": versions[$0]] } }
            try node.step()
        }
        try publish(0, reading: 0)
        #expect(retired(folder).isEmpty)
        try publish(1, reading: 0)
        #expect(retired(folder) == ["acme/a.json": [versions[0]]])
        // Another process continues.
        node = try worker(rig, folder, source)
        try publish(2, reading: 0)
        #expect(retired(folder) == ["acme/a.json": [versions[0], versions[1]]])
        source.state.withLock { $0 = "held" }
        try publish(3, reading: 3)
        #expect(retired(folder) == ["acme/a.json": [versions[0], versions[1], versions[2]]])
        source.state.withLock { $0 = "served" }
        try publish(4, reading: 4)
        #expect(retired(folder) == ["acme/a.json": [versions[0], versions[1], versions[2], versions[3]]])
        let last = PublishingRig.release(base: 5, [("a.json", versions[0])], ", \"retire\": true")
        #expect(try rig.post("acme/releases", token, last).status == 201)
        try node.step()
        #expect(retired(folder) == ["acme/a.json": [versions[4]]])
    }

    @Test func `no more is retired than the server reads of a folder`() throws {
        let folder = try TemporaryFolder()
        let published = try PublishedFolder(folder.path)
        for version in 0..<3 {
            let half = [UInt8](repeating: UInt8(version), count: ReleaseContent.bytesMax / 16)
            let names = (0..<8).map { "f\($0).json" }
            try published.replace(
                "acme", with: ReleaseContent(files: Dictionary(uniqueKeysWithValues: names.map { ($0, half) })))
        }
        try published.replace("acme", with: ReleaseContent(files: ["last.json": [0x20]]))
        let entries = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/published/retired/acme")
        #expect(entries.count == 16)
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
