// The manager's persistent data in one database, which several nodes may share. Each table has a type whose methods work in a
// transaction of the caller, so that changes of several tables take effect together. The store opens the database, applies
// migrations and holds the keys that seal secrets.
//
// Rules that work with both engines and with a pooler: the database's clock only, row locks only, times in milliseconds.

public import Database
import Posix
import Synchronization
public import TLS

/// An open store, used by one thread at a time.
public struct Store: ~Copyable, Sendable {
    private let connection: SharedConnection
    /// The keys that seal the secrets in the store.
    public let keys: SealingKeys

    private let schema: Schema

    /// - Parameter schema: of the tables of everyone who uses the store.
    public init(
        _ connection: consuming SQLConnection, keys: SealingKeys, schema: Schema
    ) throws(DatabaseError) {
        var connection = connection
        try schema.apply(to: &connection)
        self.init(SharedConnection(connection), keys, schema)
    }

    private init(_ connection: SharedConnection, _ keys: SealingKeys, _ schema: Schema) {
        (self.connection, self.keys, self.schema) = (connection, keys, schema)
    }

    /// The same store for another thread, which waits while this one has a transaction: a database allows few connections, and a fleet
    /// has many nodes.
    public func another() -> Store { Store(connection, keys, schema) }

    /// A connection that several threads use in turn.
    private final class SharedConnection: @unchecked Sendable {
        private let turn = Mutex(())
        private var connection: SQLConnection
        /// The last failure that says something about the database, and when it was.
        private var failure: (error: DatabaseError, at: Int64)?

        init(_ connection: consuming SQLConnection) { self.connection = connection }

        func use<Result>(
            _ body: (inout SQLConnection) throws(DatabaseError) -> Result
        ) throws(DatabaseError) -> Result {
            let began = Clock.monotonicMilliseconds()
            // `withLock` would ask for a result that may go to another thread, and none does.
            turn._unsafeLock()
            defer { turn._unsafeUnlock() }
            // Who has waited for a try that failed has failed too: in an outage, each would wait for the tries of all.
            if let failure, failure.at >= began { throw failure.error }
            do throws(DatabaseError) { return try body(&connection) } catch {
                if [.locked, .connectionLost, .unreachable].contains(error.cause) {
                    failure = (error, Clock.monotonicMilliseconds())
                }
                throw error
            }
        }
    }

    /// Runs statements that see one consistent state of the store.
    public mutating func read<Result>(
        _ body: (borrowing Transaction) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        try connection.use { connection throws(DatabaseError) in try connection.read(body) }
    }

    /// Runs statements that take effect together. Throws if a newer program has changed the tables so that this one cannot
    /// use them.
    /// - Parameter isRepeatable: as for `SQLConnection.write`.
    @discardableResult
    public mutating func write<Result>(
        isRepeatable: Bool = false, _ body: (borrowing Transaction) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        let schema = schema
        return try connection.use { connection throws(DatabaseError) in
            try connection.write(isRepeatable: isRepeatable) { transaction throws(DatabaseError) in
                try schema.check(transaction)
                return try body(transaction)
            }
        }
    }

    /// Writes without a change, to find out whether the store can be written.
    public mutating func tryWriting() throws(DatabaseError) {
        try write(isRepeatable: true) { transaction throws(DatabaseError) in
            try transaction.execute("update secret set sealed = sealed")
        }
    }

    /// Seals a secret before it is stored.
    public func seal(_ secret: [UInt8], for place: String) throws(DatabaseError) -> [UInt8] {
        do throws(TLSError) { return try keys.seal(secret, for: place) } catch {
            throw DatabaseError(.statement, "cannot seal \(place): \(error)")
        }
    }

    /// The tables of work, its limits and the nodes. Text without a variable: a change of the program does not change history.
    public static let tables = [
        Migration(version: 1, readerMin: 1) { dialect in
            [
                """
                create table work (
                    kind text not null, key text not null, state text not null, since bigint not null, due bigint not null,
                    priority bigint not null, tries bigint not null, holder text, until bigint, attempt bigint not null,
                    journal text, problem text, primary key (kind, key))
                """,
                "create index work_due on work (kind, due)",
                """
                create table bucket (
                    scope text not null, subject text not null, tokens double precision not null, at bigint not null,
                    primary key (scope, subject))
                """,
                """
                create table lease (
                    name text not null primary key, holder text not null, epoch bigint not null, until bigint not null)
                """,
                // Unused. To drop it would lock out programs that know only this migration.
                """
                create table node (
                    id text not null primary key, name text not null, version text not null, applied bigint not null,
                    skew bigint not null, standing text not null, beat bigint not null)
                """,
                "create table secret (name text not null primary key, sealed \(dialect.blob) not null)",
            ]
        },
        Migration(version: 2, readerMin: 1) { _ in
            ["create index work_turn on work (kind, priority desc, due, key)"]
        },
        Migration(version: 3, readerMin: 1) { _ in
            [
                "alter table work add column tenant text not null default ''",
                "alter table work add column turn bigint not null default 0",
                "alter table work add column began bigint",
                "update work set began = since",
                "create index work_level on work (kind, priority desc, turn desc, due, key)",
                "create index work_tenant on work (kind, tenant, priority, due)",
                "drop index work_turn",
            ]
        },
    ]
}

/// The time in which the store cannot be used. A full disk fails only those that write, so one success does not end an outage, but
/// some time without a failure, or a write that was made to find out. Each failure is logged once in an outage, then hourly.
public struct StoreOutage: Sendable {
    /// The last failure; nil if the store could be written since.
    public private(set) var problem: String?
    /// The first failure; nil if there is no outage.
    public private(set) var beganAt: Int64?
    private var failedAt: Int64 = 0
    /// The first success behind the last failure.
    private var succeededAt: Int64?
    /// When each failure was logged.
    private var loggedAt: [String: Int64] = [:]

    public init() {}

    static let quietMilliseconds: Int64 = 60_000
    static let repeatMilliseconds: Int64 = 3_600_000
    /// Messages may quote what differs each time.
    static let problemsMax = 16

    /// Notes a failure. Returns whether to log it.
    public mutating func isNews(_ problem: String, now: Int64) -> Bool {
        (self.problem, failedAt, succeededAt) = (problem, now, nil)
        beganAt = beganAt ?? now
        if let last = loggedAt[problem], now - last < StoreOutage.repeatMilliseconds { return false }
        guard loggedAt[problem] != nil || loggedAt.count < StoreOutage.problemsMax else { return false }
        loggedAt[problem] = now
        return true
    }

    /// Notes that a change was written.
    public mutating func noteWriting() { problem = nil }

    /// Notes a success. Returns how long the outage was that it has ended, in milliseconds.
    public mutating func endsWithSuccess(now: Int64) -> Int64? {
        guard let began = beganAt else { return nil }
        succeededAt = succeededAt ?? now
        guard now - failedAt >= StoreOutage.quietMilliseconds else { return nil }
        let duration = (succeededAt ?? now) - began
        self = StoreOutage()
        return duration
    }
}

/// The right to do a task for some time. It only saves effort: a task that must not run twice is `Work`.
public enum Lease {
    /// Takes the lease if it is free, or extends it.
    /// - Returns: false if another holder has it.
    public static func take(
        _ name: String, by holder: String, milliseconds: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "insert into lease (name, holder, epoch, until) values (?, '', 0, 0) on conflict do nothing", name)
        let rows = try transaction.lock("select holder, until from lease where name = ?", name)
        let (holderBefore, until): (String, Int64) = (try rows[0][0], try rows[0][1])
        // Read after the lock, because getting the lock may take time.
        let now = try transaction.now()
        let isOurs = holderBefore == holder && until > now
        // A lease that lasts much longer was taken when the database's clock was ahead.
        guard isOurs || until <= now || until > now + 2 * milliseconds else { return false }
        try transaction.execute(
            "update lease set holder = ?, until = ? where name = ?", holder, now + milliseconds, name)
        return true
    }
}
