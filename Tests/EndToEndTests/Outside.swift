// Targets outside the sandbox: a service in the network, and sockets of other processes on the machine. A server under an
// attacker's control must reach none of them except systemd.

import Foundation
import Glibc
import Posix
import Testing

final class Outside {
    /// A service that the server must not reach.
    private let service: Listener
    /// The notification socket that the server is connected to, and another one of its kind.
    private let supervisor: Descriptor
    private let other: Descriptor
    let environment: [String: String]

    init(in folder: String) throws {
        service = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false)
        supervisor = try Outside.datagrams(at: "\(folder)/notify")
        other = try Outside.datagrams(at: "\(folder)/other")
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
        var buffer = [UInt8](repeating: 0, count: 256)
        if recv(other.number, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 { reached.insert("other") }
        return reached
    }

    private static func datagrams(at path: String) throws -> Descriptor {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(number >= 0)
        let descriptor = Descriptor(takingOwnershipOf: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        return descriptor
    }
}
