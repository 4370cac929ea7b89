// Something on the way that spoils what a client sends: the one kind of damage that TLS is there to notice.

import Foundation
import Posix

/// Passes one connection on to a server, with the last byte of what the client sends spoiled from its third part on: the
/// first two are the handshake's.
final class SpoilingProxy: Sendable {
    private let listener: Listener
    private let target: SocketAddress
    var address: SocketAddress { listener.address }

    init(to target: SocketAddress) throws {
        self.target = target
        listener = try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false)
    }

    /// Serves one connection to its end.
    func run() throws {
        let poller = try Poller()
        poller.add(listener.descriptor.number, .readable, token: 0)
        guard poller.wait(milliseconds: 10_000) == 1 else { return }
        var peer = SocketAddress.unknown
        guard case .accepted(let number) = listener.accept(peer: &peer) else { return }
        let client = Descriptor(takingOwnershipOf: number)
        poller.remove(listener.descriptor.number)
        let server = try ClientSocket(to: target, timeoutMilliseconds: 10_000)
        poller.add(client.number, .readable, token: 1)
        poller.add(server.number, .readable, token: 2)
        var parts = 0
        while poller.wait(milliseconds: 10_000) > 0 {
            if poller.event(0).token == 2 {
                let bytes = try server.receive()
                if bytes.isEmpty { return }
                _ = bytes.withUnsafeBytes { transmit(client.number, $0) }
            } else {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                guard case .moved(let count) = buffer.withUnsafeMutableBytes({ receive(client.number, into: $0) })
                else { return }
                parts += 1
                if parts > 2 { buffer[count - 1] ^= 1 }
                try server.send(Array(buffer.prefix(count)))
            }
        }
    }
}
