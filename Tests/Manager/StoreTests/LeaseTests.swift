// Leases when the database's clock was wrong. Holders and epochs are in `SharedStoreTests`.

import Database
import Testing

@testable import DatabaseSupport
@testable import Store

struct LeaseTests {
    /// By how much the clock was ahead when the lease of a minute was taken, and whether another node gets it.
    @Test(
        arguments: TestEngine.available,
        [
            (365 * 86_400_000, true), (65_000, true), (59_000, false), (0, false), (-55_000, false), (-61_000, true),
            (-365 * 86_400_000, true),
        ])
    func `a clock that was wrong by more than the lease does not keep it`(
        engine: TestEngine, change: (milliseconds: Int64, isTaken: Bool)
    ) throws {
        var store = try TestDatabase(engine).store()
        let isTaken = try store.write { transaction throws(DatabaseError) in
            _ = try Lease.take("sweep", by: "a", milliseconds: 60_000, in: transaction)
            try transaction.execute("update lease set until = until + ?", change.milliseconds)
            return try Lease.take("sweep", by: "b", milliseconds: 60_000, in: transaction)
        }
        #expect(isTaken == change.isTaken)
    }
}
