// A database on a PostgreSQL server, through libpq, which is loaded at run time. It works behind a pooler that gives each
// transaction another connection, because nothing on the server outlasts a transaction: no session settings, named statements
// or LISTEN. libpq reads the connection string and does TLS; this file waits for the socket, so that a server cannot exceed
// the time limits.

import CPostgreSQL
import Glibc
import Posix

final class PostgreSQLEngine: SQLEngine {
    /// The oldest supported version of the library and the server.
    static let versionMin: Int32 = 120_000

    let dialect = Dialect.postgreSQL
    private(set) var location = "postgresql"
    private let uri: String
    private let limits: ConnectionLimits
    private let library: associated_postgresql
    private var connection: PostgreSQLConnection?

    init(uri: String, limits: ConnectionLimits, library name: String = "libpq.so.5") throws(DatabaseError) {
        (self.uri, self.limits) = (uri, limits)
        // libpq would take a part of such a password for the host, and its messages name the host.
        guard let place = DatabaseLocation.postgreSQL(uri: uri).name else {
            throw DatabaseError(.badLocation, "its connection string cannot be read")
        }
        location = place
        do throws(DatabaseError) { library = try PostgreSQLEngine.load(name) } catch { throw error.at(place) }
        try connect()
    }

    private static func load(_ name: String) throws(DatabaseError) -> associated_postgresql {
        var library = associated_postgresql()
        let wanted = RuntimeLibrary(
            title: "PostgreSQL's library \(name)", name: name,
            packages: "Debian: apt-get install libpq5; Fedora: libpq; Alpine: libpq", version: "12")
        try unsafe wanted.check(associated_postgresql_load(name, &library))
        if library.libVersion() < versionMin { throw wanted.tooOld }
        return library
    }

    private func connect() throws(DatabaseError) {
        connection = nil
        let made = try PostgreSQLConnection(uri, library)
        location = made.location
        do throws(DatabaseError) {
            try made.open(within: limits.connectMilliseconds)
        } catch {
            // In a malformed connection string, a part of the password may look like the host.
            throw error.cause == .badLocation ? error : error.at(location)
        }
        guard made.serverVersion >= PostgreSQLEngine.versionMin else {
            let version = made.serverVersion / 10_000
            throw DatabaseError(
                .tooOld, "the server is PostgreSQL \(version), which is too old; upgrade it to version 12 or later",
                location: location)
        }
        connection = consume made
    }

    func begin(_ kind: TransactionKind) throws(DatabaseError) {
        if connection == nil { try connect() }
        // The settings apply to this transaction only and are in the same message, because a pooler may use another
        // connection for the next one.
        let wait = limits.lockWaitMilliseconds
        let mode = kind == .write ? "isolation level read committed" : "isolation level repeatable read, read only"
        try send(
            """
            begin \(mode); set local lock_timeout = \(wait); set local statement_timeout = \(limits.statementMilliseconds); \
            set local idle_in_transaction_session_timeout = 60000
            """)
    }

    func commit() throws(DatabaseError) {
        do throws(DatabaseError) {
            try send("commit")
        } catch {
            guard error.cause == .connectionLost else { throw error }
            throw DatabaseError(.commitUnknown, error.detail)
        }
    }

    func rollback() {
        if connection?.isIdle == false { try? send("rollback") }
    }

    /// Without a prepared statement, which would belong to one connection of a pooler.
    func run(_ sql: String, _ values: [Value]) throws(DatabaseError) -> StatementResult {
        try withConnection { (connection: borrowing PostgreSQLConnection) throws(DatabaseError) in
            try connection.send(sql, values)
            return try connection.receive(within: self.limits.answerMilliseconds).contents()
        }
    }

    private func send(_ sql: String) throws(DatabaseError) {
        try withConnection { (connection: borrowing PostgreSQLConnection) throws(DatabaseError) in
            try connection.send(sql)
            _ = try connection.receive(within: self.limits.answerMilliseconds)
        }
    }

    /// Drops a lost connection; the next transaction opens another.
    private func withConnection<Result>(
        _ body: (borrowing PostgreSQLConnection) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        guard connection != nil else { throw DatabaseError(.connectionLost, "the connection was already lost") }
        do throws(DatabaseError) {
            return try body(connection!)
        } catch {
            if error.cause == .connectionLost { connection = nil }
            throw error
        }
    }
}

extension ConnectionLimits {
    /// A server that exceeds its own limit by this much has hung.
    fileprivate var answerMilliseconds: Int32 { statementMilliseconds + 5_000 }
}

/// A connection of libpq.
@safe struct PostgreSQLConnection: ~Copyable {
    private let connection: OpaquePointer
    private let library: associated_postgresql

    /// Defaults that the connection string may override, because it comes later.
    private static let defaults = [
        ("application_name", "associated"),
        ("client_encoding", "UTF8"),
        // Kerberos would read files that the sandbox does not allow.
        ("gssencmode", "disable"),
        // Detects a server that has disappeared within about 30 seconds, also during a statement.
        ("tcp_user_timeout", "5000"),
        ("keepalives_idle", "10"),
        ("keepalives_interval", "5"),
        ("keepalives_count", "3"),
    ]

    /// Starts to connect.
    init(_ uri: String, _ library: associated_postgresql) throws(DatabaseError) {
        let settings = PostgreSQLConnection.defaults + [("dbname", uri)]
        let started = unsafe withPointers(to: settings.map { Array($0.0.utf8) + [0] }, ended: true) { keywords in
            unsafe withPointers(to: settings.map { Array($0.1.utf8) + [0] }, ended: true) { values in
                unsafe library.connectStartParams(keywords, values, 1)
            }
        }
        guard let started = unsafe started else { throw DatabaseError(.inputOutput, "out of memory") }
        unsafe connection = started
        self.library = library
        // By default, libpq prints notices to standard error, unescaped.
        _ = unsafe library.setNoticeProcessor(connection, { _, _ in }, nil)
        // Verbose messages contain the error code; the text is in the server's language.
        _ = unsafe library.setErrorVerbosity(connection, UInt32(PQERRORS_VERBOSE))
    }

    deinit { unsafe library.finish(connection) }

    var serverVersion: Int32 { unsafe library.serverVersion(connection) }
    var isIdle: Bool { unsafe library.transactionStatus(connection) == PQTRANS_IDLE }

    var location: String {
        let host = unsafe library.host(connection).map { unsafe String(cString: $0) } ?? ""
        let port = unsafe library.port(connection).map { unsafe String(cString: $0) } ?? ""
        return host.isEmpty ? "postgresql" : host.hasPrefix("/") ? host : "\(host):\(port)"
    }

    func open(within milliseconds: Int32) throws(DatabaseError) {
        let end = Clock.monotonicMilliseconds() + Int64(milliseconds)
        // Before a host is known, the only possible failure is an unreadable connection string. libpq's message would quote
        // it, with the password.
        if unsafe library.status(connection) == CONNECTION_BAD && location == "postgresql" {
            throw DatabaseError(.badLocation, "its connection string cannot be read")
        }
        var state = UInt32(PGRES_POLLING_WRITING)
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED, unsafe library.status(connection) != CONNECTION_BAD else {
                throw DatabaseError(connecting: message)
            }
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard waitForSocket(events, until: end) else {
                throw DatabaseError(
                    .unreachable, "no answer within \(milliseconds / 1000) s; \(DatabaseError.reachingAdvice)")
            }
            state = unsafe library.connectPoll(connection)
        }
    }

    /// Sends statements without parameters.
    func send(_ sql: String) throws(DatabaseError) {
        guard unsafe library.sendQuery(connection, sql) == 1 else { throw DatabaseError(.connectionLost, message) }
    }

    /// Sends one statement with its values.
    func send(_ sql: String, _ values: [Value]) throws(DatabaseError) {
        let contents = values.map(\.wireBytes)
        let isSent = unsafe withPointers(to: contents, ended: false) { pointers in
            unsafe library.sendQueryParams(
                connection, sql, Int32(values.count), values.map(\.wireType), pointers,
                contents.map { Int32($0?.count ?? 0) },
                [Int32](repeating: 1, count: values.count), 1)
        }
        guard isSent == 1 else { throw DatabaseError(.connectionLost, message) }
    }

    /// The result of the last statement that was sent; throws the first failure.
    func receive(within milliseconds: Int32) throws(DatabaseError) -> PostgreSQLResult {
        let end = Clock.monotonicMilliseconds() + Int64(milliseconds)
        var last: PostgreSQLResult?
        var failure: DatabaseError?
        while true {
            while unsafe library.isBusy(connection) != 0 {
                guard waitForSocket(POLLIN, until: end) else {
                    throw DatabaseError(.connectionLost, "no answer within \(milliseconds / 1000) s")
                }
                guard unsafe library.consumeInput(connection) == 1 else {
                    throw DatabaseError(.connectionLost, message)
                }
            }
            guard let pointer = unsafe library.getResult(connection) else { break }
            let result = unsafe PostgreSQLResult(takingOwnershipOf: pointer, of: library)
            failure = failure ?? result.failure
            last = consume result
        }
        if let failure { throw failure }
        guard unsafe library.status(connection) == CONNECTION_OK, let last else {
            throw DatabaseError(.connectionLost, message)
        }
        return last
    }

    private func waitForSocket(_ events: Int32, until end: Int64) -> Bool {
        var watched = unsafe pollfd(fd: library.socket(connection), events: Int16(events), revents: 0)
        while true {
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { return false }
            let count = unsafe poll(&watched, 1, Int32(clamping: left))
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else { return false }
        }
    }

    private var message: String { unsafe library.errorMessage(connection).map { unsafe String(cString: $0) } ?? "" }
}

/// The server's answer to one statement.
@safe struct PostgreSQLResult: ~Copyable {
    private let result: OpaquePointer
    private let library: associated_postgresql

    init(takingOwnershipOf result: OpaquePointer, of library: associated_postgresql) {
        unsafe self.result = result
        self.library = library
    }

    deinit { unsafe library.clear(result) }

    var failure: DatabaseError? {
        let status = unsafe library.resultStatus(result)
        if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK { return nil }
        func field(_ letter: String) -> String? {
            unsafe library.resultErrorField(result, Int32(letter.utf8.first!)).map { unsafe String(cString: $0) }
        }
        // A failure without a code comes from libpq itself, which could not read or write.
        return DatabaseError(sqlState: field("C") ?? "08006", field("M") ?? "the server has closed the connection")
    }

    func contents() throws(DatabaseError) -> StatementResult {
        var rows: [Row] = []
        let (rowCount, columnCount) = unsafe (library.ntuples(result), library.nfields(result))
        for row in 0..<rowCount {
            var values: [Value] = []
            for column in 0..<columnCount { values.append(try value(row, column)) }
            rows.append(Row(values))
        }
        let changes = unsafe library.cmdTuples(result).flatMap { unsafe Int(String(cString: $0)) }
        return StatementResult(rows: rows, changes: changes ?? 0)
    }

    /// Numbers are in network byte order (`int8send` and similar functions in PostgreSQL).
    private func value(_ row: Int32, _ column: Int32) throws(DatabaseError) -> Value {
        if unsafe library.getisnull(result, row, column) != 0 { return .null }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: library.getvalue(result, row, column), count: Int(library.getlength(result, row, column)))
        let type = unsafe library.ftype(result, column)
        switch WireType(rawValue: type) {
        case .int8: return unsafe .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case .int4: return unsafe .integer(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
        case .float8: return unsafe .double(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
        case .text, .varchar, .name, .unknown: return unsafe .text(String(decoding: bytes, as: UTF8.self))
        case .bytea: return unsafe .blob(Array(bytes))
        case nil:
            throw DatabaseError(
                .statement,
                "column \(column + 1) has the PostgreSQL type \(type); cast it to bigint")
        }
    }
}

/// The types that are sent and read, with the numbers that they have on every PostgreSQL server (pg_type.dat).
private enum WireType: UInt32 {
    case unknown = 705
    case bytea = 17
    case name = 19
    case int8 = 20
    case int4 = 23
    case text = 25
    case float8 = 701
    case varchar = 1043
}

extension Value {
    /// Zero lets the server infer the type of a null.
    fileprivate var wireType: UInt32 {
        switch self {
        case .null: 0
        case .integer: WireType.int8.rawValue
        case .double: WireType.float8.rawValue
        case .text: WireType.text.rawValue
        case .blob: WireType.bytea.rawValue
        }
    }

    fileprivate var wireBytes: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
        case .double(let number): unsafe withUnsafeBytes(of: number.bitPattern.bigEndian) { unsafe Array($0) }
        case .text(let text): Array(text.utf8)
        case .blob(let bytes): bytes
        }
    }
}

extension DatabaseError {
    /// The error for the server's code of a failed statement (PostgreSQL's manual, appendix A).
    fileprivate init(sqlState: String, _ message: String) {
        switch sqlState {
        case "55P03":
            // The server's message does not mention what to look for.
            let advice = "end that transaction (select * from pg_stat_activity)"
            self.init(.locked, "another transaction has locked its rows for several seconds; \(advice)")
        case "25006": self.init(.readOnly, "\(message); connect to the primary, or allow the user to write")
        case "3D000": self.init(.unreachable, "\(message); create it, or correct its name")
        case "53300": self.init(.unreachable, "\(message); raise max_connections, or use a pooler")
        default: self.init(DatabaseError.cause(ofState: sqlState), message)
        }
    }

    private static func cause(ofState sqlState: String) -> Cause {
        switch sqlState {
        case "57014": .timedOut
        case "53100": .full
        case "42501": .accessDenied
        // It starts, or is a standby that accepts no connections yet.
        case "57P03": .unreachable
        case "XX001", "XX002": .corrupt
        case "58030": .inputOutput
        case "25P03": .connectionLost
        default:
            switch sqlState.prefix(2) {
            case "08": .connectionLost
            case "23": .constraint
            case "28": .accessDenied
            case "40": .serializationFailure
            // It is out of memory, or of something else that it gets back.
            case "53": .unreachable
            // The operator stops the server or ends this connection.
            case "57": .connectionLost
            default: .statement
            }
        }
    }

    fileprivate static let reachingAdvice = "check that the server runs, and that host and port are right"

    /// The error for libpq's message about a failed connection. The message is in English unless a program requests a translation.
    fileprivate init(connecting message: String) {
        // The last line is about the last address that was tried: `connection to server at "::1", port 5432 failed: reason`.
        let lines = message.split(separator: "\n").filter { !$0.hasPrefix("\t") && !$0.hasPrefix("LOCATION:") }
        // A certificate that is missing is followed by a line of advice.
        let last: Substring = lines.last { $0.hasPrefix("connection to server") } ?? lines.last ?? "no reason given"
        let line = String(last)
        if let failed = line.firstMatch(of: /FATAL: +([0-9A-Z]{5}): +(.*)/) {
            self.init(sqlState: String(failed.1), String(failed.2))
            return
        }
        let words = line.firstRange(of: " failed: ").map { line[$0.upperBound...] } ?? line[...]
        let isAcronym = words.dropFirst().first?.isUppercase == true
        let reason = isAcronym ? String(words) : words.prefix(1).lowercased() + words.dropFirst()
        let isAboutCertificate = ["certificate", "not support SSL"].contains(where: message.contains)
        if line.contains("password supplied") {
            self.init(.accessDenied, "the server requires a password, and the connection string has none")
        } else if line.hasPrefix("invalid ") && !isAboutCertificate {
            self.init(.badLocation, "its connection string has a value that cannot be read")
        } else {
            self.init(
                isAboutCertificate ? .certificateNotVerified : .unreachable,
                isAboutCertificate ? reason : "\(reason); \(DatabaseError.reachingAdvice)")
        }
    }
}

/// Lends C an array of pointers to these byte strings.
/// - Parameter ended: whether a null pointer ends the array, for functions without a count.
private func withPointers<Result>(
    to strings: [[UInt8]?], ended: Bool, _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let bytes = strings.reduce(into: []) { $0 += $1 ?? [] } + [0]
    return unsafe bytes.withUnsafeBytes { memory in
        var place = unsafe memory.baseAddress!.assumingMemoryBound(to: CChar.self)
        var pointers = unsafe strings.map { string -> UnsafePointer<CChar>? in
            guard let string else { return nil }
            defer { unsafe place += string.count }
            return unsafe place
        }
        if unsafe ended || pointers.isEmpty { unsafe pointers.append(nil) }
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }
}
