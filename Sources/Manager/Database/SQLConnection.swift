// A connection to a database of either engine. All work is done in transactions. A transaction is a closure, so that it can
// be run again after a temporary failure: a lock, a conflict with another transaction, a lost connection. Side effects of the
// closure outside the database must therefore be repeatable.

import Glibc
import Posix

/// A connection, used by one thread at a time.
public struct SQLConnection: ~Copyable {
    private let engine: any SQLEngine
    private let limits: ConnectionLimits

    /// Opens the database; creates a SQLite file if it does not exist.
    public init(_ location: DatabaseLocation, limits: ConnectionLimits = ConnectionLimits()) throws(DatabaseError) {
        switch location {
        case .sqlite(let path):
            do throws(DatabaseError) { engine = try SQLiteEngine(path: path, limits: limits) } catch {
                throw error.at(path)
            }
        case .postgreSQL(let uri): engine = try PostgreSQLEngine(uri: uri, limits: limits)
        }
        self.limits = limits
    }

    init(engine: any SQLEngine, limits: ConnectionLimits) {
        self.engine = engine
        self.limits = limits
    }

    /// For messages: the path of the file, or host and port.
    public var location: String { engine.location }

    /// Runs statements that see one consistent state of the database and change nothing.
    public mutating func read<Result>(
        _ body: (borrowing Transaction) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        try repeatedly(.read, isRepeatable: true, body)
    }

    /// Runs statements that take effect together or not at all. On SQLite there is one such transaction at a time. On
    /// PostgreSQL there can be several, and each statement sees what is committed by then (`read committed`), so rows that a
    /// decision depends on must be locked.
    /// - Parameter isRepeatable: whether the body may run again after it has taken effect. If so, it does when the connection
    ///   is lost during the commit; otherwise that is the error `commitUnknown`.
    @discardableResult
    public mutating func write<Result>(
        isRepeatable: Bool = false, _ body: (borrowing Transaction) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        try repeatedly(.write, isRepeatable: isRepeatable, body)
    }

    private func repeatedly<Result>(
        _ kind: TransactionKind, isRepeatable: Bool, _ body: (borrowing Transaction) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        let end = Clock.monotonicMilliseconds() + limits.retryMilliseconds
        var pauseMilliseconds: Int32 = 5
        while true {
            do throws(DatabaseError) {
                return try once(kind, body)
            } catch {
                guard error.isTemporary(isRepeatable: isRepeatable), Clock.monotonicMilliseconds() < end else {
                    throw error.at(engine.location)
                }
            }
            // A random pause, so that transactions that were in conflict do not start at the same moment again.
            poll(nil, 0, .random(in: 1...pauseMilliseconds))
            pauseMilliseconds = min(500, pauseMilliseconds * 2)
        }
    }

    private func once<Result>(
        _ kind: TransactionKind, _ body: (borrowing Transaction) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        let transaction = Transaction(engine)
        do throws(DatabaseError) {
            // It may fail with a transaction open, which would fail everything that follows on the connection.
            try engine.begin(kind)
            let result = try body(transaction)
            // If the body caught an error, PostgreSQL would roll back at the commit without reporting it.
            if let failure = transaction.outcome.failure { throw failure }
            try engine.commit()
            return result
        } catch {
            engine.rollback()
            throw error
        }
    }
}

extension DatabaseError {
    /// Whether a transaction that failed in this way can be run again and may then succeed.
    fileprivate func isTemporary(isRepeatable: Bool) -> Bool {
        switch cause {
        // The database could be opened before, so it will probably come back.
        case .locked, .serializationFailure, .connectionLost, .unreachable: true
        case .commitUnknown: isRepeatable
        default: false
        }
    }
}

/// An open transaction. It ends when the closure that borrows it returns.
public struct Transaction: ~Copyable {
    final class Outcome {
        var failure: DatabaseError?
    }

    private let engine: any SQLEngine
    let outcome = Outcome()

    fileprivate init(_ engine: any SQLEngine) { self.engine = engine }

    public var dialect: Dialect { engine.dialect }

    /// Runs a statement.
    /// - Returns: how many rows it inserted, updated or deleted.
    @discardableResult
    public func execute(_ sql: String, _ values: any ColumnType...) throws(DatabaseError) -> Int {
        try run(sql, values.map(\.value)).changes
    }

    /// The same with values in an array.
    @discardableResult
    public func execute(_ sql: String, values: [any ColumnType]) throws(DatabaseError) -> Int {
        try run(sql, values.map(\.value)).changes
    }

    /// The rows of a `select`, or of a statement with `returning`.
    public func query(_ sql: String, _ values: any ColumnType...) throws(DatabaseError) -> [Row] {
        try run(sql, values.map(\.value)).rows
    }

    public func query(_ sql: String, values: [any ColumnType]) throws(DatabaseError) -> [Row] {
        try run(sql, values.map(\.value)).rows
    }

    /// The rows of a `select`, locked until the transaction ends; waits for rows that another transaction has locked.
    public func lock(_ select: String, _ values: any ColumnType...) throws(DatabaseError) -> [Row] {
        try run(locking(select, "for update"), values.map(\.value)).rows
    }

    /// The rows of a `select`, locked until the transaction ends; skips rows that another transaction has locked.
    public func claim(_ select: String, _ values: any ColumnType...) throws(DatabaseError) -> [Row] {
        try run(locking(select, "for update skip locked"), values.map(\.value)).rows
    }

    /// The time by the database's clock, in milliseconds since 1970. All programs that share a database share its
    /// clock.
    public func now() throws(DatabaseError) -> Int64 {
        try query("select \(dialect.now)")[0][0]
    }

    /// SQLite needs no clause: it has one writer at a time, so the rows that a writing transaction reads are locked.
    private func locking(_ select: String, _ clause: String) -> String {
        dialect == .sqlite ? select : "\(select) \(clause)"
    }

    private func run(_ sql: String, _ values: [Value]) throws(DatabaseError) -> StatementResult {
        do throws(DatabaseError) {
            return try engine.run(engine.dialect.translated(sql), values)
        } catch {
            outcome.failure = outcome.failure ?? error
            throw error
        }
    }
}
