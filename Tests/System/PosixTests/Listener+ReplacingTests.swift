// A Unix-domain socket replaces the one at its path, sets its permissions, and leaves the path to its successor.

import Foundation
import TestSupport
import Testing

@testable import Posix

struct ListenerReplacingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/admin.sock"
    }

    /// Whether a new connection reaches this listener; earlier ones are closed.
    private func isAnswered(_ path: String, by listener: borrowing Listener) throws -> Bool {
        while accepts(listener) {}
        _ = try ClientSocket(to: try #require(SocketAddress(path: path)), timeoutMilliseconds: 5_000)
        return accepts(listener)
    }

    private func accepts(_ listener: borrowing Listener) -> Bool {
        var peer = SocketAddress.unknown
        guard case .accepted(let number) = listener.accept(peer: &peer) else { return false }
        closeDescriptor(number)
        return true
    }

    @Test(arguments: [0o600, 0o660, 0o666] as [UInt32])
    func `creates the socket with exactly the given permissions`(permissions: UInt32) throws {
        let listener = try Listener.replacing(path, permissions: permissions)
        #expect(try File.status(path).permissions == permissions)
        #expect(try isAnswered(path, by: listener))
    }

    @Test func `a path leads to the newest listener, also after the first has gone`() throws {
        #expect(!Listener.isListening(at: path))
        let second: Listener
        do {
            let first = try Listener.replacing(path, permissions: 0o600)
            let firstFile = try #require(SocketFile(path))
            #expect(Listener.isListening(at: path))
            second = try Listener.replacing(path, permissions: 0o600)
            #expect(try isAnswered(path, by: second))
            #expect(try !isAnswered(path, by: first))
            firstFile.remove()
        }
        #expect(try isAnswered(path, by: second))
        let file = try #require(SocketFile(path))
        file.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `does not replace a file that is not a socket`() throws {
        try folder.write("admin.sock", "kept")
        let error = #expect(throws: SystemError.self) { _ = try Listener.replacing(path, permissions: 0o600) }
        #expect(error?.cause == .inUse)
        #expect(try folder.read("admin.sock") == "kept")
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.8.8.8:1", true), ("[::1]:1", true), ("unix:/a", true), ("0.0.0.0:1", false),
        ("[::]:1", false), ("192.0.2.1:1", false), ("[2001:db8::1]:1", false), ("[::ffff:127.0.0.1]:1", false),
    ])
    func `knows which addresses only this machine can reach`(text: String, isLocal: Bool) throws {
        #expect(try #require(SocketAddress(text)).isLocal == isLocal)
    }
}

extension Listener {
    fileprivate static func replacing(_ path: String, permissions: UInt32) throws(SystemError) -> Listener {
        let listener = try Listener(laterAt: path)
        try listener.listen(replacing: path, permissions: permissions)
        return listener
    }
}
