// The store on both engines: one node at a time works on a task, rate limits are never exceeded, and secrets are sealed.

import Database
import Foundation
import Glibc
import Store
import Synchronization
import TLS
import Testing

@testable import DatabaseSupport
@testable import Issuance

struct SharedStoreTests {
    typealias Failure = DatabaseError

    /// Three orders at once, and one more each hour.
    private static let orders = Bucket(scope: "orders", subject: "example", capacity: 3, fillMilliseconds: 10_800_000)

    @Test(arguments: TestEngine.available) func `claims work once, when it is due`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        try store.write { transaction throws(Failure) in
            let now = try transaction.now()
            try Work.add("order", "later", state: "queued", due: now + 60_000, in: transaction)
            try Work.add("order", "one", state: "queued", due: now, in: transaction)
            try Work.add("order", "urgent", state: "queued", due: now, priority: 1, in: transaction)
        }
        var keys: [String?] = []
        for holder in ["a", "b", "c"] {
            keys.append(
                try store.write { transaction throws(Failure) in
                    try Work.claim("order", by: holder, in: transaction)?.key
                })
        }
        #expect(keys == ["urgent", "one", nil])
        // Adding it again may make it due earlier, never later.
        try store.write { transaction throws(Failure) in
            let now = try transaction.now()
            try Work.add("order", "later", state: "queued", due: now, in: transaction)
            try Work.add("order", "later", state: "queued", due: now + 90_000, in: transaction)
        }
        let key = try store.write { transaction throws(Failure) in
            try Work.claim("order", by: "a", in: transaction)?.key
        }
        #expect(key == "later")
    }

    @Test(arguments: TestEngine.available)
    func `claims by priority, then by turn, then by time, and within some priorities only`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        var keys = try store.write { transaction throws(Failure) in
            let now = try transaction.now()
            for (key, priority, turn, due) in [
                ("late", 1, 0, now - 1), ("early", 1, 0, now - 9), ("second", 1, -1, now - 99),
                ("third", 1, -3, now - 99),
                ("first", 3, -9, now), ("last", 0, 0, now - 99), ("future", 3, 0, now + 99_000),
            ] as [(String, Int64, Int64, Int64)] {
                try Work.add("order", key, state: "queued", due: due, priority: priority, in: transaction)
                try transaction.execute("update work set turn = ? where key = ?", turn, key)
            }
            return [try Work.claim("order", by: "a", priorities: 0...0, in: transaction)?.key]
        }
        for _ in 0..<6 {
            keys.append(
                try store.write { transaction throws(Failure) in
                    try Work.claim("order", by: "a", priorities: 1...9, in: transaction)?.key
                })
        }
        #expect(keys == ["last", "first", "early", "late", "second", "third", nil])
    }

    @Test(arguments: TestEngine.available)
    func `each doubling of a tenant's work is one turn later`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let turns = try store.write { transaction throws(Failure) in
            let now = try transaction.now()
            for number in 0..<9 {
                try Work.add("order", "a\(number)", tenant: "a", state: "queued", due: now, in: transaction)
            }
            try Work.add("order", "b0", tenant: "b", state: "queued", due: now, in: transaction)
            try Work.add("order", "none", state: "queued", due: now, in: transaction)
            // More important work, and work for another day, do not count.
            try Work.add("order", "c0", tenant: "c", state: "issued", due: now, priority: 3, in: transaction)
            try Work.add("order", "c1", tenant: "c", state: "queued", due: now + 3 * 86_400_000, in: transaction)
            try Work.add("order", "c2", tenant: "c", state: "queued", due: now, in: transaction)
            // The same work again has its turn again.
            try Work.add("order", "c1", tenant: "c", state: "queued", due: now, in: transaction)
            return try transaction.query("select turn from work order by key").map { row throws(Failure) in
                try row[0] as Int64
            }
        }
        #expect(turns == [0, -1, -2, -2, -3, -3, -3, -3, -4, 0, 0, -1, 0, 0])
    }

    /// The next holder may also be another claim of the same name.
    @Test(arguments: TestEngine.available, ["next", "slow"])
    func `work of a dead node is free after ten minutes, and a slow node learns that it lost its claim`(
        engine: TestEngine, holder: String
    ) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let slow = try claimOrder("one", by: "slow", &store)
        try store.write { transaction throws(Failure) in
            let isRecorded = try slow.record(state: "ordering", journal: "order 1", in: transaction)
            #expect(isRecorded)
            let rows = try transaction.query("select until from work")
            let until: Int64 = try rows[0][0]
            let now = try transaction.now()
            let left = until - now
            #expect(left > 590_000 && left <= 600_000)
            // Ten minutes pass.
            try transaction.execute("update work set until = 1, due = 1")
        }
        let next = try #require(
            try store.write { transaction throws(Failure) in try Work.claim("order", by: holder, in: transaction) })
        #expect(next.journal == "order 1" && next.state == "ordering")
        let told = try store.write { transaction throws(Failure) in
            [
                try slow.renew(in: transaction), try slow.record(state: "x", journal: "x", in: transaction),
                try slow.postpone(to: 0, state: "x", problem: "x", tries: 1, in: transaction),
                try slow.finish(in: transaction),
                try next.renew(in: transaction), try next.finish(in: transaction),
            ]
        }
        #expect(told == [false, false, false, false, true, true])
    }

    @Test(arguments: TestEngine.available) func `work that is added while in progress is done again`(engine: TestEngine)
        throws
    {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let work = try claimOrder("one", by: "a", &store)
        try store.write { transaction throws(Failure) in
            try Work.add("order", "one", state: "queued", due: try transaction.now(), in: transaction)
            let isOurs = try work.finish(in: transaction)
            #expect(isOurs)
        }
        let again = try store.write { transaction throws(Failure) in
            try Work.claim("order", by: "b", in: transaction)?.key
        }
        #expect(again == "one")
    }

    @Test(arguments: TestEngine.available) func `failed work is postponed and counted`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let work = try claimOrder("one", by: "a", &store)
        let later = try store.write { transaction throws(Failure) in
            let isOurs = try work.postpone(
                to: try transaction.now() + 60_000, state: "failing", problem: "no answer", tries: 1, in: transaction)
            #expect(isOurs)
            return try Work.claim("order", by: "a", in: transaction)
        }
        #expect(later == nil)
        let rows = try store.read { transaction throws(Failure) in
            try transaction.query("select state, problem, tries from work where holder is null")
        }
        #expect(rows.map(\.values) == [[.text("failing"), .text("no answer"), .integer(1)]])
    }

    @Test(arguments: TestEngine.available)
    func `concurrent nodes claim each piece of work once and never exceed a rate limit`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        try store.write { transaction throws(Failure) in
            let now = try transaction.now()
            for number in 0..<12 {
                try Work.add("order", "host \(number)", state: "queued", due: now, in: transaction)
                try Work.add("look", "host \(number)", state: "queued", due: now, in: transaction)
            }
        }
        let claimed = Mutex<[String]>([])
        let problems = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { node in
            do {
                var store = try database.store()
                for kind: Work.Kind in ["order", "look"] {
                    for _ in 0..<12 {
                        let work = try store.write { transaction throws(Failure) in
                            try Work.claim(kind, by: "node \(node)", in: transaction) { _ in
                                kind == "order" ? [Bucket.Charge(SharedStoreTests.orders)] : []
                            }
                        }
                        if let work { claimed.withLock { $0.append("\(work.kind.name) \(work.key)") } }
                    }
                }
            } catch { problems.withLock { $0.append("\(error)") } }
        }
        #expect(problems.withLock(\.self) == [])
        let names = claimed.withLock(\.self)
        #expect(Set(names).count == names.count)
        #expect(names.count { $0.hasPrefix("order") } == 3)
        #expect(names.count { $0.hasPrefix("look") } == 12)
        let rows = try store.read { transaction throws(Failure) in
            try transaction.query(
                "select count(*) from work where kind = 'order' and holder is null and due > ?", try transaction.now())
        }
        #expect(rows.map(\.values) == [[.integer(9)]])
    }

    @Test(arguments: TestEngine.available) func `a bucket returns the waiting time, and takes all charges or none`(
        engine: TestEngine
    ) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let small = Bucket(scope: "exact", subject: "one", capacity: 1, fillMilliseconds: 1_000_000)
        let waits = try store.write { transaction throws(Failure) in
            let first = try Bucket.take([.init(SharedStoreTests.orders), .init(small)], in: transaction)?.milliseconds
            let second = try Bucket.take([.init(SharedStoreTests.orders), .init(small)], in: transaction)?.milliseconds
            let third = try Bucket.take([.init(SharedStoreTests.orders, tokens: 2)], in: transaction)?.milliseconds
            return [first, second, third]
        }
        #expect(waits[0] == nil && waits[2] == nil)
        let longest = try #require(waits[1])
        #expect((990_000...1_000_000).contains(longest))
        // A third of an hour adds a third of a token.
        let answer = try store.write { transaction throws(Failure) in
            try transaction.execute("update bucket set at = at - 1200000")
            return try Bucket.take([.init(SharedStoreTests.orders)], in: transaction)?.milliseconds
        }
        let wait = try #require(answer)
        #expect((2_390_000...2_400_010).contains(wait))
    }

    @Test(arguments: TestEngine.available) func `a charge that is given back can be taken again, and no more`(
        engine: TestEngine
    ) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let small = Bucket(scope: "exact", subject: "one", capacity: 1, fillMilliseconds: 600_000_000)
        let charges: [Bucket.Charge] = [.init(SharedStoreTests.orders, tokens: 2), .init(small)]
        let (waits, rows) = try store.write { transaction throws(Failure) in
            var waits: [Int64?] = [try Bucket.take(charges, in: transaction)?.milliseconds]
            // A bucket holds no more than its capacity.
            for _ in 0..<2 { try Bucket.credit(charges, in: transaction) }
            let rows = try transaction.query("select tokens from bucket order by subject")
            for _ in 0..<2 { waits.append(try Bucket.take(charges, in: transaction)?.milliseconds) }
            return (waits, rows)
        }
        #expect(rows.map(\.values) == [[.double(3)], [.double(1)]])
        #expect(waits[0] == nil && waits[1] == nil && waits[2] != nil)
    }

    @Test(arguments: TestEngine.available) func `buckets that are full again are removed`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let rows = try store.write { transaction throws(Failure) in
            for (subject, days) in [("old", 8), ("new", 6)] as [(String, Int64)] {
                try transaction.execute(
                    "insert into bucket (scope, subject, tokens, at) values ('sets', ?, 0, ?)", subject,
                    try transaction.now() - days * 86_400_000)
            }
            try Bucket.purge(in: transaction)
            return try transaction.query("select subject from bucket")
        }
        #expect(rows.map(\.values) == [[.text("new")]])
    }

    @Test(arguments: TestEngine.available) func `a charge leaves the reserve to others`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let waits = try store.write { transaction throws(Failure) in
            let first = try Bucket.take([.init(SharedStoreTests.orders, reserve: 2)], in: transaction)?.milliseconds
            let second = try Bucket.take([.init(SharedStoreTests.orders, reserve: 2)], in: transaction)?.milliseconds
            let third = try Bucket.take([.init(SharedStoreTests.orders)], in: transaction)?.milliseconds
            return [first, second, third]
        }
        #expect(waits[0] == nil && waits[2] == nil)
        let wait = try #require(waits[1])
        #expect((3_590_000...3_600_000).contains(wait))
    }

    @Test(arguments: TestEngine.available) func `a lease has one holder`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let taken = try store.write { transaction throws(Failure) in
            let first = try Lease.take("sweep", by: "a", milliseconds: 60_000, in: transaction)
            let refused = try Lease.take("sweep", by: "b", milliseconds: 60_000, in: transaction)
            let kept = try Lease.take("sweep", by: "a", milliseconds: 60_000, in: transaction)
            try transaction.execute("update lease set until = 0")
            let second = try Lease.take("sweep", by: "b", milliseconds: 60_000, in: transaction)
            let stillRefused = try Lease.take("sweep", by: "a", milliseconds: 60_000, in: transaction)
            return [first, refused, kept, second, stillRefused]
        }
        #expect(taken == [true, false, true, true, false])
    }

    @Test(arguments: TestEngine.available) func `stores certificates`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        var certificate = StoredCertificate(
            name: "shop.example", keyKind: "p256", chain: "PEM", issuer: "Test CA", sealedKey: [1, 2, 3], notBefore: 1,
            notAfter: 2, renewAt: 1)
        let found = try store.write { transaction throws(Failure) in
            try certificate.save(in: transaction)
            (certificate.chain, certificate.renewAt) = ("PEM 2", 5)
            try certificate.save(in: transaction)
            return try StoredCertificate.load("shop.example", in: transaction)
        }
        #expect(found == certificate)
    }

    @Test func `a host that is to get a certificate and has none is waited for`() throws {
        var store = try TestDatabase(.sqlite).store()
        let host = "shop.example"
        func waits() throws -> Int64? {
            try store.read { transaction throws(Failure) in
                try CertificateWork.wait(for: host, tries: 0, in: transaction)
            }
        }
        #expect(try waits() == nil)
        try store.write { transaction throws(Failure) in
            try Work.add(
                CertificateWork.kind, host, state: IssuanceState.waitingForDNS.rawValue, due: 0, in: transaction)
        }
        #expect(try waits() == RenewalPlan.preflightMilliseconds(tries: 0))
        for state in [IssuanceState.issued, .leaving] {
            try store.write { transaction throws(Failure) in
                try transaction.execute("update work set state = ?", state.rawValue)
            }
            #expect(try waits() == nil)
        }
    }

    @Test(arguments: TestEngine.available) func `reports the work on certificates`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let none = try store.read { transaction throws(Failure) in try IssuanceFigures(in: transaction) }
        #expect(none == IssuanceFigures())
        let (queued, waiting) = (IssuanceState.queued.rawValue, IssuanceState.waitingForDNS.rawValue)
        try store.write { transaction throws(Failure) in
            let now = try transaction.now()
            for host in ["a.example", "b.example", "c.example"] {
                try Work.add(CertificateWork.kind, host, state: queued, due: now, in: transaction)
            }
            try transaction.execute("update work set began = ?, turn = -1 where key = 'c.example'", now - 90_000)
            try transaction.execute("update work set state = ?, problem = 'no record' where key = 'b.example'", waiting)
            for (host, life) in [("a.example", 4), ("d.example", 8)] as [(String, Int64)] {
                let certificate = StoredCertificate(
                    name: host, keyKind: "p256", chain: "PEM", issuer: "Test CA", sealedKey: [1],
                    notBefore: now - 1_000_000, notAfter: now - 1_000_000 + life * 1_000_000, renewAt: now + 5)
                try certificate.save(in: transaction)
            }
        }
        let (figures, unsettled, third, gone) = try store.read { transaction throws(Failure) in
            (
                try IssuanceFigures(in: transaction), try IssuanceReport.unsettled(limit: 2, in: transaction),
                try IssuanceReport.load("c.example", in: transaction),
                try IssuanceReport.load("d.example", in: transaction)
            )
        }
        #expect(figures.hosts == [.queued: 2, .waitingForDNS: 1])
        // Those that have never had a certificate, if any are ordered.
        let ordered = try store.read { transaction throws(Failure) in
            try IssuanceFigures(IssuanceRules(directories: []), in: transaction)
        }
        #expect(ordered.awaitedCount == 2 && figures.awaitedCount == 0)
        let longest = try #require(figures.longestWaitMilliseconds)
        #expect((90_000..<150_000).contains(longest))
        let left = try #require(figures.lifeLeftMin)
        #expect(left > 0.7 && left <= 0.75)
        #expect(unsettled.map(\.host) == ["b.example", "a.example"] && unsettled[0].problem == "no record")
        #expect(unsettled[1].issuer == "Test CA" && unsettled[1].renewAt != nil && unsettled[0].notAfter == nil)
        #expect(third?.state == .queued && gone == nil)
        let claimed = try store.write { transaction throws(Failure) in
            try transaction.execute("update work set due = due + 600000")
            let isKnown = try IssuanceReport.hurry("a.example", in: transaction)
            #expect(isKnown)
            return try Work.claim(CertificateWork.kind, by: "node/1/0", in: transaction)?.key
        }
        #expect(claimed == "a.example")
        // The claims of a process that is known to have ended are free again.
        let again = try store.write { transaction throws(Failure) in
            try Work.freeClaims(ofHolders: "node/", in: transaction)
            return try Work.claim(CertificateWork.kind, by: "node/2/0", in: transaction)?.key
        }
        #expect(again == "a.example")
    }

    @Test(arguments: TestEngine.available)
    func `a crash between any two steps of an order loses and repeats nothing`(engine: TestEngine) async throws {
        let database = try TestDatabase(engine)
        let text = database.locationText
        var store = try database.store()
        // The number of calls for one order.
        let engineOfAll = try FaultyEngine(database.location, .kill, at: 0)
        var storeOfAll = try Store(engineOfAll.connection, keys: try database.keys())
        let callsBefore = engineOfAll.calls
        try addOrder("whole", &storeOfAll)
        let callsToAdd = engineOfAll.calls - callsBefore
        try SharedStoreTests.order(&storeOfAll, holder: "whole")
        let callsOfAll = engineOfAll.calls - callsBefore - callsToAdd
        #expect(callsOfAll > 15)

        for call in 1...callsOfAll {
            try store.write { transaction throws(Failure) in
                for table in ["work", "bucket", "certificate"] { try transaction.execute("delete from \(table)") }
            }
            try addOrder("one", &store)
            let keyFile = "\(database.folder)/store.key"
            let doomedCall = callsBefore + call
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [text = text as String, keyFile = keyFile as String, doomedCall = doomedCall as Int] in
                let engine = try FaultyEngine(DatabaseLocation(text), .kill, at: doomedCall)
                var store = try Store(engine.connection, keys: try SealingKeys(file: keyFile))
                try SharedStoreTests.order(&store, holder: "doomed")
            }
            // Ten minutes later, another node finishes it.
            try store.write { transaction throws(Failure) in
                try transaction.execute("update work set until = 1, due = 1 where holder is not null")
            }
            // PostgreSQL takes some time to notice that the other process has died.
            let end = Date() + 30
            repeat { try SharedStoreTests.order(&store, holder: "next") } while try hasWork(&store) && Date() < end
            let rows = try store.read { transaction throws(Failure) in
                try transaction.query(
                    """
                    select (select count(*) from work), (select count(*) from certificate),
                        (select chain from certificate limit 1), (select count(*) from bucket)
                    """)
            }
            #expect(
                rows.map(\.values) == [[.integer(0), .integer(1), .text("order of one"), .integer(1)]], "call \(call)")
        }
    }

    /// The steps of a node for a certificate, each in a transaction: claim and pay, record the order, store the certificate.
    static func order(_ store: inout Store, holder: String) throws {
        let claimed = try store.write { transaction throws(Failure) in
            try Work.claim("order", by: holder, in: transaction) { work in
                work.journal == nil ? [Bucket.Charge(orders)] : []
            }
        }
        guard let work = claimed else { return }
        let journal = work.journal ?? "order of \(work.key)"
        if work.journal == nil {
            let isOurs = try store.write { transaction throws(Failure) in
                try work.record(state: "ordering", journal: journal, in: transaction)
            }
            guard isOurs else { return }
        }
        let key = try store.keys.seal([1, 2, 3], for: StoredCertificate.sealingPlace(work.key, "p256"))
        let certificate = StoredCertificate(
            name: work.key, keyKind: "p256", chain: journal, issuer: "Test CA", sealedKey: key, notBefore: 0,
            notAfter: 1,
            renewAt: 0)
        _ = try store.write(isRepeatable: true) { transaction throws(Failure) in
            guard try work.finish(in: transaction) else { return false }
            try certificate.save(in: transaction)
            return true
        }
    }

    private func hasWork(_ store: inout Store) throws -> Bool {
        let rows = try store.read { transaction throws(Failure) in try transaction.query("select key from work") }
        return !rows.isEmpty
    }

    private func addOrder(_ key: String, _ store: inout Store) throws {
        try store.write { transaction throws(Failure) in
            try Work.add("order", key, state: "queued", due: try transaction.now(), in: transaction)
        }
    }

    private func claimOrder(_ key: String, by holder: String, _ store: inout Store) throws -> Work {
        try addOrder(key, &store)
        let work = try store.write { transaction throws(Failure) in try Work.claim("order", by: holder, in: transaction)
        }
        return try #require(work)
    }
}

extension TestDatabase {
    func store() throws -> Store { try store(Store.tables + CertificateWork.tables) }
}

extension Store {
    init(_ connection: consuming SQLConnection, keys: SealingKeys) throws(DatabaseError) {
        try self.init(connection, keys: keys, schema: Schema(Store.tables + CertificateWork.tables))
    }

    init(_ location: DatabaseLocation, keys: SealingKeys) throws(DatabaseError) {
        try self.init(SQLConnection(location), keys: keys)
    }
}
