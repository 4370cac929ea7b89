// Listening sockets that the service manager has opened (socket activation, sd_listen_fds(3)): ports below 1024 then need no
// privilege, and no connection is refused while the server restarts. It works without a library: the sockets are descriptors
// 3, 4, …, and three environment variables state their number and names.

import CLinux
import Glibc

/// A listening socket from the service manager. Workers duplicate it; it is closed with its last owner.
public final class InheritedSocket: Sendable {
    let descriptor: Descriptor
    /// Its name in the socket unit (`FileDescriptorName=`); empty when it has none.
    public let name: String
    public let address: SocketAddress

    /// The first inherited descriptor (sd-daemon.h, `SD_LISTEN_FDS_START`).
    private static let firstNumber: Int32 = 3

    /// Why an inherited socket cannot be used.
    public struct Problem: Error, CustomStringConvertible {
        public let description: String
    }

    /// Takes the sockets that are meant for this process, and removes the variables from the environment, so that no child
    /// process uses them. To be called once, before any thread is started.
    public static func takeAll() throws(Problem) -> [InheritedSocket] {
        let process = environment("LISTEN_PID").flatMap { pid_t($0) }
        let count = environment("LISTEN_FDS").flatMap { Int32($0) } ?? 0
        let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) }
        guard process == getpid(), count > 0 else { return [] }
        var sockets: [InheritedSocket] = []
        for index in 0..<min(count, 1_024) {
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            sockets.append(try InheritedSocket(number: firstNumber + index, name: name))
        }
        return sockets
    }

    private init(number: Int32, name: String) throws(Problem) {
        // Checked first, because a number that is not a descriptor must not be closed.
        guard InheritedSocket.option(SO_ACCEPTCONN, of: number) == 1,
            InheritedSocket.option(SO_TYPE, of: number) == Int32(SOCK_STREAM.rawValue)
        else {
            throw Problem(
                description: "the inherited descriptor \(number) (\(name)) is not a listening stream socket; "
                    + "use ListenStream= with Accept=no in the socket unit")
        }
        descriptor = Descriptor(takingOwnershipOf: number)
        self.name = name
        guard associated_adopt(number) == 0 else {
            throw Problem(description: "cannot take over the inherited socket \(name): \(SystemError.last("fcntl"))")
        }
        address = SocketAddress(of: number)
    }

    /// Nil when the descriptor is not open or not a socket.
    private static func option(_ name: Int32, of number: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(number, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}

/// An environment variable; nil when it is not set.
func environment(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

extension SocketAddress {
    /// The address that a socket is bound to.
    init(of number: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe getsockname(number, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
        }
        precondition(result == 0, "a socket has an address")
        self.init(storage: storage, length: length)
    }
}
