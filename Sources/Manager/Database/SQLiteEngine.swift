// A database in one SQLite file, through SQLite's library, which is loaded at run time. A write-ahead log lets readers and
// one writer work at the same time; a commit is on disk when it returns (`synchronous=full`). The file must be on a local
// disk.

import CSQLite
import Glibc
import Posix

@safe final class SQLiteEngine: SQLEngine {
    /// The first version with `returning`, of March 2021.
    static let versionMin: Int32 = 3_035_000

    /// A tenth of the usual pages in the log, so that the file itself is nearly complete: operators copy it.
    private static let settings = [
        "synchronous = full", "foreign_keys = on", "trusted_schema = off", "temp_store = memory",
        "wal_autocheckpoint = 100",
    ]

    let dialect = Dialect.sqlite
    let location: String
    private let library: associated_sqlite
    private let connection: OpaquePointer
    /// Of the file that is open.
    private let identity: FileStatus.Identity?
    /// The compiled statements, by their text: each is run again and again with other values.
    private var statements: [String: SQLiteStatement] = [:]

    /// The program has fewer.
    private static let statementsMax = 128

    init(path: String, limits: ConnectionLimits, library name: String = "libsqlite3.so.0") throws(DatabaseError) {
        location = path
        library = try SQLiteEngine.load(name)
        unsafe connection = try SQLiteEngine.open(path, library)
        identity = try? File.status(path).identity
        _ = unsafe library.busy_timeout(connection, limits.lockWaitMilliseconds)
        for setting in SQLiteEngine.settings { try execute("pragma \(setting)") }
        // Changing the mode fails if the file is not a database, is read-only, or is on a disk without shared memory.
        let mode = try run("pragma journal_mode = wal", []).rows
        guard mode.first?.values == [.text("wal")] else {
            throw DatabaseError(.inputOutput, "its disk does not support a write-ahead log; put it on a local disk")
        }
    }

    deinit {
        // The last connection writes the log into the file, unless a statement keeps it open.
        statements = [:]
        _ = unsafe library.close_v2(connection)
    }

    fileprivate static func load(_ name: String) throws(DatabaseError) -> associated_sqlite {
        var library = associated_sqlite()
        let wanted = RuntimeLibrary(
            title: "SQLite's library \(name)", name: name,
            packages: "Debian: apt-get install libsqlite3-0; Fedora: sqlite-libs; Alpine: sqlite-libs", version: "3.35")
        try unsafe wanted.check(associated_sqlite_load(name, &library))
        if library.libversion_number() < versionMin { throw wanted.tooOld }
        return library
    }

    private static func open(_ path: String, _ library: associated_sqlite) throws(DatabaseError) -> OpaquePointer {
        // SQLite would create a file that every user can read.
        do throws(SystemError) {
            if (try? File.status(path)) == nil {
                _ = try unsafe File.create(path, UnsafeRawBufferPointer(start: nil, count: 0), permissions: 0o600)
            }
        } catch {
            throw DatabaseError(.unreachable, "\(error.reason); \(openingAdvice)")
        }
        var connection: OpaquePointer?
        let code = unsafe library.open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let connection = unsafe connection else {
            let error = unsafe failure(library, connection)
            _ = unsafe library.close_v2(connection)
            throw error
        }
        return unsafe connection
    }

    func begin(_ kind: TransactionKind) throws(DatabaseError) {
        // SQLite would go on with a file that has no name any more.
        var isGone = false
        do throws(FileError) { isGone = try File.status(location).identity != identity } catch {
            isGone = error.isMissing
        }
        if isGone { throw DatabaseError(.fileGone, "its file was deleted or replaced while it is in use") }
        // `immediate`: a transaction that starts as a reader and then writes can fail with a conflict that no waiting resolves.
        try execute("pragma query_only = \(kind == .read); \(kind == .write ? "begin immediate" : "begin")")
    }

    func commit() throws(DatabaseError) { try execute("commit") }

    func rollback() {
        if unsafe library.get_autocommit(connection) == 0 { try? execute("rollback") }
    }

    func run(_ sql: String, _ values: [Value]) throws(DatabaseError) -> StatementResult {
        let statement = try compiled(sql)
        guard statement.parameterCount == values.count else {
            throw DatabaseError(.statement, "\(values.count) values do not match the parameters of: \(sql)")
        }
        statement.bind(values)
        // Resetting a statement returns its failure again, so the failure is read first.
        defer { statement.reset() }
        var rows: [Row] = []
        while true {
            switch statement.step() {
            case SQLITE_ROW: rows.append(statement.row())
            case SQLITE_DONE:
                return unsafe StatementResult(
                    rows: rows, changes: statement.isReading ? 0 : Int(library.changes(connection)))
            default: throw failure()
            }
        }
    }

    private func compiled(_ sql: String) throws(DatabaseError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        var pointer: OpaquePointer?
        guard unsafe library.prepare_v2(connection, sql, -1, &pointer, nil) == SQLITE_OK, let pointer = unsafe pointer
        else { throw failure() }
        let statement = unsafe SQLiteStatement(takingOwnershipOf: pointer, of: library)
        if statements.count >= SQLiteEngine.statementsMax { statements = [:] }
        statements[sql] = statement
        return statement
    }

    private func execute(_ sql: String) throws(DatabaseError) {
        guard unsafe library.exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    private func failure() -> DatabaseError { unsafe SQLiteEngine.failure(library, connection) }

    private static let openingAdvice = "check that its folder exists and that this process's user can write to both"

    /// The failure of the last call on a connection. Without a connection, SQLite was out of memory.
    private static func failure(_ library: associated_sqlite, _ connection: OpaquePointer?) -> DatabaseError {
        guard let connection = unsafe connection else { return DatabaseError(.inputOutput, "out of memory") }
        let message = unsafe library.errmsg(connection).map { unsafe String(cString: $0) } ?? ""
        let number = unsafe library.system_errno(connection)
        let reason = number == 0 ? message : "\(message) (\(SystemError(call: "sqlite", number: number).reason))"
        let userAdvice = "let this process's user write to the file and to its folder"
        // The low byte is the kind of failure; the rest has details.
        switch unsafe library.extended_errcode(connection) & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            return DatabaseError(
                .locked, "another process has locked it for several seconds; stop that process (fuser)")
        case SQLITE_READONLY: return DatabaseError(.readOnly, "\(message); \(userAdvice)")
        case SQLITE_FULL: return DatabaseError(.full, message)
        case SQLITE_IOERR where number == ENOSPC || number == EDQUOT: return DatabaseError(.full, reason)
        case SQLITE_IOERR: return DatabaseError(.inputOutput, reason)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return DatabaseError(.corrupt, message)
        case SQLITE_CANTOPEN: return DatabaseError(.unreachable, "\(reason); \(openingAdvice)")
        case SQLITE_PERM: return DatabaseError(.readOnly, "\(message); \(userAdvice)")
        case SQLITE_NOMEM: return DatabaseError(.inputOutput, "out of memory")
        case SQLITE_CONSTRAINT: return DatabaseError(.constraint, message)
        default: return DatabaseError(.statement, message)
        }
    }
}

/// A compiled statement. SQLite keeps a connection in memory until its last statement is finalized.
@safe final class SQLiteStatement {
    private let statement: OpaquePointer
    private let library: associated_sqlite

    init(takingOwnershipOf statement: OpaquePointer, of library: associated_sqlite) {
        unsafe self.statement = statement
        self.library = library
    }

    deinit { _ = unsafe library.finalize(statement) }

    var parameterCount: Int { unsafe Int(library.bind_parameter_count(statement)) }
    var isReading: Bool { unsafe library.stmt_readonly(statement) != 0 }

    func bind(_ values: [Value]) {
        for (index, value) in zip(Int32(1)..., values) {
            let code = bind(value, at: index)
            precondition(code == SQLITE_OK, "values are bound before a statement runs, one for each parameter")
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        let transient = unsafe associated_sqlite_transient()
        return switch value {
        case .null: unsafe library.bind_null(statement, index)
        case .integer(let number): unsafe library.bind_int64(statement, index, number)
        case .double(let number): unsafe library.bind_double(statement, index, number)
        case .text(let text): unsafe library.bind_text(statement, index, text, Int32(text.utf8.count), transient)
        // An empty array may have a null pointer, which would bind null.
        case .blob(let bytes) where bytes.isEmpty: unsafe library.bind_zeroblob(statement, index, 0)
        case .blob(let bytes): unsafe library.bind_blob(statement, index, bytes, Int32(bytes.count), transient)
        }
    }

    func step() -> Int32 { unsafe library.step(statement) }

    func reset() { _ = unsafe library.reset(statement) }

    func row() -> Row { unsafe Row((0..<library.column_count(statement)).map { column($0) }) }

    private func column(_ index: Int32) -> Value {
        switch unsafe library.column_type(statement, index) {
        case SQLITE_INTEGER: unsafe .integer(library.column_int64(statement, index))
        case SQLITE_FLOAT: unsafe .double(library.column_double(statement, index))
        case SQLITE_TEXT: unsafe .text(String(decoding: bytes(index), as: UTF8.self))
        case SQLITE_BLOB: unsafe .blob(Array(bytes(index)))
        default: .null
        }
    }

    private func bytes(_ index: Int32) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: library.column_blob(statement, index), count: Int(library.column_bytes(statement, index)))
    }
}

extension DatabaseLocation {
    /// Why no SQLite database can be used on this machine, with the package to install; nil if one can.
    public static var sqliteProblem: DatabaseError? {
        do throws(DatabaseError) { _ = try SQLiteEngine.load("libsqlite3.so.0") } catch { return error }
        return nil
    }
}
