// The operations in which SQLite and PostgreSQL differ. Everything else (retries, rows, migrations) is common code on top of them.

public enum DatabaseLocation: Hashable, Sendable {
    /// The path of a SQLite file, which is created if it does not exist.
    case sqlite(path: String)
    /// `postgresql://user:password@host:port/name?sslmode=verify-full`, as libpq reads it.
    case postgreSQL(uri: String)

    /// Reads the text of a setting.
    public init(_ text: String) {
        let isURI = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
        self = isURI ? .postgreSQL(uri: text) : .sqlite(path: text)
    }

    /// For messages before the engine knows a better name: the path, or host and port, never the user or the password. Nil for a URI
    /// in which a part of the password might be taken for the host, because the password has an unescaped `@`, `/` or `?`.
    var name: String? {
        switch self {
        case .sqlite(let path): return path
        case .postgreSQL(let uri):
            let rest = uri.firstRange(of: "://").map { uri[$0.upperBound...] } ?? uri[...]
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count <= 2, !rest[authority.endIndex...].contains("@") else { return nil }
            // Without a user, a forgotten host may have left the password in its place.
            return parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : "postgresql"
        }
    }
}

/// The SQL dialect of an engine, for statements that differ between the two.
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

    /// The statement in this dialect: PostgreSQL writes `$1` for the first `?`. A `?` between single quotes is text.
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

/// The time limits of a connection.
public struct ConnectionLimits: Sendable {
    /// How long a statement waits for a lock: longer than any transaction of this program takes.
    public var lockWaitMilliseconds: Int32 = 5_000
    /// How long PostgreSQL may work on one statement.
    public var statementMilliseconds: Int32 = 30_000
    /// How long connecting may take, for all addresses of the host together.
    public var connectMilliseconds: Int32 = 10_000
    /// How long a transaction is retried after temporary failures.
    public var retryMilliseconds: Int64 = 10_000

    public init() {}

    /// For a command that shows what there is: a person waits for it, or a monitor.
    public static let glance: ConnectionLimits = {
        var limits = ConnectionLimits()
        (limits.lockWaitMilliseconds, limits.retryMilliseconds) = (500, 0)
        (limits.connectMilliseconds, limits.statementMilliseconds) = (900, 5_000)
        return limits
    }()
}

enum TransactionKind: Sendable {
    /// Sees one consistent state of the database and cannot change it.
    case read
    case write
}

/// One connection of an engine. Used by one thread at a time.
protocol SQLEngine: AnyObject {
    var dialect: Dialect { get }
    /// For messages: a path, or host and port.
    var location: String { get }

    /// Starts a transaction, over a new connection if the last one was lost.
    func begin(_ kind: TransactionKind) throws(DatabaseError)
    func commit() throws(DatabaseError)
    /// Rolls the transaction back, if there is one. Failures are ignored, because the engine then rolls back by itself.
    func rollback()

    /// - Parameter sql: in the engine's own dialect.
    func run(_ sql: String, _ values: [Value]) throws(DatabaseError) -> StatementResult
}

struct StatementResult {
    var rows: [Row]
    /// How many rows were inserted, updated or deleted.
    var changes: Int
}

/// The library of an engine, which is opened at run time: why it cannot be used.
struct RuntimeLibrary {
    /// For messages.
    let title: String
    /// The file that the loader looks for.
    let name: String
    /// Where it is found, by distribution.
    let packages: String
    /// The oldest version that has all functions.
    let version: String

    var tooOld: DatabaseError { DatabaseError(.tooOld, "\(title) is too old; install version \(version) or later") }

    /// - Parameter failure: what the loader says; null if the library has been opened.
    func check(_ failure: UnsafePointer<CChar>?) throws(DatabaseError) {
        guard let failure = unsafe failure else { return }
        let reason = unsafe String(cString: failure)
        if reason.contains("undefined symbol") { throw tooOld }
        // dlopen says the same when a library that this one needs is missing.
        if reason.hasPrefix("\(name): cannot open shared object file: No such file") {
            throw DatabaseError(.libraryMissing, "\(title) is not installed; install it (\(packages))")
        }
        throw DatabaseError(.libraryMissing, "\(title) cannot be opened: \(reason); install it again (\(packages))")
    }
}
