// Errors of PostgreSQL servers that cannot be used, and lost connections.

import Foundation
import Glibc
import Posix
import Testing

@testable import Database
@testable import DatabaseSupport

@Suite(.enabled(if: PostgreSQLServer.shared != nil, "\(PostgreSQLServer.absence)"))
struct PostgreSQLEngineTests {
    private let server: PostgreSQLServer

    init() throws { server = try #require(PostgreSQLServer.shared) }

    private func failure(_ uri: String) throws -> DatabaseError {
        try #require(throws: DatabaseError.self) { _ = try SQLConnection(.postgreSQL(uri: uri), limits: .impatient) }
    }

    @Test func `names the package of a missing library`() throws {
        let failure = #expect(throws: DatabaseError.self) {
            try PostgreSQLEngine(uri: server.uri(), limits: .impatient, library: "libnone.so.5")
        }
        #expect(failure?.cause == .libraryMissing)
        #expect(
            failure?.description == "cannot use the database 127.0.0.1:\(server.port): "
                + "PostgreSQL's library libnone.so.5 is not installed; "
                + "install it (Debian: apt-get install libpq5; Fedora: libpq; Alpine: libpq)")
    }

    /// A limit that the server does not accept fails the message that begins each transaction.
    @Test func `a transaction that could not begin does not fail the next one`() throws {
        var limits = ConnectionLimits.impatient
        limits.lockWaitMilliseconds = -1
        var connection = try SQLConnection(.postgreSQL(uri: server.uri()), limits: limits)
        for _ in 0..<2 {
            let failure = #expect(throws: DatabaseError.self) { try connection.read { _ in } }
            #expect(failure?.detail.contains("lock_timeout") == true, "\(failure?.detail ?? "")")
        }
    }

    @Test func `rejects a library that lacks a function`() {
        let failure = #expect(throws: DatabaseError.self) {
            try PostgreSQLEngine(uri: server.uri(), limits: .impatient, library: "libc.so.6")
        }
        #expect(failure?.cause == .tooOld)
    }

    @Test func `reports a wrong password without repeating it`() throws {
        let failure = try failure(server.uri(password: "hunter2"))
        #expect(failure.cause == .accessDenied)
        #expect(
            failure.description == "cannot open the database 127.0.0.1:\(server.port): "
                + "password authentication failed for user \"tester\"; check the user, its password and its rights")
        let none = try self.failure("postgresql://tester@127.0.0.1:\(server.port)/postgres?passfile=/dev/null")
        #expect(none.cause == .accessDenied)
        #expect(none.detail == "the server requires a password, and the connection string has none")
    }

    @Test(arguments: [
        "postgresql://tester:12/secret@127.0.0.1/x", "postgresql://tester:12?secret@127.0.0.1/x",
        "postgresql://tester:12@secret@127.0.0.1/x", "postgresql://tester:secret/12@127.0.0.1/x",
        "postgresql://tester:1%zz2secret@127.0.0.1/x", "postgresql://[tester:secret", "postgresql://x/?none=secret",
        "postgresql://tester@127.0.0.1:secret/x",
    ])
    func `does not repeat a connection string that cannot be read`(uri: String) throws {
        let failure = try failure(uri)
        #expect(
            failure.description == "cannot use the database: \(failure.detail); "
                + "write a path or postgresql://user@host:5432/name, with %XX for special characters in a password")
        for part in ["tester", "12", "secret"] { #expect(!failure.detail.contains(part), "\(failure)") }
    }

    @Test func `reports a refused connection and a missing answer`() throws {
        let port = try PostgreSQLServer.freePort()
        let refused = try failure(server.uri(port: port))
        #expect(refused.cause == .unreachable)
        let advice = "check that the server runs, and that host and port are right"
        #expect(refused.description == "cannot open the database 127.0.0.1:\(port): connection refused; \(advice)")
        // Accepts connections and never answers.
        let silent = try SilentListener()
        let failure = try failure(server.uri(port: silent.port))
        #expect(failure.cause == .unreachable && failure.detail == "no answer within 1 s; \(advice)")
        let missing = try self.failure("postgresql://tester:secret@/postgres?host=/nonexistent").description
        #expect(missing.hasPrefix("cannot open the database /nonexistent: "), "\(missing)")
        #expect(missing.hasSuffix("no such file or directory; \(advice)") && !missing.contains("secret"), "\(missing)")
    }

    @Test func `reports an unknown database`() throws {
        let failure = try failure(server.uri().replacing("/postgres?", with: "/none?"))
        #expect(
            failure.description
                == "cannot open the database 127.0.0.1:\(server.port): database \"none\" does not exist; "
                + "create it, or correct its name")
    }

    /// What the server answers to a statement when it cannot be used.
    struct BadState: Sendable, CustomTestStringConvertible {
        var code: String
        var cause: DatabaseError.Cause
        var verb: String
        /// The whole message behind the name of the database.
        var text: String

        var testDescription: String { "\(code) \(text)" }
    }

    private static let badStates = [
        BadState(
            code: "55P03", cause: .locked, verb: "write to",
            text: "another transaction has locked its rows for several seconds; "
                + "end that transaction (select * from pg_stat_activity)"),
        BadState(
            code: "25006", cause: .readOnly, verb: "write to",
            text: "raised; connect to the primary, or allow the user to write"),
        BadState(code: "53100", cause: .full, verb: "write to", text: "raised; free space on its disk (df -h)"),
        BadState(code: "53200", cause: .unreachable, verb: "open", text: "raised"),
        BadState(
            code: "53300", cause: .unreachable, verb: "open", text: "raised; raise max_connections, or use a pooler"),
        BadState(
            code: "42501", cause: .accessDenied, verb: "open",
            text: "raised; check the user, its password and its rights"
        ),
        BadState(
            code: "28000", cause: .accessDenied, verb: "open",
            text: "raised; check the user, its password and its rights"
        ),
        BadState(
            code: "XX001", cause: .corrupt, verb: "use", text: "raised; keep a copy and restore a backup"),
        BadState(
            code: "58030", cause: .inputOutput, verb: "query", text: "raised; check its disk and its memory (dmesg)"),
        BadState(code: "57014", cause: .timedOut, verb: "query", text: "raised; check its load"),
        BadState(code: "57P01", cause: .connectionLost, verb: "query", text: "raised"),
        BadState(code: "42P01", cause: .statement, verb: "query", text: "raised"),
    ]

    @Test(arguments: badStates) func `says in one line what is wrong and what to do`(state: BadState) throws {
        var connection = try SQLConnection(.postgreSQL(uri: server.uri()), limits: .impatient)
        let failure = try #require(throws: DatabaseError.self) {
            try connection.write { transaction throws(DatabaseError) in
                try transaction.execute("do $$ begin raise exception 'raised' using errcode = '\(state.code)'; end $$")
            }
        }
        #expect(failure.cause == state.cause)
        #expect(failure.description == "cannot \(state.verb) the database 127.0.0.1:\(server.port): \(state.text)")
    }

    @Test func `reports a server that only reads`() throws {
        let uri = server.uri("options=-cdefault_transaction_read_only%3Don")
        var connection = try SQLConnection(.postgreSQL(uri: uri), limits: .impatient)
        let failure = #expect(throws: DatabaseError.self) {
            try connection.write { transaction throws(DatabaseError) in
                try transaction.execute("create table read_only (n bigint)")
            }
        }
        #expect(failure?.cause == .readOnly && failure?.isLasting == true)
    }

    @Test func `verifies the server's certificate and name`() throws {
        let authority = "sslrootcert=\(server.folder)/authority.pem"
        let unknown = try failure(server.uri("sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt"))
        #expect(unknown.cause == .certificateNotVerified, "\(unknown)")
        let otherName = try failure(server.uri("sslmode=verify-full&\(authority)"))
        #expect(otherName.cause == .certificateNotVerified, "\(otherName)")
        let missing = try failure(server.uri("sslmode=verify-full&sslrootcert=/nonexistent.pem"))
        #expect(missing.cause == .certificateNotVerified, "\(missing)")
        #expect(missing.detail.contains("/nonexistent.pem"), "\(missing)")
        for failure in [unknown, otherName, missing] {
            let text = failure.description
            #expect(text.hasPrefix("cannot open the database 127.0.0.1:\(server.port): "), "\(text)")
            #expect(
                text.hasSuffix("name the authority with sslrootcert=FILE and the server by a name in its certificate"))
        }
        var connection = try SQLConnection(
            .postgreSQL(uri: server.uri("sslmode=verify-full&\(authority)").replacing("127.0.0.1", with: "localhost")))
        let row = try connection.read { transaction throws(DatabaseError) in
            try transaction.query("select cast(version as text) from pg_stat_ssl where pid = pg_backend_pid()")[0]
        }
        let version: String = try row[0]
        #expect(version.hasPrefix("TLSv1."))
    }

    @Test func `reconnects when the server has closed the connection`() throws {
        var connection = try SQLConnection(.postgreSQL(uri: server.uri()))
        try endConnection(of: &connection)
        let rows = try connection.read { transaction throws(DatabaseError) in try transaction.query("select 'again'") }
        #expect(rows == [Row("again")])
    }

    @Test func `repeats a transaction whose connection is closed in the middle`() throws {
        var connection = try SQLConnection(.postgreSQL(uri: server.uri()))
        var other = try SQLConnection(.postgreSQL(uri: server.uri()))
        var attempts = 0
        try connection.write { transaction throws(DatabaseError) in
            attempts += 1
            let id: Int64 = try transaction.query("select pg_backend_pid()")[0][0]
            if attempts == 1 { try end(id, by: &other) }
            _ = try transaction.query("select 1")
        }
        #expect(attempts == 2)
    }

    @Test func `ends a statement that takes too long`() throws {
        var limits = ConnectionLimits.impatient
        limits.statementMilliseconds = 100
        var connection = try SQLConnection(.postgreSQL(uri: server.uri()), limits: limits)
        let failure = #expect(throws: DatabaseError.self) {
            try connection.read { transaction throws(DatabaseError) in _ = try transaction.query("select pg_sleep(20)")
            }
        }
        #expect(failure?.cause == .timedOut)
    }

    @Test func `resolves a deadlock by repeating one of the two`() throws {
        let database = try TestDatabase(.postgreSQL)
        var connection = try database.connect()
        try connection.write { transaction throws(DatabaseError) in
            try transaction.execute("create table pair (name text primary key, n bigint not null)")
            try transaction.execute("insert into pair values ('a', 0), ('b', 0)")
        }
        // Each locks one row and then needs the other's.
        let meeting = Meeting()
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            #expect(throws: Never.self) {
                var connection = try database.connect()
                let names = index == 0 ? ["a", "b"] : ["b", "a"]
                var isFirst = true
                try connection.write { transaction throws(DatabaseError) in
                    try transaction.execute("update pair set n = n + 1 where name = ?", names[0])
                    if isFirst { meeting.meet() }
                    isFirst = false
                    try transaction.execute("update pair set n = n + 1 where name = ?", names[1])
                }
            }
        }
        let rows = try connection.read { transaction throws(DatabaseError) in
            try transaction.query("select n from pair")
        }
        #expect(rows == [Row(2 as Int64), Row(2 as Int64)])
    }

    @Test(.enabled(if: Pooler.isInstalled, "script/databases installs pgbouncer, and could not"))
    func `works behind a pooler that gives each transaction another connection`() throws {
        let pooler = try Pooler(before: server)
        let location = DatabaseLocation.postgreSQL(uri: server.uri("sslmode=disable", port: pooler.port))
        var limits = ConnectionLimits()
        limits.connectMilliseconds = 2_000
        let end = Clock.monotonicMilliseconds() + 20_000
        func isReady() -> Bool {
            do { _ = try SQLConnection(location, limits: limits) } catch { return false }
            return true
        }
        while !isReady() && Clock.monotonicMilliseconds() < end { usleep(20_000) }
        var first = try SQLConnection(location)
        var second = try SQLConnection(location)
        let table = "pooled_\(pooler.port)"
        try first.write { transaction throws(DatabaseError) in
            try transaction.execute("create table \(table) (n bigint primary key)")
        }
        for n in 0..<20 {
            let number = Int64(n)
            try first.write { transaction throws(DatabaseError) in
                for value in [number * 2, number * 2 + 100] {
                    try transaction.execute("insert into \(table) values (?)", value)
                }
            }
            let rows = try second.read { transaction throws(DatabaseError) in
                try transaction.query("select n from \(table) where n = ?", number * 2)
            }
            #expect(rows == [Row(number * 2)])
        }
    }

    @Test func `rejects an unknown type`() throws {
        var connection = try SQLConnection(.postgreSQL(uri: server.uri()))
        let failure = #expect(throws: DatabaseError.self) {
            try connection.read { transaction throws(DatabaseError) in _ = try transaction.query("select now()") }
        }
        #expect(failure?.cause == .statement)
    }

    private func endConnection(of connection: inout SQLConnection) throws {
        let id: Int64 = try connection.read { transaction throws(DatabaseError) in
            try transaction.query("select pg_backend_pid()")[0][0]
        }
        var other = try SQLConnection(.postgreSQL(uri: server.uri()))
        try other.read { transaction throws(DatabaseError) in try end(id, transaction) }
    }

    private func end(_ id: Int64, by other: inout SQLConnection) throws(DatabaseError) {
        try other.read { transaction throws(DatabaseError) in try end(id, transaction) }
    }

    /// Returns when the server's process for the connection has ended.
    private func end(_ id: Int64, _ transaction: borrowing Transaction) throws(DatabaseError) {
        _ = try transaction.query(
            "select case when pg_terminate_backend(cast(? as int), 10000) then 'ended' else 'kept' end", id)
    }
}

/// A socket that queues connections and never answers.
private final class SilentListener {
    private let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let port: Int

    init() throws {
        port = try PostgreSQLServer.freePort()
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), in_port_t(UInt16(port)).bigEndian)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(number, 5) == 0
            }
        }
        try #require(isListening)
    }

    deinit { close(number) }
}

/// A place where two threads wait for each other.
private final class Meeting: Sendable {
    private let group = DispatchGroup()

    init() {
        group.enter()
        group.enter()
    }

    func meet() {
        group.leave()
        group.wait()
    }
}
