// Buckets when the database's clock was wrong. The limits themselves are in `SharedStoreTests`.

import Database
import Testing

@testable import DatabaseSupport
@testable import Store

struct BucketTests {
    private static let year: Int64 = 365 * 86_400_000
    /// One token in a second.
    private static let bucket = Bucket(scope: "a", subject: "b", capacity: 1, fillMilliseconds: 1_000)

    @Test(arguments: TestEngine.available) func `a clock that was a year ahead stops nothing`(engine: TestEngine) throws
    {
        var store = try TestDatabase(engine).store()
        let waits = try store.write { transaction throws(DatabaseError) in
            _ = try Bucket.take([.init(BucketTests.bucket)], in: transaction)?.milliseconds
            try transaction.execute("update bucket set at = at + ?", BucketTests.year)
            var waits = [try Bucket.take([.init(BucketTests.bucket)], in: transaction)?.milliseconds]
            // The refusal has corrected the time, so the bucket fills.
            try transaction.execute("update bucket set at = at - 1000")
            waits.append(try Bucket.take([.init(BucketTests.bucket)], in: transaction)?.milliseconds)
            return waits
        }
        #expect(waits[0] == 1_000 && waits[1] == nil)
    }

    @Test(arguments: TestEngine.available) func `a clock that was a year behind fills a bucket once`(
        engine: TestEngine
    ) throws {
        var store = try TestDatabase(engine).store()
        let waits = try store.write { transaction throws(DatabaseError) in
            _ = try Bucket.take([.init(BucketTests.bucket)], in: transaction)?.milliseconds
            try transaction.execute("update bucket set at = at - ?", BucketTests.year)
            return [
                try Bucket.take([.init(BucketTests.bucket)], in: transaction)?.milliseconds,
                try Bucket.take([.init(BucketTests.bucket)], in: transaction)?.milliseconds,
            ]
        }
        #expect(waits[0] == nil && waits[1] != nil)
    }
}
