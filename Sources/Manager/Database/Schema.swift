// The tables of a database and their migrations. A change is made in two numbered migrations, possibly several releases
// apart: the first adds what the new program needs, and old programs still work; the second removes what no program in use
// needs, and raises `readerMin`. So programs of two versions can share a database while a fleet is upgraded, and a program
// that is too old gets an error.

/// One numbered change of the tables.
public struct Migration: Sendable {
    public let version: Int64
    /// The oldest program that can use the tables after this migration, identified by the last migration that it knows.
    public let readerMin: Int64
    let statements: @Sendable (Dialect) -> [String]

    public init(version: Int64, readerMin: Int64, _ statements: @escaping @Sendable (Dialect) -> [String]) {
        precondition(readerMin <= version, "a program that knows the migration can use the tables")
        (self.version, self.readerMin, self.statements) = (version, readerMin, statements)
    }
}

/// All migrations that this program knows, oldest first.
public struct Schema: Sendable {
    private let migrations: [Migration]

    /// - Parameter parts: those of all tables. Those with one number take effect together, in this order.
    public init(_ parts: [Migration]) {
        migrations = Dictionary(grouping: parts, by: \.version).sorted { $0.key < $1.key }.map { version, parts in
            Migration(version: version, readerMin: parts.map(\.readerMin).max() ?? version) { dialect in
                parts.flatMap { $0.statements(dialect) }
            }
        }
        precondition(migrations.map(\.version) == Array(1...Int64(migrations.count)), "migrations are numbered from 1")
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

    /// Throws if this program cannot use the tables any more. Call it in each transaction, because a newer program may change
    /// them at any time.
    public func check(_ transaction: borrowing Transaction) throws(DatabaseError) {
        try requireReader(transaction.query("select reader_min from schema where id = 1"))
    }

    private func requireReader(_ rows: [Row]) throws(DatabaseError) {
        guard let row = rows.first else { throw DatabaseError(.statement, "its table schema is empty") }
        let readerMin: Int64 = try row[0]
        guard readerMin <= version else {
            throw DatabaseError(
                .newerSchema, "its tables need a program with schema \(readerMin), and this one has schema \(version)"
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
                // If several programs create a table at the same time, PostgreSQL fails all but one, in spite of `if not exists`.
                attempts += 1
                guard error.cause == .constraint, attempts < 5 else { throw error }
            }
        }
    }
}
