// A proxy that damages what a client sends, which TLS must detect.

import Foundation
import Posix

/// Forwards one connection to a server and damages the last byte of each encrypted record of the client, except for
/// the first, which ends the handshake of TLS 1.3. A read may contain any part of the records.
final class DamagingProxy: Sendable {
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
        var records = ClientRecords()
        while poller.wait(milliseconds: 10_000) > 0 {
            if poller.event(0).token == 2 {
                let bytes = try server.receive()
                if bytes.isEmpty { return }
                _ = bytes.withUnsafeBytes { transmit(client.number, $0) }
            } else {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                guard case .moved(let count) = buffer.withUnsafeMutableBytes({ receive(client.number, into: $0) })
                else { return }
                let damaged = records.damage(buffer.prefix(count))
                if !damaged.isEmpty { try server.send(damaged) }
            }
        }
    }
}

/// The records of a client, put together from what is read.
private struct ClientRecords {
    private var held: [UInt8] = []
    private var encryptedCount = 0

    /// The records that are complete now, as they are forwarded.
    mutating func damage(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        held += bytes
        var whole: [UInt8] = []
        // Type, version and length precede a record's contents (RFC 8446 §5.1); 23 is "application data".
        while held.count >= 5 {
            let count = 5 + Int(held[3]) << 8 + Int(held[4])
            if held.count < count { break }
            if held[0] == 23 {
                encryptedCount += 1
                if encryptedCount > 1 { held[count - 1] ^= 1 }
            }
            whole += held.prefix(count)
            held.removeFirst(count)
        }
        return whole
    }
}
