// A server that sends its last byte again and again, and never ends.

package import Posix

package final class DrippingServer: Sendable {
    private let server: LoopbackServer
    package var address: SocketAddress { server.address }

    /// Far more than a client accepts that limits its time.
    private static let dripsMax = 1_000

    /// - Parameter bytes: are sent at once; the last one then drips until the client closes.
    package init(_ bytes: [UInt8]) throws {
        server = try LoopbackServer { client in
            client.send(bytes)
            for _ in 0..<DrippingServer.dripsMax where !client.isStopping {
                if ServerConnection.isReadable(client.number, milliseconds: 10), client.receive().isEmpty { return }
                client.send(Array(bytes.suffix(1)))
            }
        }
    }
}
