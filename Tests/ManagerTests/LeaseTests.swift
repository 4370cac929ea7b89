// Leases when the database's clock was wrong. Holders and epochs are in `StoreTests`.

import Database
import Testing

@testable import DatabaseSupport
@testable import Manager

struct LeaseTests {
    /// By how much the clock was ahead when the lease was taken, and whether another node gets it.
    @Test(arguments: TestEngine.available, [(365 * 86_400_000, true), (-365 * 86_400_000, true), (0, false)])
    func `a clock that was wrong by a year does not keep a lease`(
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
