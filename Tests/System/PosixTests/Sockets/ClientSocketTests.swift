// What a connection does when the other side does nothing, or not any more.

import TestSupport
import Testing

@testable import Posix

struct ClientSocketTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let local = SocketAddress("127.0.0.1:0")!

    @Test func `a port without a listener refuses`() throws {
        let address: SocketAddress
        do { address = try Listener(Self.local, sharesPort: false).address }
        let error = #expect(throws: SystemError.self) { _ = try ClientSocket(to: address, timeoutMilliseconds: 5_000) }
        #expect(error?.call == "connect" && error?.isTimeOut == false)
    }

    @Test(arguments: [nil, 30])
    func `receiving from a silent server ends in time`(own: Int?) throws {
        let listener = try Listener(Self.local, sharesPort: false)
        let client = try ClientSocket(to: listener.address, timeoutMilliseconds: own == nil ? 30 : 60_000)
        let began = Clock.monotonicMilliseconds()
        let error = #expect(throws: SystemError.self) { _ = try client.receive(within: own) }
        #expect(error?.call == "recv" && error?.isTimeOut == true)
        #expect(Clock.monotonicMilliseconds() - began < 10_000)
    }

    @Test func `sending to a server that reads nothing ends in time`() throws {
        let listener = try Listener(Self.local, sharesPort: false)
        let client = try ClientSocket(to: listener.address, timeoutMilliseconds: 60_000)
        let error = #expect(throws: SystemError.self) {
            try client.send([UInt8](repeating: 0, count: 64 << 20), within: 30)
        }
        #expect(error?.call == "send" && error?.isTimeOut == true)
    }

    @Test func `a full queue of a Unix socket is no failure, but is not waited for without end`() throws {
        let address = try #require(SocketAddress(path: "\(folder.path)/socket"))
        let listener = try Listener(address, sharesPort: false, backlog: 0)
        let first = try ClientSocket(to: address, timeoutMilliseconds: 5_000)
        let error = #expect(throws: SystemError.self) { _ = try ClientSocket(to: address, timeoutMilliseconds: 30) }
        #expect(error?.call == "connect" && error?.isTimeOut == true)
        var peer = SocketAddress.unknown
        guard case .accepted(let number) = listener.accept(peer: &peer) else {
            Issue.record("the first connection is not there")
            return
        }
        let server = Descriptor(takingOwnershipOf: number)
        let second = try ClientSocket(to: address, timeoutMilliseconds: 5_000)
        #expect(first.number != second.number && server.number != second.number)
    }
}
