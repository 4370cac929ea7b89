// Tickets across workers, rotation and shared files, with real handshakes.

import COpenSSL
import Glibc
import Posix
import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct TicketKeysTests {
    private let folder: TemporaryFolder
    private let identity: ServerIdentity

    init() throws {
        folder = try TemporaryFolder(permissions: 0o600)
        let authority = try TestAuthority.shared
        let pair = try authority.issue(["a.example"])
        try authority.install(pair, ".", in: folder)
        identity = try folder.identity()
    }

    private static let hour: Int64 = 3_600_000

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `resumes a session at another worker`(version: Int32) throws {
        let keys = try TicketKeys()
        let first = TestHandshake(TestServer(keys), identity, version: version)
        #expect(first.isComplete && !first.isResumed)
        let second = TestHandshake(TestServer(keys), identity, version: version, resuming: first.session)
        #expect(second.isComplete && second.isResumed, "\(second.failure)")
        let third = TestHandshake(TestServer(keys), identity, version: version, resuming: second.session)
        #expect(third.isComplete && third.isResumed, "\(third.failure)")
    }

    @Test(arguments: [(TLS1_2_VERSION, false), (TLS1_3_VERSION, true)])
    func `gives a TLS 1.3 client a new ticket for each used one`(version: Int32, isRenewed: Bool) throws {
        let server = TestServer(try TicketKeys())
        let first = TestHandshake(server, identity, version: version)
        let second = TestHandshake(server, identity, version: version, resuming: first.session)
        #expect(second.isResumed && !first.ticket.isEmpty)
        #expect((second.ticket != first.ticket) == isRenewed)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `falls back to a full handshake for an unknown ticket`(version: Int32) throws {
        let first = TestHandshake(TestServer(try TicketKeys()), identity, version: version)
        let second = TestHandshake(TestServer(try TicketKeys()), identity, version: version, resuming: first.session)
        #expect(second.isComplete && !second.isResumed, "\(second.failure)")
    }

    /// Keys that are rotated every twelve hours, and the moments between which they were made.
    private static func rotating() throws -> (keys: TicketKeys, before: Int64, after: Int64) {
        let before = Clock.monotonicMilliseconds()
        let keys = try TicketKeys(rotationMilliseconds: 12 * hour)
        return (keys, before, Clock.monotonicMilliseconds())
    }

    @Test func `accepts the previous key, but not the one before it`() throws {
        let (keys, before, after) = try Self.rotating()
        let first = keys.current(now: before)
        #expect(keys.current(now: before + 12 * Self.hour - 1) === first)
        let second = keys.current(now: after + 12 * Self.hour)
        #expect(second !== first)
        let found = try #require(keys.key(named: first.name.baseAddress!, now: after + 24 * Self.hour - 1))
        #expect(found.key === first && !found.isCurrent)
        let third = keys.current(now: after + 24 * Self.hour)
        #expect(third !== second)
        #expect(keys.key(named: first.name.baseAddress!, now: after + 24 * Self.hour) == nil)
        #expect(keys.key(named: second.name.baseAddress!, now: after + 24 * Self.hour)?.isCurrent == false)
    }

    @Test func `accepts no old key after a quiet day`() throws {
        for (hours, isAccepted) in [(24, true), (24, false), (36, false)] as [(Int64, Bool)] {
            let (keys, before, after) = try Self.rotating()
            let first = keys.current(now: before)
            let now = (isAccepted ? before - 1 : after) + hours * Self.hour
            #expect((keys.key(named: first.name.baseAddress!, now: now) != nil) == isAccepted)
        }
    }

    @Test func `servers of a fleet share a file`() throws {
        try OpenSSLCommand.run("rand", "-out", "ticket.key", "80", in: folder)
        let path = folder.path + "/ticket.key"
        let first = TestHandshake(TestServer(try TicketKeys(file: path)), identity)
        let second = TestHandshake(TestServer(try TicketKeys(file: path)), identity, resuming: first.session)
        #expect(second.isResumed, "\(second.failure)")
    }

    @Test func `loads a changed file with its older keys`() throws {
        let old = [UInt8](repeating: 1, count: 80)
        let new = [UInt8](repeating: 2, count: 80)
        let path = try folder.write("ticket.key", old)
        let start = Clock.monotonicMilliseconds()
        let keys = try TicketKeys(file: path)
        let first = keys.current(now: start)
        try folder.write("ticket.key", new + old)
        #expect(keys.reloadFile(now: start + 59_999) == nil)
        #expect(keys.current(now: start + 61_000) === first, "workers read no file")
        #expect(chmod(path, 0o644) == 0)
        #expect(keys.reloadFile(now: start + 61_000)?.description.contains("chmod 600") == true)
        #expect(keys.current(now: start + 61_000).name.first == 2)
        #expect(keys.key(named: first.name.baseAddress!, now: start + 61_000)?.isCurrent == false)
        #expect(chmod(path, 0o600) == 0)
        #expect(keys.reloadFile(now: start + 122_000) == nil)
        try folder.write("ticket.key", [1, 2, 3])
        #expect(
            keys.reloadFile(now: start + 183_000)?.description.contains("the file has 3 bytes instead of 80") == true)
        #expect(keys.reloadFile(now: start + 244_000) == nil, "it is reported once")
        #expect(keys.current(now: start + 244_000).name.first == 2)
    }

    @Test(
        arguments: [
            (0o600, false), (0o400, false), (0o640, true), (0o660, true), (0o604, true), (0o620, true), (0o602, true),
        ] as [(mode_t, Bool)])
    func `warns about ticket keys that another user can read or write`(mode: mode_t, warns: Bool) throws {
        let path = try folder.write("ticket.key", [UInt8](repeating: 1, count: 80))
        #expect(chmod(path, mode) == 0)
        let warning = try TicketKeys(file: path).reloadFile(now: Clock.monotonicMilliseconds() + 61_000)
        #expect((warning?.description.contains("chmod 600") == true) == warns)
    }

    @Test func `reads nginx's layout: name, HMAC key, AES key`() throws {
        let path = try folder.write(
            "ticket.key",
            [UInt8](repeating: 1, count: 16) + [UInt8](repeating: 2, count: 32) + [UInt8](repeating: 3, count: 32))
        let key = try TicketKeys(file: path).current(now: 0)
        #expect(Array(key.name) == [UInt8](repeating: 1, count: 16))
        #expect(Array(key.authenticationKey) == [UInt8](repeating: 2, count: 32))
        #expect(Array(key.encryptionKey) == [UInt8](repeating: 3, count: 32))
    }

    @Test(arguments: [0, 48, 79, 81, 17 * 80])
    func `refuses a file of another size`(count: Int) throws {
        let path = try folder.write("ticket.key", [UInt8](repeating: 7, count: count))
        let error = #expect(throws: TLSError.self) { try TicketKeys(file: path) }
        #expect(error?.description.hasSuffix("create one with openssl rand 80, and chmod 600") == true)
    }

    @Test func `reports a missing file`() {
        let error = #expect(throws: TLSError.self) { try TicketKeys(file: "/nonexistent/ticket.key") }
        #expect(
            error?.description == "cannot read the ticket keys in /nonexistent/ticket.key: no such file or directory; "
                + "create one with openssl rand 80, and chmod 600")
    }
}
