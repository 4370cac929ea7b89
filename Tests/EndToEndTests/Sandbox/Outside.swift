// Targets outside the sandbox: a service in the network, and sockets of other processes on the machine. A server under an
// attacker's control must reach none of them except systemd.

import Glibc
import Posix
import Testing

final class Outside {
    /// A service that the server must not reach.
    private let service: Listener
    /// The notification socket that the server is connected to, and another one of its kind.
    private let supervisor: ActivationTests.Ear
    private let other: ActivationTests.Ear
    let environment: [String: String]

    init(in folder: String) throws {
        service = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false)
        supervisor = try ActivationTests.Ear("\(folder)/notify")
        other = try ActivationTests.Ear("\(folder)/other")
        environment = [
            "PROBE_PORT": "\(service.address.port)", "PROBE_PATH": "\(folder)/other",
            "NOTIFY_SOCKET": "\(folder)/notify",
        ]
    }

    /// What the server has reached, except the notification socket.
    func reached() throws -> Set<String> {
        var reached: Set<String> = []
        var peer = SocketAddress.unknown
        if case .accepted(let number) = service.accept(peer: &peer) {
            close(number)
            reached.insert("service")
        }
        if other.hasMessage { reached.insert("other") }
        return reached
    }
}
