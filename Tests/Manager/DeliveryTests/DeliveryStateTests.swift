// What was seen of a copy, and since when.

import Database
import Store
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Delivery

struct DeliveryStateTests {
    @Test(arguments: TestEngine.available) func `a state that stays keeps its beginning`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let found = try store.write { transaction throws(DatabaseError) in
            try Observation.record("shop.example", .apple, state: .absent, detail: "", in: transaction)
            try Observation.record("shop.example", .apple, state: .equal, detail: "", in: transaction)
            try transaction.execute("update observation set since = 1")
            try Observation.record("shop.example", .apple, state: .equal, detail: "", in: transaction)
            return try Observation.load("shop.example", .apple, in: transaction)
        }
        let seen = try #require(found)
        #expect(seen.state == .equal && seen.since == 1 && seen.looked > 1)
    }
}
