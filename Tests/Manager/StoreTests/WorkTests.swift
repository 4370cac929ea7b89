// Work after crashes and with wrong clocks. Claims and their fences are in `SharedStoreTests`.

import Database
import Testing

@testable import DatabaseSupport
@testable import Store

struct WorkTests {
    private static let year: Int64 = 365 * 86_400_000
    private static let bucket = Bucket(scope: "a", subject: "b", capacity: 3, fillMilliseconds: 604_800_000)

    private static func claim(by holder: String, in transaction: borrowing Transaction) throws(DatabaseError) -> Work? {
        try Work.claim("order", by: holder, in: transaction) { _ in [Bucket.Charge(bucket)] }
    }

    private static func add(_ key: String, in transaction: borrowing Transaction) throws(DatabaseError) {
        try Work.add("order", key, state: "queued", due: try transaction.now(), in: transaction)
    }

    /// The tokens that two orders have left.
    private static func tokens(in transaction: borrowing Transaction) throws(DatabaseError) -> Int {
        let tokens: Double = try transaction.query("select tokens from bucket")[0][0]
        return Int(tokens.rounded())
    }

    @Test(arguments: TestEngine.available, [true, false])
    func `work whose holder crashed takes no more tokens`(engine: TestEngine, isKnown: Bool) throws {
        var store = try TestDatabase(engine).store()
        let (again, tokens) = try store.write { transaction throws(DatabaseError) in
            try Self.add("one", in: transaction)
            _ = try Self.claim(by: "node/1", in: transaction)
            if isKnown {
                try Work.freeClaims(ofHolders: "node/", in: transaction)
            } else {
                try transaction.execute("update work set until = 1, due = 1")
            }
            return (try Self.claim(by: "node/2", in: transaction), try Self.tokens(in: transaction))
        }
        #expect(again?.isTakenOver == true && tokens == 2)
        // Work that was released in order takes them again.
        let (third, left) = try store.write { transaction throws(DatabaseError) in
            _ = try again?.postpone(to: 1, state: "queued", problem: nil, tries: 0, in: transaction)
            return (try Self.claim(by: "node/3", in: transaction), try Self.tokens(in: transaction))
        }
        #expect(third?.isTakenOver == false && left == 1)
    }

    /// Work that was written with a wrong clock, as it is in the table.
    static let wrongTimes = [
        "due = due + \(year)",
        "due = due + \(year), holder = 'a', until = due + \(year), attempt = 1",
        // It was added again meanwhile.
        "holder = 'a', until = due + \(year), attempt = 1",
        "due = due - \(year), holder = 'a', until = due - \(year), attempt = 1",
    ]

    @Test(arguments: TestEngine.available, wrongTimes)
    func `a clock that was wrong by a year delays nothing`(engine: TestEngine, change: String) throws {
        var store = try TestDatabase(engine).store()
        let key = try store.write { transaction throws(DatabaseError) in
            try Self.add("one", in: transaction)
            try transaction.execute("update work set \(change)")
            let claimed = try Self.claim(by: "b", in: transaction)
            if let claimed { return Optional(claimed.key) }
            // A claim is of this moment at the latest.
            try transaction.execute("update work set due = due - 600000, until = until - 600000")
            return try Self.claim(by: "b", in: transaction)?.key
        }
        #expect(key == "one")
    }

    @Test(arguments: TestEngine.available) func `an authority may ask to wait for eight days`(engine: TestEngine) throws
    {
        var store = try TestDatabase(engine).store()
        let wait = try store.write { transaction throws(DatabaseError) -> Int64 in
            let due = try transaction.now() + 8 * 86_400_000
            try Work.add("order", "one", state: "limited", due: due, in: transaction)
            let claimed = try Self.claim(by: "b", in: transaction)
            #expect(claimed == nil)
            let stored: Int64 = try transaction.query("select due from work")[0][0]
            return due - stored
        }
        #expect(wait == 0)
    }

    @Test(arguments: TestEngine.available)
    func `work that is added again without its tenant keeps its turn`(engine: TestEngine) throws {
        var store = try TestDatabase(engine).store()
        let turn = try store.write { transaction throws(DatabaseError) -> Int64 in
            let now = try transaction.now()
            for key in ["one", "two", "three"] {
                try Work.add("order", key, tenant: "a/", state: "queued", due: now + 1_000, in: transaction)
            }
            try Work.add("order", "three", state: "queued", due: now, in: transaction)
            return try transaction.query("select turn from work where key = 'three'")[0][0]
        }
        #expect(turn == -2)
    }

    @Test(arguments: TestEngine.available)
    func `many new hosts of a tenant do not stop the looks at another one's DNS`(engine: TestEngine) throws {
        var store = try TestDatabase(engine).store()
        let keys = try store.write { transaction throws(DatabaseError) -> [String] in
            let now = try transaction.now()
            let waiting = "waiting-dns"
            for number in 0..<20 {
                try Work.add(
                    "host", "h\(number)", tenant: "a/", state: waiting, due: now - 1,
                    priority: 1, in: transaction)
            }
            try Work.add(
                "host", "waits", tenant: "b/", state: waiting, due: now,
                priority: 1, in: transaction)
            var keys: [String] = []
            while keys.count < 3, let work = try Work.claim("host", by: "c", in: transaction) {
                keys.append(work.key)
            }
            return keys
        }
        #expect(keys.contains("waits"), "\(keys)")
    }

    /// One tenant has many hosts. Others with a single host have so many of them that some work is always due.
    @Test(arguments: TestEngine.available, [true, false])
    func `a tenant with much work has its turn although others always have some`(
        engine: TestEngine, goesByAge: Bool
    ) throws {
        var store = try TestDatabase(engine).store()
        let (hosts, claims) = (12, 60)
        let done = try store.write { transaction throws(DatabaseError) -> [String] in
            let now = try transaction.now()
            for number in 0..<hosts {
                try Work.add(
                    "look", "large\(number)", tenant: "a/", state: "unknown", due: now - 1_000, in: transaction)
            }
            // More important work comes first, and what is not due never.
            try Work.add(
                "look", "soon", tenant: "c/", state: "unknown", due: now + 60_000, priority: 2, in: transaction)
            try Work.add("look", "first", tenant: "c/", state: "unknown", due: now, priority: 1, in: transaction)
            var keys: [String] = []
            for number in 0..<claims {
                try Work.add(
                    "look", "small\(number)", tenant: "b\(number)/", state: "unknown", due: now - 100, in: transaction)
                let byAge = goesByAge && number.isMultiple(of: Work.ageInterval)
                guard let work = try Work.claim("look", by: "n", byAge: byAge, in: transaction) else { break }
                keys.append(work.key)
                _ = try work.finish(in: transaction)
            }
            return keys
        }
        #expect(done.count == claims && done.first == "first" && !done.contains("soon"))
        #expect(done.count { $0.hasPrefix("large") } == (goesByAge ? hosts : 1))
    }
}
