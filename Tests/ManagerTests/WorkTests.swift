// Work after crashes and with wrong clocks. Claims and their fences are in `StoreTests`.

import Database
import Testing

@testable import DatabaseSupport
@testable import Manager

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
}
