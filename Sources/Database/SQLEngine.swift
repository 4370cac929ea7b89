// What an engine does for a connection: the few verbs in which SQLite and PostgreSQL differ. Everything else (retries,
// rows, migrations) is written once, above it.

/// Where a database is.
public enum DatabaseLocation: Hashable, Sendable {
    /// The path of a SQLite file, which is made if it does not exist.
    case sqlite(path: String)
    /// `postgresql://user:password@host:port/name?sslmode=verify-full`, as libpq reads it.
    case postgreSQL(uri: String)

    /// The text of a setting.
    public init(_ text: String) {
        let isURI = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
        self = isURI ? .postgreSQL(uri: text) : .sqlite(path: text)
    }
}

/// Which SQL an engine speaks, where one text does not do for both.
public enum Dialect: Sendable, CaseIterable {
    case sqlite
    case postgreSQL

    /// The type of a column for bytes.
    public var blob: String { self == .sqlite ? "blob" : "bytea" }

    /// Milliseconds since 1970 by the database's clock.
    public var now: String {
        switch self {
        case .sqlite: "cast(round((julianday('now') - 2440587.5) * 86400000) as integer)"
        case .postgreSQL: "cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)"
        }
    }

    /// The statement in this dialect: parameters are `?` in ours, `$1` in PostgreSQL's. A `?` between single quotes is
    /// text.
    func translated(_ sql: String) -> String {
        guard self == .postgreSQL else { return sql }
        var (isQuoted, count) = (false, 0)
        var translation = ""
        for character in sql {
            if character == "'" { isQuoted.toggle() }
            if character == "?" && !isQuoted {
                count += 1
                translation += "$\(count)"
            } else {
                translation.append(character)
            }
        }
        return translation
    }
}

/// How much patience a connection has.
public struct ConnectionLimits: Sendable {
    /// How long a statement waits for what another transaction holds: longer than any transaction of ours takes.
    public var lockWaitMilliseconds: Int32 = 5_000
    /// How long PostgreSQL may work on one statement.
    public var statementMilliseconds: Int32 = 30_000
    /// How long making a connection may take, over all addresses of the host.
    public var connectMilliseconds: Int32 = 10_000
    /// For how long a transaction is run again after failures that pass.
    public var retryMilliseconds: Int64 = 10_000

    public init() {}
}

enum TransactionKind: Sendable {
    /// Sees one state of the database, and cannot change it.
    case read
    case write
}

/// One connection of an engine. Used by one thread at a time.
protocol SQLEngine: AnyObject {
    var dialect: Dialect { get }
    /// For messages: a path, or host and port.
    var location: String { get }

    /// Starts a transaction, over a new connection where the last one is lost.
    func begin(_ kind: TransactionKind) throws(DatabaseError)
    func commit() throws(DatabaseError)
    /// Undoes the transaction if there is one. Whatever fails here, the engine has undone it.
    func rollback()

    func prepare(_ sql: String) throws(DatabaseError) -> SQLStatement
    func run(_ statement: borrowing SQLStatement, _ values: [Value]) throws(DatabaseError) -> StatementResult
}

/// A statement that can be run several times, with other values, while its transaction lasts.
public struct SQLStatement: ~Copyable {
    /// In the engine's own dialect.
    let sql: String
    /// PostgreSQL has none: behind a pooler, nothing outlasts a statement but the transaction.
    let prepared: SQLiteStatement?

    init(sql: String, prepared: consuming SQLiteStatement? = nil) {
        self.sql = sql
        self.prepared = prepared
    }
}

struct StatementResult {
    var rows: [Row]
    /// How many rows were inserted, updated or deleted.
    var changes: Int
}
