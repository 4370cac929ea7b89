// A SQLite database whose clock a test moves, so that weeks pass in a moment.

import TestSupport

@testable import Database

final class ClockedEngine: SQLEngine {
    private let engine: SQLiteEngine
    private let lead: Shared<Int64>

    /// - Parameter lead: by how many milliseconds the clock of the database is ahead.
    init(path: String, lead: Shared<Int64>) throws(DatabaseError) {
        engine = try SQLiteEngine(path: path, limits: ConnectionLimits())
        // Nothing has to survive the test, and waiting for the disk would take most of its time.
        _ = try engine.run("pragma synchronous = off", [])
        self.lead = lead
    }

    var connection: SQLConnection { SQLConnection(engine: self, limits: ConnectionLimits()) }
    var dialect: Dialect { engine.dialect }
    var location: String { engine.location }
    func begin(_ kind: TransactionKind) throws(DatabaseError) { try engine.begin(kind) }
    func commit() throws(DatabaseError) { try engine.commit() }
    func rollback() { engine.rollback() }

    func run(_ sql: String, _ values: [Value]) throws(DatabaseError) -> StatementResult {
        let isClock = sql == "select \(dialect.now)"
        return try engine.run(isClock ? "\(sql) + \(lead.value)" : sql, values)
    }
}
