// An engine with faults: it ends the process or fails at a chosen call, so that a test can go through all of them.

import Glibc
import Synchronization

@testable import Database

/// What happens at a call.
enum EngineFault: Sendable {
    /// The process is killed before the call, as by the kernel or a loss of power.
    case kill
    /// The call is made, and then fails for this reason.
    case fail(DatabaseError.Cause)
    /// This call is not made, and all later ones fail, as if the process had ended. For a test that cannot end its process.
    case end
}

final class FaultyEngine: SQLEngine {
    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    private let engine: any SQLEngine
    private let fault: EngineFault
    private let faultyCall: Int
    private let isEnded = Flag()
    /// Counts the calls of all transactions; `rollback` is none.
    private(set) var calls = 0

    /// - Parameter faultyCall: the call with the fault, counted from 1; 0 for none.
    init(_ location: DatabaseLocation, _ fault: EngineFault, at faultyCall: Int) throws(DatabaseError) {
        switch location {
        case .sqlite(let path): engine = try SQLiteEngine(path: path, limits: ConnectionLimits())
        case .postgreSQL(let uri): engine = try PostgreSQLEngine(uri: uri, limits: ConnectionLimits())
        }
        (self.fault, self.faultyCall) = (fault, faultyCall)
        // The machine goes on, so nothing has to be on its disk.
        if case .end = fault, engine.dialect == .sqlite { _ = try engine.run("pragma synchronous = off", []) }
    }

    var connection: SQLConnection { SQLConnection(engine: self, limits: ConnectionLimits()) }

    var dialect: Dialect { engine.dialect }
    var location: String { engine.location }

    func begin(_ kind: TransactionKind) throws(DatabaseError) {
        try call { () throws(DatabaseError) in try engine.begin(kind) }
    }

    func commit() throws(DatabaseError) {
        try call { () throws(DatabaseError) in try engine.commit() }
    }

    func rollback() { engine.rollback() }

    func run(_ sql: String, _ values: [Value]) throws(DatabaseError) -> StatementResult {
        try beforeCall()
        let result = try engine.run(sql, values)
        try afterCall()
        return result
    }

    private func call(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try beforeCall()
        try body()
        try afterCall()
    }

    /// Lets all calls from now on fail, as if the process had ended.
    var end: @Sendable () -> Void { { [isEnded] in isEnded.value.store(true, ordering: .sequentiallyConsistent) } }

    private func beforeCall() throws(DatabaseError) {
        calls += 1
        if calls == faultyCall {
            if case .kill = fault { kill(getpid(), SIGKILL) }
            if case .end = fault { end() }
        }
        try checkEnd()
    }

    private func afterCall() throws(DatabaseError) {
        guard calls == faultyCall else { return }
        if case .fail(let cause) = fault { throw DatabaseError(cause, "a fault of the test") }
    }

    private func checkEnd() throws(DatabaseError) {
        if isEnded.value.load(ordering: .sequentiallyConsistent) {
            throw DatabaseError(.statement, "the process has ended")
        }
    }
}
