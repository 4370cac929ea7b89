// The guarantees of a connection on both engines.

import Foundation
import Glibc
import Synchronization
import Testing

@testable import Database
@testable import DatabaseSupport

struct SQLConnectionTests {
    typealias Failure = DatabaseError

    @Test(arguments: TestEngine.available) func `keeps each kind of value`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        let (text, bytes) = ("Grüße, ? und '\"", [0, 255, 39] as [UInt8])
        let rows = try connection.write { transaction throws(Failure) in
            try transaction.execute(
                "create table kept (i bigint, d double precision, t text, b \(transaction.dialect.blob), n bigint)")
            let count = try transaction.execute(
                "insert into kept values (?, ?, ?, ?, ?)", Int64.min, 0.1, text, bytes, nil as Int64?)
            #expect(count == 1)
            try transaction.execute(
                "insert into kept values (?, ?, ?, ?, ?)", Int64.max, -1.5e300, "", [UInt8](), 7 as Int64)
            return try transaction.query("select i, d, t, b, n, '?' from kept where t <> ? order by i", "other")
        }
        #expect(
            rows.map(\.values) == [
                [.integer(.min), .double(0.1), .text(text), .blob(bytes), .null, .text("?")],
                [.integer(.max), .double(-1.5e300), .text(""), .blob([]), .integer(7), .text("?")],
            ])
        let number: Int64? = try rows[0][4]
        #expect(number == nil)
        #expect(throws: Failure.self) { let _: String = try rows[0][0] }
    }

    @Test(arguments: TestEngine.available) func `all statements of a transaction take effect, or none`(
        engine: TestEngine
    ) throws {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        try makeCounter(&connection)
        #expect(throws: Failure.self) {
            try connection.write { transaction throws(Failure) in
                try transaction.execute("update counter set n = 5")
                try transaction.execute("insert into counter values ('a', 1)")
            }
        }
        // A body cannot commit a failed transaction by catching the error.
        let failure = #expect(throws: Failure.self) {
            try connection.write { transaction throws(Failure) in
                try transaction.execute("update counter set n = 6")
                do { try transaction.execute("insert into counter values ('a', 1)") } catch {}
            }
        }
        #expect(failure?.cause == .constraint)
        try expectCounter(0, &connection)
    }

    @Test(arguments: TestEngine.available) func `a reader sees one consistent state and changes nothing`(
        engine: TestEngine
    ) throws {
        let database = try TestDatabase(engine)
        var reader = try database.connect()
        var writer = try database.connect()
        try makeCounter(&writer)
        let seen = try reader.read { transaction throws(Failure) in
            let before = try transaction.query("select n from counter")
            try writer.write { other throws(Failure) in try other.execute("update counter set n = n + 1") }
            return (before, try transaction.query("select n from counter"))
        }
        #expect(seen.0 == seen.1)
        try expectCounter(1, &reader)
        let failure = #expect(throws: Failure.self) {
            try reader.read { transaction throws(Failure) in try transaction.execute("update counter set n = 9") }
        }
        #expect(failure?.cause == .readOnly)
        try reader.write { transaction throws(Failure) in try transaction.execute("update counter set n = 2") }
    }

    @Test(arguments: TestEngine.available) func `two concurrent writers lose no change`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        try makeCounter(&connection)
        let problems = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            do {
                var connection = try database.connect()
                for _ in 0..<50 {
                    try connection.write { transaction throws(Failure) in
                        let n: Int64 = try transaction.lock("select n from counter where name = 'a'")[0][0]
                        try transaction.execute("update counter set n = ?", n + 1)
                    }
                }
            } catch { problems.withLock { $0.append("\(error)") } }
        }
        #expect(problems.withLock(\.self) == [])
        try expectCounter(100, &connection)
    }

    @Test(arguments: TestEngine.available)
    func `runs a transaction again after a conflict, and after a lost connection`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        try makeCounter(&connection)
        for cause in [DatabaseError.Cause.serializationFailure, .connectionLost, .locked] {
            // begin, update, commit: the update fails after it has taken effect.
            var faulty = try FaultyEngine(database.location, .fail(cause), at: 2).connection
            try faulty.write { transaction throws(Failure) in try transaction.execute("update counter set n = n + 1") }
        }
        try expectCounter(3, &connection)
    }

    @Test(arguments: TestEngine.available)
    func `reports a connection lost during the commit unless the transaction may be repeated`(engine: TestEngine) throws
    {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        try makeCounter(&connection)
        var faulty = try FaultyEngine(database.location, .fail(.commitUnknown), at: 3).connection
        let failure = #expect(throws: Failure.self) {
            try faulty.write { transaction throws(Failure) in try transaction.execute("update counter set n = n + 1") }
        }
        #expect(failure?.cause == .commitUnknown)
        try expectCounter(1, &connection)
        faulty = try FaultyEngine(database.location, .fail(.commitUnknown), at: 3).connection
        try faulty.write(isRepeatable: true) { transaction throws(Failure) in
            try transaction.execute("update counter set n = 7")
        }
        try expectCounter(7, &connection)
    }

    @Test(arguments: TestEngine.available)
    func `a killed writer leaves no change and no lock`(engine: TestEngine) async throws {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        try makeCounter(&connection)
        let text = database.locationText
        // begin, update, commit: killed before each of them, and after the last.
        for call in 1...3 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [text = text as String, call = call as Int] in
                var doomed = try FaultyEngine(DatabaseLocation(text), .kill, at: call).connection
                try doomed.write { transaction throws(DatabaseError) in
                    try transaction.execute("update counter set n = n + 1")
                }
            }
            try expectCounter(0, &connection)
            try connection.write { transaction throws(Failure) in try transaction.execute("update counter set n = 0") }
        }
    }

    @Test(arguments: TestEngine.available) func `claims only rows that no other transaction has locked`(
        engine: TestEngine
    )
        throws
    {
        let database = try TestDatabase(engine)
        var first = try database.connect()
        var second = try database.connect(.impatient)
        try makeCounter(&first)
        try first.write { transaction throws(Failure) in try transaction.execute("insert into counter values ('b', 0)")
        }
        let select = "select name from counter order by name limit 1"
        try first.write { transaction throws(Failure) in
            let claimed = try transaction.claim(select)
            #expect(claimed == [Row("a")])
            do throws(Failure) {
                let other = try second.write { transaction throws(Failure) in try transaction.claim(select) }
                #expect(other == [Row("b")])
            } catch {
                // SQLite has one writer at a time.
                #expect(error.cause == .locked && engine == .sqlite)
            }
        }
    }

    @Test(arguments: TestEngine.available) func `reports a lock that is held too long`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var first = try database.connect()
        var second = try database.connect(.impatient)
        try makeCounter(&first)
        try first.write { transaction throws(Failure) in
            try transaction.execute("update counter set n = 1")
            let failure = #expect(throws: Failure.self) {
                try second.write { other throws(Failure) in try other.execute("update counter set n = 2") }
            }
            #expect(failure?.cause == .locked)
            let location = second.location
            #expect(failure?.location == location)
        }
    }

    @Test(arguments: TestEngine.available) func `runs a statement many times, and many statements`(engine: TestEngine)
        throws
    {
        let database = try TestDatabase(engine)
        var connection = try database.connect()
        try makeCounter(&connection)
        let count = try connection.write { transaction throws(Failure) in
            for n in 0..<100 { try transaction.execute("insert into counter values (?, ?)", "row \(n)", Int64(n)) }
            for n in 0..<300 { try transaction.execute("update counter set n = ? where name = 'row \(n)'", Int64(n)) }
            return try transaction.query("select count(*) from counter")
        }
        #expect(count == [Row(101 as Int64)])
    }

    @Test(arguments: TestEngine.available) func `uses the time of the database's clock`(engine: TestEngine) throws {
        var connection = try TestDatabase(engine).connect()
        let now = try connection.read { transaction throws(Failure) in try transaction.now() }
        #expect(abs(Double(now) / 1000 - Date().timeIntervalSince1970) < 60)
    }

    private func makeCounter(_ connection: inout SQLConnection) throws {
        try connection.write { transaction throws(Failure) in
            try transaction.execute("create table counter (name text primary key, n bigint not null)")
            try transaction.execute("insert into counter values ('a', 0)")
        }
    }

    private func expectCounter(_ wanted: Int64, _ connection: inout SQLConnection) throws {
        let rows = try connection.read { transaction throws(Failure) in
            try transaction.query("select n from counter where name = 'a'")
        }
        #expect(rows == [Row(wanted)])
    }
}

extension ConnectionLimits {
    /// For tests of time-outs.
    static let impatient = {
        var limits = ConnectionLimits()
        (limits.lockWaitMilliseconds, limits.retryMilliseconds, limits.connectMilliseconds) = (50, 0, 1_000)
        return limits
    }()
}

extension Row {
    /// A row of these texts or numbers.
    init(_ values: any ColumnType...) { self.init(values.map(\.value)) }
}
