// The store follows what the server serves: in steps, with the versions of the last time, and with the fetches by the services.

import Database
import Store
import Synchronization
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Delivery

struct DeliveryRegisterTests {
    @Test func `says whether Apple has what is served since a time`() throws {
        let rig = try DeliveryWorkerTests.Rig(
            [
                DeliveryWorkerTests.host: [.apple: DeliveryWorkerTests.apple],
                "*.example.com": [.apple: DeliveryWorkerTests.apple],
            ],
            ["/a/v1/": DeliveryWorkerTests.Rig.reply(200, DeliveryWorkerTests.apple)])
        func state(_ host: String = DeliveryWorkerTests.host, since time: Int64 = 1) throws -> String? {
            var store = try rig.database.store()
            return try store.read { transaction throws(DatabaseError) in
                try DeliveryTimeline.apple(of: host, since: time, in: transaction)?.state
            }
        }
        var worker = try rig.worker()
        #expect(try state() == "unknown")
        try rig.work(&worker)
        #expect(try state() == "equal" && state(since: .max) == "unknown" && state("*.example.com") == nil)
        // The new version is known, and Apple's copy was looked at before.
        rig.source.files.withLock { $0[DeliveryWorkerTests.host] = [.apple: "{\"applinks\":{}}"] }
        rig.status.noteServed(rig.source.digest)
        while try worker.register.round(now: rig.now + 60_000) {}
        #expect(try state() == "unknown")
        try rig.work(&worker)
        #expect(try state() == "older")
    }

    /// Each row: the time for reading, and the rest after it.
    @Test(
        arguments: [(0, 0), (5, 100), (3_000, 60_000), (3_001, 60_000), (.max / 40, 60_000), (-7, 0)]
            as [(Int64, Int64)])
    func `a pass is followed by a rest of at most a minute`(read: Int64, rest: Int64) {
        #expect(DeliveryRegister.restMilliseconds(readMilliseconds: read) == rest)
    }

    @Test func `a large change is taken in steps`() throws {
        let hosts = (0..<450).map { "h\($0).example.com" }
        let source = DeliveryWorkerTests.Source(
            Dictionary(uniqueKeysWithValues: hosts.map { ($0, [DeliveryVerifier.apple: DeliveryWorkerTests.apple]) }),
            pageCount: 1_000
        )
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        let control = try WorkControl(workerCount: 1) { _, _ in }
        var register = DeliveryRegister(
            0, DeliveryStatus(control), node: "n", source: source, store: try database.store())
        var counts: [Int64] = []
        for now: Int64 in 0..<3 {
            let hasMore = try register.step(served: source.digest, now: now)
            #expect(hasMore == (now < 2))
            let count: Int64 = try store.read { transaction throws(DatabaseError) in
                try transaction.query("select count(*) from delivery where gone is null")[0][0]
            }
            counts.append(count)
        }
        #expect(counts == [200, 400, 450])
        let isRepeated = try register.step(served: source.digest, now: 3)
        #expect(!isRepeated)
        source.files.withLock { $0 = [:] }
        var isWithdrawn = false
        for now: Int64 in 60_003..<60_006 { isWithdrawn = try !register.step(served: source.digest, now: now) }
        #expect(isWithdrawn)
        let left: Int64 = try store.read { transaction throws(DatabaseError) in
            try transaction.query("select count(*) from delivery where gone is null")[0][0]
        }
        #expect(left == 0)
    }

    @Test func `the end of the process does not wait for a large change`() throws {
        let source = DeliveryWorkerTests.Source([DeliveryWorkerTests.host: [.apple: DeliveryWorkerTests.apple]])
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        let control = try WorkControl(workerCount: 1) { _, _ in }
        var register = DeliveryRegister(
            0, DeliveryStatus(control), node: "n", source: source, store: try database.store())
        control.stop()
        let hasMore = try register.step(served: source.digest, now: 0)
        #expect(!hasMore)
        let count: Int64 = try store.read { transaction throws(DatabaseError) in
            try transaction.query("select count(*) from delivery")[0][0]
        }
        #expect(count == 0)
    }

    @Test func `a server that does not answer is reported once`() throws {
        let source = DeliveryWorkerTests.Source([DeliveryWorkerTests.host: [.apple: DeliveryWorkerTests.apple]])
        let database = try TestDatabase(.sqlite)
        let log = Shared<[String]>([])
        let control = try WorkControl(workerCount: 1) { _, text in log.change { $0.append(text) } }
        var register = DeliveryRegister(
            0, DeliveryStatus(control), node: "n", source: source, store: try database.store())
        for (number, problem) in ["it answers 500", "it answers 500", "it is gone", nil].enumerated() {
            source.problem.withLock { $0 = problem }
            _ = try register.step(served: source.digest, now: Int64(number) * 20_000)
            _ = try register.takeFetches()
            #expect(control.sourceProblems.count == (problem == nil ? 0 : 2))
            #expect(control.sourceProblems.allSatisfy { $0.hasSuffix(problem ?? "") })
        }
        #expect(log.value.count { $0.contains("it answers 500") } == 2)
        #expect(log.value.count { $0.contains("it is gone") } == 2)
        #expect(log.value.count { $0.contains("answers again") } == 2)
    }

    /// Each row: the minutes between two versions, how many there are, and how many are kept.
    @Test(arguments: [(1_440, 20, 20), (4_320, 20, 16), (1_441, 40, 30), (1, 210, 200)] as [(Int64, UInt8, Int)])
    func `keeps the versions of 30 days, and sixteen in any case`(minutes: Int64, count: UInt8, kept: Int) throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        for number in 1...count {
            try store.write { transaction throws(DatabaseError) in
                try DeliveryRecord.publish(
                    "a.example.com", .apple, tag: "\"\(number)\"", digest: [number], in: transaction)
                try transaction.execute("update delivery_version set at = at - ?", minutes * 60_000)
            }
        }
        let record = try #require(
            try store.read { transaction throws(DatabaseError) in
                try DeliveryRecord.load("a.example.com", .apple, in: transaction)
            })
        #expect(record.versions.map { $0.digest[0] } == Array((1...count).reversed().prefix(kept)))
    }

    @Test func `the history of a host that returns is not complete`() throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        func publish(_ digest: UInt8, _ store: inout Store) throws -> DeliveryRecord {
            try store.write { transaction throws(DatabaseError) in
                try DeliveryRecord.publish(
                    DeliveryWorkerTests.host, .apple, tag: "\"\(digest)\"", digest: [digest], in: transaction)
            }
            return try #require(
                try store.read { transaction throws(DatabaseError) in
                    try DeliveryRecord.load(DeliveryWorkerTests.host, .apple, in: transaction)
                })
        }
        let first = try publish(1, &store)
        try store.write { transaction throws(DatabaseError) in
            try first.noteEqual(in: transaction)
            try transaction.execute("update delivery set registered = 1")
        }
        var record = try publish(2, &store)
        #expect(record.wasEqual && record.registered == 1)
        try store.write { transaction throws(DatabaseError) in
            try DeliveryRecord.withdraw(DeliveryWorkerTests.host, .apple, in: transaction)
        }
        record = try publish(4, &store)
        #expect(record.wasEqual && record.registered == 1)
        try store.write { transaction throws(DatabaseError) in
            try DeliveryRecord.withdraw(DeliveryWorkerTests.host, .apple, in: transaction)
            try transaction.execute("update delivery set gone = gone - 3600000")
        }
        record = try publish(3, &store)
        #expect(!record.wasEqual && !record.isSettled(now: record.published) && record.versions.count == 4)
    }

    @Test func `a host that changes all the time loses its priority`() throws {
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        var priorities: [Int64] = []
        // The hours since the version before, and whether there was a look at it.
        for (hours, isLooked) in [(0, false), (0, false), (2, true), (0, true), (2, false)] as [(Int64, Bool)] {
            let digest = UInt8(priorities.count)
            let priority = try store.write { transaction throws(DatabaseError) -> Int64 in
                if isLooked {
                    let host = DeliveryWorkerTests.host
                    try transaction.execute(
                        """
                        insert into observation (name, verifier, state, since, looked, detail) values (?, 'apple', 'older', 0, 0, '')
                        on conflict do nothing
                        """, host)
                }
                try transaction.execute("update delivery set published = published - ?", hours * 3_600_000)
                try DeliveryRecord.publish(
                    DeliveryWorkerTests.host, .apple, tag: "\"\(digest)\"", digest: [digest], in: transaction)
                return try transaction.query("select priority from work")[0][0]
            }
            priorities.append(priority)
        }
        #expect(priorities == [1, 1, 1, 0, 1])
    }

    @Test func `a full history of a few days is not complete`() {
        let day: Int64 = 86_400_000
        func record(versionCount: Int, oldestDays: Int64) -> DeliveryRecord {
            let versions = (0..<versionCount).map { number in
                DeliveryVersion(digest: [], at: number == versionCount - 1 ? -oldestDays * day : 0)
            }
            return DeliveryRecord(
                name: "a.example.com", verifier: .apple, tag: "", digest: nil, registered: -30 * day, published: 0,
                fetched: nil, equalAt: nil, wasEqual: true, versions: versions)
        }
        #expect(!record(versionCount: 200, oldestDays: 6).isSettled(now: 0))
        #expect(record(versionCount: 200, oldestDays: 8).isSettled(now: 0))
        #expect(record(versionCount: 199, oldestDays: 6).isSettled(now: 0))
    }

    /// Each row: a name, and whether Apple and Google can fetch from it.
    @Test(
        arguments: [
            ("shop.example.com", true), ("a.internal", false), ("a.b.local", false), ("a.test", false),
            ("a.example", false), ("a.localhost", false), ("a.invalid", false), ("a.onion", false), ("a.alt", false),
            ("a.home.arpa", false), ("home.arpa", false), ("a.arpa.com", true), ("local.com", true),
            ("localhost", false),
            ("*.example.com", false),
        ])
    func `names outside of the public DNS are not sent to Apple and Google`(name: String, isPublic: Bool) {
        #expect(DeliveryRegister.isPublic(name) == isPublic)
    }

    @Test func `a fetch is taken once`() throws {
        let source = DeliveryWorkerTests.Source([DeliveryWorkerTests.host: [.apple: DeliveryWorkerTests.apple]])
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        var register = DeliveryRegister(
            0, DeliveryStatus(try WorkControl(workerCount: 1) { _, _ in }), node: "n", source: source,
            store: try database.store())
        _ = try register.step(served: source.digest, now: 0)
        source.note(DeliveryWorkerTests.host, 1_000, isConfirmed: false)
        // A look long ago, and none planned for long.
        func plan(_ store: inout Store) throws {
            try store.write { transaction throws(DatabaseError) in
                try Observation.record(
                    DeliveryWorkerTests.host, .apple, state: .failing, detail: "", in: transaction)
                try transaction.execute("update observation set looked = 1")
                try transaction.execute("update work set due = ?", Int64.max)
            }
        }
        func isPlanned(_ store: inout Store, nowSeconds: Int64) throws -> Bool {
            try plan(&store)
            _ = try register.takeFetches(nowSeconds: nowSeconds)
            let due: Int64 = try store.read { transaction throws(DatabaseError) in
                try transaction.query("select due from work")[0][0]
            }
            return due < .max
        }
        let first = [try isPlanned(&store, nowSeconds: 1_010), try isPlanned(&store, nowSeconds: 1_030)]
        #expect(first == [true, false])
        // A fetch after the clock was set back is not hidden by the one before.
        source.fetched.withLock { $0 = [] }
        source.note(DeliveryWorkerTests.host, 500, isConfirmed: false)
        let isTaken = try isPlanned(&store, nowSeconds: 500)
        #expect(isTaken)
    }

    @Test func `many fetches in one second do not hide later ones`() throws {
        let source = DeliveryWorkerTests.Source([DeliveryWorkerTests.host: [.apple: DeliveryWorkerTests.apple]])
        for _ in 0..<5 { source.note("b.example.com", 100) }
        source.note("c.example.com", 101)
        source.note(DeliveryWorkerTests.host, 102)
        let database = try TestDatabase(.sqlite)
        var store = try database.store()
        var register = DeliveryRegister(
            0, DeliveryStatus(try WorkControl(workerCount: 1) { _, _ in }), node: "n", source: source,
            store: try database.store())
        _ = try register.step(served: source.digest, now: 0)
        // The first second from its beginning, the rest of it left out, and what follows.
        var hasMore = [Bool]()
        for _ in 0..<4 { hasMore.append(try register.takeFetches()) }
        #expect(hasMore == [true, true, false, false])
        let record = try store.read { transaction throws(DatabaseError) in
            try DeliveryRecord.load(DeliveryWorkerTests.host, .apple, in: transaction)
        }
        #expect(record?.fetched == 102_000)
    }
}
