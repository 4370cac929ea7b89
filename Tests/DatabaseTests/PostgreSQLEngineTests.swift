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
        #expect(failure?.detail.contains("apt-get install libpq5") == true)
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
                + "password authentication failed for user \"tester\"")
        let none = try self.failure("postgresql://tester@127.0.0.1:\(server.port)/postgres?passfile=/dev/null")
        #expect(none.cause == .accessDenied)
        #expect(none.detail == "the server requires a password, and the connection string has none")
    }

    @Test(arguments: ["postgresql://tester:p/q@127.0.0.1/x", "postgresql://[tester", "postgresql://x/?none=secret"])
    func `does not repeat a connection string that cannot be read`(uri: String) throws {
        let failure = try failure(uri)
        #expect(failure.cause == .badLocation, "\(failure)")
        for part in ["tester:", "p/q", "\"p\"", "secret"] { #expect(!failure.description.contains(part), "\(failure)") }
    }

    @Test func `reports a refused connection and a missing answer`() throws {
        let port = try PostgreSQLServer.freePort()
        let refused = try failure(server.uri(port: port))
        #expect(refused.cause == .unreachable)
        #expect(refused.description == "cannot open the database 127.0.0.1:\(port): connection refused")
        // Accepts connections and never answers.
        let silent = try SilentListener()
        let failure = try failure(server.uri(port: silent.port))
        #expect(failure.cause == .unreachable && failure.detail == "no answer within 1 s")
    }

    @Test func `reports an unknown database`() throws {
        let failure = try failure(server.uri().replacing("/postgres?", with: "/none?"))
        #expect(failure.cause == .unreachable && failure.detail == "database \"none\" does not exist", "\(failure)")
    }

    @Test func `verifies the server's certificate and name`() throws {
        let authority = "sslrootcert=\(server.folder)/authority.pem"
        let unknown = try failure(server.uri("sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt"))
        #expect(unknown.cause == .certificateNotVerified, "\(unknown)")
        let otherName = try failure(server.uri("sslmode=verify-full&\(authority)"))
        #expect(otherName.cause == .certificateNotVerified, "\(otherName)")
        let missing = try failure(server.uri("sslmode=verify-full&sslrootcert=/nonexistent.pem"))
        #expect(missing.cause == .certificateNotVerified, "\(missing)")
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
                let insert = try transaction.prepare("insert into \(table) values (?)")
                try transaction.execute(insert, number * 2)
                try transaction.execute(insert, number * 2 + 100)
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
