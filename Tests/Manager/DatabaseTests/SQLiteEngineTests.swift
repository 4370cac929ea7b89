// Errors of SQLite files that cannot be used, and of missing or outdated libraries.

import Foundation
import Glibc
import Testing

@testable import Database
@testable import DatabaseSupport

struct SQLiteEngineTests {
    private let database: TestDatabase
    private var path: String { "\(database.folder)/test.db" }

    init() throws { database = try TestDatabase(.sqlite) }

    @Test func `names the package of a missing library`() throws {
        let failure = #expect(throws: DatabaseError.self) {
            try SQLiteEngine(path: path, limits: .impatient, library: "libnone.so.0")
        }
        #expect(failure?.cause == .libraryMissing)
        #expect(
            failure?.description == "cannot use the database: SQLite's library libnone.so.0 is not installed; "
                + "install it (Debian: apt-get install libsqlite3-0; Fedora: sqlite-libs; Alpine: sqlite-libs)")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `says why a library that is there cannot be opened`() throws {
        let broken = "\(path).so"
        try "no library".write(toFile: broken, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: broken) }
        let failure = #expect(throws: DatabaseError.self) {
            try SQLiteEngine(path: path, limits: .impatient, library: broken)
        }
        #expect(failure?.cause == .libraryMissing)
        #expect(failure?.detail.hasPrefix("SQLite's library \(broken) cannot be opened: \(broken): ") == true)
        #expect(failure?.detail.contains("; install it again (Debian: apt-get install libsqlite3-0") == true)
    }

    @Test func `rejects a library that lacks a function`() throws {
        // Any installed library except SQLite's.
        let failure = #expect(throws: DatabaseError.self) {
            try SQLiteEngine(path: path, limits: .impatient, library: "libc.so.6")
        }
        #expect(failure?.cause == .tooOld)
    }

    @Test func `does not go on with a file that was deleted or replaced, until it is back`() throws {
        var connection = try database.connect()
        try fill(&connection)
        func count() throws -> Int64 {
            try connection.read { transaction throws(DatabaseError) in
                try transaction.query("select count(*) from filling")[0][0]
            }
        }
        let before = try count()
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).away")
        for other in [nil, "another"] {
            if let other { try other.write(toFile: path, atomically: false, encoding: .utf8) }
            let failure = #expect(throws: DatabaseError.self) {
                try connection.write { transaction throws(DatabaseError) in
                    try transaction.execute("delete from filling")
                }
            }
            #expect(failure?.cause == .fileGone)
            #expect(throws: DatabaseError.self) { try count() }
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: "\(path).away", toPath: path)
        #expect(try count() == before)
    }

    @Test func `creates a file that only its owner can read, with a log and full synchronization`() throws {
        var connection = try database.connect()
        try fill(&connection)
        let settings = try connection.read { transaction throws(DatabaseError) in
            try ["journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint"].map {
                name throws(DatabaseError) in
                try transaction.query("pragma \(name)")[0]
            }
        }
        #expect(settings == [Row("wal"), Row(2 as Int64), Row(1 as Int64), Row(100 as Int64)])
        for file in [path, "\(path)-wal"] {
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(file)")
        }
    }

    @Test func `rejects a file that is not a database`() throws {
        try String(repeating: "not a database ", count: 1000).write(toFile: path, atomically: true, encoding: .utf8)
        let failure = #expect(throws: DatabaseError.self) { _ = try database.connect() }
        #expect(failure?.cause == .corrupt)
        #expect(
            failure?.description
                == "cannot use the database \(path): file is not a database; keep a copy and restore a backup")
    }

    /// What another program or a disk did to a database with some rows.
    struct BadInput: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var cause: DatabaseError.Cause
        /// The whole message, with PATH for the path.
        var message: String
        /// What it returns is kept until the database has been used.
        var damage: @Sendable (String) throws -> AnyObject?
    }

    private static let malformed =
        "cannot use the database PATH: database disk image is malformed; keep a copy and restore a backup"
    private static let readOnly =
        "cannot write to the database PATH: attempt to write a readonly database; "
        + "let this process's user write to the file and to its folder"

    private static let badInputs = [
        BadInput(testDescription: "a file that ends within its header", cause: .corrupt, message: malformed) { path in
            #expect(truncate(path, 60) == 0)
            return nil
        },
        BadInput(testDescription: "a file without its last pages", cause: .corrupt, message: malformed) { path in
            #expect(truncate(path, 5_000) == 0)
            return nil
        },
        BadInput(testDescription: "pages of garbage", cause: .corrupt, message: malformed) { path in
            let handle = try #require(FileHandle(forUpdatingAtPath: path))
            for page in 1..<UInt64(20) {
                try handle.seek(toOffset: page * 4_096)
                handle.write(Data(repeating: 0xAA, count: 512))
            }
            try handle.close()
            return nil
        },
        BadInput(
            testDescription: "a header of garbage", cause: .corrupt,
            message: "cannot use the database PATH: file is not a database; keep a copy and restore a backup"
        ) { path in
            let handle = try #require(FileHandle(forUpdatingAtPath: path))
            handle.write(Data(repeating: 0xAA, count: 100))
            try handle.close()
            return nil
        },
        BadInput(
            testDescription: "another program holds a lock", cause: .locked,
            message: "cannot write to the database PATH: another process has locked it for several seconds; "
                + "stop that process (fuser)"
        ) { path in
            let other = try SQLiteEngine(path: path, limits: .impatient)
            try other.begin(.write)
            return other
        },
        BadInput(testDescription: "a read-only file", cause: .readOnly, message: readOnly) { path in
            #expect(chmod(path, 0o444) == 0)
            return nil
        },
        BadInput(testDescription: "a read-only folder", cause: .readOnly, message: readOnly) { path in
            #expect(chmod(path, 0o666) == 0 && chmod(String(path.dropLast("/test.db".count)), 0o555) == 0)
            return nil
        },
        BadInput(
            testDescription: "a file of another user", cause: .unreachable,
            message: "cannot open the database PATH: unable to open database file (permission denied); "
                + "check that its folder exists and that this process's user can write to both"
        ) { path in
            #expect(chmod(path, 0o000) == 0)
            return nil
        },
        BadInput(
            testDescription: "tables of a newer program", cause: .newerSchema,
            message:
                "cannot use the database PATH: its tables need a program with schema 2, and this one has schema 1; "
                + "start the newer version of associated"
        ) { path in
            var connection = try SQLConnection(.sqlite(path: path))
            try Schema([
                Migration(version: 1, readerMin: 1) { _ in [] }, Migration(version: 2, readerMin: 2) { _ in [] },
            ])
            .apply(to: &connection)
            return nil
        },
    ]

    @Test(arguments: badInputs) func `says in one line what is wrong and what to do`(input: BadInput) throws {
        do {
            var connection = try database.connect()
            try fill(&connection)
        }
        // The test may run as root, and the database is used as another user.
        #expect(chmod(path, 0o666) == 0 && chmod(database.folder, 0o777) == 0)
        let damage = try input.damage(path)
        defer { chmod(database.folder, 0o755) }
        let found = asOrdinaryUser { () -> DatabaseError? in
            #expect(throws: DatabaseError.self) {
                var connection = try SQLConnection(.sqlite(path: path), limits: .impatient)
                try Schema([Migration(version: 1, readerMin: 1) { _ in [] }]).apply(to: &connection)
                try connection.read { transaction throws(DatabaseError) in
                    _ = try transaction.query("select * from filling")
                }
            }
        }
        withExtendedLifetime(damage) {}
        let failure = try #require(found)
        #expect(failure.cause == input.cause)
        #expect(failure.description == input.message.replacing("PATH", with: path))
    }

    @Test func `reports a full disk and keeps what was committed`() throws {
        var connection = try database.connect()
        let failure = #expect(throws: DatabaseError.self) {
            try connection.write { transaction throws(DatabaseError) in
                _ = try transaction.query("pragma max_page_count = 8")
            }
            try fill(&connection)
        }
        #expect(failure?.cause == .full)
        #expect(
            failure?.description
                == "cannot write to the database \(path): database or disk is full; free space on its disk (df -h)")
        try connection.write { transaction throws(DatabaseError) in
            _ = try transaction.query("pragma max_page_count = 100000")
        }
        try fill(&connection)
    }

    @Test func `reports why a file cannot be created`() throws {
        let failure = #expect(throws: DatabaseError.self) {
            _ = try SQLConnection(.sqlite(path: "\(database.folder)/none/test.db"))
        }
        #expect(failure?.cause == .unreachable)
        #expect(
            failure?.description
                == "cannot open the database \(database.folder)/none/test.db: no such file or directory; "
                + "check that its folder exists and that this process's user can write to both")
    }

    /// Root can write to every file, so this switches the thread's file-system user, which Linux keeps per thread.
    private func asOrdinaryUser<Result>(_ body: () -> Result) -> Result {
        typealias SetUser = @convention(c) (uid_t) -> Int32
        let setUser = unsafeBitCast(dlsym(nil, "setfsuid"), to: SetUser.self)
        guard geteuid() == 0 else { return body() }
        _ = setUser(65534)
        defer { _ = setUser(0) }
        return body()
    }

    private func fill(_ connection: inout SQLConnection) throws {
        try connection.write { transaction throws(DatabaseError) in
            try transaction.execute("create table if not exists filling (bytes blob)")
            for _ in 0..<100 {
                try transaction.execute("insert into filling values (?)", [UInt8](repeating: 1, count: 2000))
            }
        }
    }
}
