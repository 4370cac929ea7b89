// Migrations: applied once and in order, by the first program; a program that is too old is rejected.

import Foundation
import Glibc
import Synchronization
import Testing

@testable import Database
@testable import DatabaseSupport

struct SchemaTests {
    private static let first = Migration(version: 1, readerMin: 1) { _ in
        ["create table thing (name text primary key, old bigint)", "insert into thing values ('a', 1)"]
    }
    /// Expand: programs with schema 1 still work.
    private static let second = Migration(version: 2, readerMin: 1) { _ in ["alter table thing add column new bigint"] }
    /// Contract: programs with schema 1 cannot use it any more.
    private static let third = Migration(version: 3, readerMin: 2) { _ in ["alter table thing drop column old"] }

    @Test(arguments: TestEngine.available) func `applies new migrations once`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        for _ in 0..<2 { try Schema([SchemaTests.first]).apply(to: &connection) }
        for _ in 0..<2 { try Schema([SchemaTests.first, SchemaTests.second]).apply(to: &connection) }
        let rows = try connection.read { transaction throws(DatabaseError) in
            try transaction.query("select name, old, new from thing")
        }
        #expect(rows == [Row("a", 1 as Int64, nil as Int64?)])
    }

    @Test(arguments: TestEngine.available)
    func `an older program works until its tables are removed`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        let (old, middle) = (Schema([SchemaTests.first]), Schema([SchemaTests.first, SchemaTests.second]))
        let new = Schema([SchemaTests.first, SchemaTests.second, SchemaTests.third])
        try old.apply(to: &connection)
        try middle.apply(to: &connection)
        try old.apply(to: &connection)
        try new.apply(to: &connection)
        try middle.apply(to: &connection)
        let failure = #expect(throws: DatabaseError.self) { try old.apply(to: &connection) }
        #expect(failure?.cause == .newerSchema)
        let location = connection.location
        #expect(
            failure?.description == "cannot use the database \(location): its tables need a program with "
                + "schema 2, and this one has schema 1; start the newer version of associated")
        let later = #expect(throws: DatabaseError.self) {
            try connection.read { transaction throws(DatabaseError) in try old.check(transaction) }
        }
        #expect(later?.cause == .newerSchema)
        try connection.read { transaction throws(DatabaseError) in try middle.check(transaction) }
    }

    @Test(arguments: TestEngine.available) func `several programs can start at the same time`(engine: TestEngine) throws
    {
        let database = try TestDatabase(engine)
        let problems = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                var connection = try database.connect()
                try Schema([SchemaTests.first, SchemaTests.second]).apply(to: &connection)
            } catch { problems.withLock { $0.append("\(error)") } }
        }
        #expect(problems.withLock(\.self) == [])
    }

    @Test(arguments: TestEngine.available)
    func `a migration that fails changes nothing, and a killed one is applied by the next program`(engine: TestEngine)
        async throws
    {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        let broken = Migration(version: 1, readerMin: 1) { _ in ["create table thing (n bigint)", "no such statement"] }
        #expect(throws: DatabaseError.self) { try Schema([broken]).apply(to: &connection) }
        let text = database.locationText
        // Creating the table takes 4 calls, the migration 6, checking again 3.
        for call in [1, 3, 4, 5, 7, 8, 9, 10, 11] {
            await #expect(processExitsWith: .signal(SIGKILL)) { [text = text as String, call = call as Int] in
                var doomed = try FaultyEngine(DatabaseLocation(text), .kill, at: call).connection
                try Schema([SchemaTests.first]).apply(to: &doomed)
            }
        }
        try Schema([SchemaTests.first]).apply(to: &connection)
        let count = try connection.read { transaction throws(DatabaseError) in
            try transaction.query("select count(*) from thing")
        }
        #expect(count == [Row(1 as Int64)])
    }
}
