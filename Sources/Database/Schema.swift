// The tables of a database and how they change. A change is a migration with a number, in two steps that may lie
// releases apart: expand (add what the new program needs; old programs go on), then contract (remove what no program in
// use needs, and raise `readerMin`). So programs of two versions can share a database while a fleet is upgraded, and
// one that is too old is refused with one line.

/// One numbered change of the tables.
public struct Migration: Sendable {
    public let version: Int64
    /// The oldest program, by the last migration that it knows, that can still use the tables after this one.
    public let readerMin: Int64
    let statements: @Sendable (Dialect) -> [String]

    public init(
        version: Int64, readerMin: Int64, _ statements: @escaping @Sendable (Dialect) -> [String]
    ) {
        precondition(readerMin <= version, "a program that knows the migration can use the tables")
        (self.version, self.readerMin, self.statements) = (version, readerMin, statements)
    }
}

/// All migrations that this program knows, oldest first.
public struct Schema: Sendable {
    private let migrations: [Migration]

    public init(_ migrations: [Migration]) {
        precondition(migrations.map(\.version) == Array(1...Int64(migrations.count)), "migrations are numbered from 1")
        self.migrations = migrations
    }

    private var version: Int64 { Int64(migrations.count) }

    /// Brings the tables up to date. Several programs may do so at once: each migration is applied once.
    public func apply(to connection: inout SQLConnection) throws(DatabaseError) {
        try makeTable(in: &connection)
        var isCurrent = false
        while !isCurrent {
            isCurrent = try connection.write(isRepeatable: true) { transaction throws(DatabaseError) in
                let rows = try transaction.lock("select reader_min, version from schema where id = 1")
                try requireReader(rows)
                let found: Int64 = try rows[0][1]
                guard found < version else { return true }
                let next = migrations[Int(found)]
                for statement in next.statements(transaction.dialect) { try transaction.execute(statement) }
                try transaction.execute(
                    "update schema set version = ?, reader_min = ? where id = 1", next.version, next.readerMin)
                return false
            }
        }
    }

    /// Whether this program may still use the tables; to be asked from time to time, because a newer one may have
    /// changed them.
    public func check(_ transaction: borrowing Transaction) throws(DatabaseError) {
        try requireReader(transaction.query("select reader_min from schema where id = 1"))
    }

    private func requireReader(_ rows: [Row]) throws(DatabaseError) {
        guard let row = rows.first else { throw DatabaseError(.statement, "its table schema is empty") }
        let readerMin: Int64 = try row[0]
        guard readerMin <= version else {
            throw DatabaseError(
                .newerSchema, "its tables are for programs that know schema \(readerMin), and this one knows \(version)"
            )
        }
    }

    private func makeTable(in connection: inout SQLConnection) throws(DatabaseError) {
        var attempts = 0
        while true {
            do throws(DatabaseError) {
                return try connection.write(isRepeatable: true) { transaction throws(DatabaseError) in
                    try transaction.execute(
                        """
                        create table if not exists schema (
                            id bigint primary key check (id = 1), version bigint not null, reader_min bigint not null)
                        """)
                    try transaction.execute("insert into schema values (1, 0, 0) on conflict do nothing")
                }
            } catch {
                // Of several that make a table at once, PostgreSQL lets one succeed and fails the others, in spite of
                // `if not exists`.
                attempts += 1
                guard error.cause == .constraint, attempts < 5 else { throw error }
            }
        }
    }
}
