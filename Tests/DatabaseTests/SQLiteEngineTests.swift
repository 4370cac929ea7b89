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

    @Test func `rejects a library that lacks a function`() throws {
        // Any installed library except SQLite's.
        let failure = #expect(throws: DatabaseError.self) {
            try SQLiteEngine(path: path, limits: .impatient, library: "libc.so.6")
        }
        #expect(failure?.cause == .tooOld)
    }

    @Test func `creates a file that only its owner can read, with a log and full synchronization`() throws {
        var connection = try database.connect()
        try fill(&connection)
        let settings = try connection.read { transaction throws(DatabaseError) in
            try ["journal_mode", "synchronous", "foreign_keys"].map { name throws(DatabaseError) in
                try transaction.query("pragma \(name)")[0]
            }
        }
        #expect(settings == [Row("wal"), Row(2 as Int64), Row(1 as Int64)])
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

    @Test func `notices a damaged page`() throws {
        do {
            var connection = try database.connect()
            try fill(&connection)
        }
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        for page in 1..<UInt64(20) {
            try handle.seek(toOffset: page * 4096)
            handle.write(Data(repeating: 0xAA, count: 512))
        }
        try handle.close()
        let failure = #expect(throws: DatabaseError.self) {
            var connection = try database.connect()
            try connection.read { transaction throws(DatabaseError) in
                _ = try transaction.query("select * from filling")
            }
        }
        #expect(failure?.cause == .corrupt)
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
                == "cannot open the database \(database.folder)/none/test.db: no such file or directory")
    }

    @Test func `rejects a read-only file`() throws {
        do { _ = try database.connect() }
        chmod(path, 0o444)
        chmod(database.folder, 0o555)
        defer { chmod(database.folder, 0o755) }
        let failure = asOrdinaryUser {
            #expect(throws: DatabaseError.self) {
                var connection = try SQLConnection(.sqlite(path: path))
                try connection.write { transaction throws(DatabaseError) in
                    try transaction.execute("create table t (n bigint)")
                }
            }
        }
        #expect(failure?.cause == .readOnly || failure?.cause == .unreachable, "\(String(describing: failure))")
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
