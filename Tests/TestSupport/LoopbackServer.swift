// A server at a port of this machine, for tests of clients.

import Glibc
package import Posix
import Synchronization

/// One thread that serves one connection after the other until the server is released.
package final class LoopbackServer: Sendable {
    package let address: SocketAddress
    private let isStopping: StopFlag
    private let thread: Mutex<Posix.Thread?>

    package init(_ serve: @escaping @Sendable (ServerConnection) -> Void) throws {
        // OpenSSL writes to connections that the other side may have closed.
        signal(SIGPIPE, SIG_IGN)
        let listener = try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false)
        let isStopping = StopFlag()
        address = listener.address
        self.isStopping = isStopping
        thread = Mutex(
            try Posix.Thread(name: "server", owning: listener) { listener in
                while !isStopping.value {
                    guard ServerConnection.isReadable(listener.descriptor.number, milliseconds: 20) else { continue }
                    var peer = SocketAddress.unknown
                    guard case .accepted(let fd) = listener.accept(peer: &peer) else { continue }
                    serve(ServerConnection(takingOwnershipOf: fd, until: isStopping))
                }
            })
    }

    deinit {
        isStopping.set()
        thread.withLock { $0.take()?.join() }
    }
}

/// Whether the thread of a server has to end.
package final class StopFlag: Sendable {
    private let isSet = Atomic<Bool>(false)

    package init() {}
    package var value: Bool { isSet.load(ordering: .relaxed) }
    package func set() { isSet.store(true, ordering: .relaxed) }
}

/// One client of a server.
package final class ServerConnection {
    package let number: Int32
    package var isStopping: Bool { flag.value }
    private let flag: StopFlag

    package init(takingOwnershipOf number: Int32, until flag: StopFlag) {
        self.number = number
        self.flag = flag
    }

    deinit { close(number) }

    package static func isReadable(_ number: Int32, milliseconds: Int32) -> Bool {
        var event = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, milliseconds) > 0
    }

    /// The first of this client and other sockets that has something to read; nil after ten seconds, or when the server stops.
    package func firstReadable(or others: Int32...) -> Int32? {
        for _ in 0..<500 where !isStopping {
            var events = ([number] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&events, nfds_t(events.count), 20) > 0 { return events.first { $0.revents != 0 }?.fd }
        }
        return nil
    }

    /// Whatever comes next; nothing at the end, after ten seconds, or when the server stops.
    package func receive() -> [UInt8] { firstReadable() == nil ? [] : ServerConnection.take(number) }

    package static func take(_ number: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        guard case .moved(let count) = bytes.withUnsafeMutableBytes({ Posix.receive(number, into: $0) }) else {
            return []
        }
        return Array(bytes.prefix(count))
    }

    package func send(_ bytes: [UInt8]) { ServerConnection.put(bytes, number) }

    package static func put(_ bytes: [UInt8], _ number: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ transmit(number, $0) }) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                var event = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                if poll(&event, 1, 2_000) <= 0 { return }
            case .ended, .failed: return
            }
        }
    }

    /// Until the client sends something or closes, or the server stops.
    package func stall() { while !isStopping, !ServerConnection.isReadable(number, milliseconds: 20) {} }
}
