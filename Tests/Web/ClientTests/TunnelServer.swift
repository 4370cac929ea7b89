// A proxy whose tunnels all end at the same server.

import Posix
import TestSupport

final class TunnelServer: Sendable {
    private let server: LoopbackServer
    /// The heads of the requests for a tunnel.
    let heard = Shared<[String]>([])
    var address: SocketAddress { server.address }

    /// - Parameter answer: to a request for a tunnel; bytes pass if it is a success.
    init(to target: SocketAddress, answering answer: String = "HTTP/1.1 200 Connected\r\n\r\n") throws {
        server = try LoopbackServer { [heard] client in
            let head = String(decoding: client.receive(), as: UTF8.self)
            heard.change { $0.append(head) }
            client.send(Array(answer.utf8))
            guard answer.hasPrefix("HTTP/1.1 2"), let server = try? ClientSocket(to: target, timeoutMilliseconds: 5_000)
            else { return }
            while let readable = client.firstReadable(or: server.number) {
                let bytes = ServerConnection.take(readable)
                if bytes.isEmpty { break }
                ServerConnection.put(bytes, readable == client.number ? server.number : client.number)
            }
        }
    }
}
