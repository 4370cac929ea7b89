// A listening socket with several owners: the parent process keeps it open while servers come and go, and the workers of a server
// accept from it.

import CLinux
import CPosix
import Libc
import Synchronization

/// Closed with its last owner. A socket file that was made for it is removed then.
public final class ListeningSocket: Sendable {
    public let listener: Listener
    private let file: Mutex<SocketFile?>
    /// Whether it listens only since `listen` has succeeded.
    private let isLate: Bool

    /// Why an inherited descriptor is of no use.
    public struct Problem: Error, CustomStringConvertible {
        public let description: String
    }

    /// Listens at an address. With `sharesPort`, other sockets may listen at the same address.
    public init(_ address: SocketAddress, sharesPort: Bool) throws(SystemError) {
        listener = try Listener(address, sharesPort: sharesPort)
        file = Mutex(address.path.flatMap { SocketFile($0) })
        isLate = false
    }

    public convenience init(replacing path: String, permissions: UInt32) throws(SystemError) {
        try self.init(laterAt: path)
        try listen(permissions: permissions)
    }

    /// A socket for a path, which does not listen before `listen` succeeds. A process may inherit it before.
    public init(laterAt path: String) throws(SystemError) {
        listener = try Listener(laterAt: path)
        file = Mutex(nil)
        isLate = true
    }

    /// Replaces the socket at the path.
    public func listen(permissions: UInt32) throws(SystemError) {
        guard let path = address.path else { preconditionFailure("the socket is for a path") }
        try listener.listen(replacing: path, permissions: permissions)
        file.withLock { $0 = SocketFile(path) }
    }

    public var isListening: Bool { !isLate || file.withLock { $0 } != nil }

    /// Takes over a socket that listened before this process began.
    /// - Parameter mayBeLate: whether it may not listen yet.
    public init(inheriting number: Int32, named name: String, mayBeLate: Bool = false) throws(Problem) {
        // Checked first: a number that is no descriptor must not be owned, and closed, as one.
        guard let accepts = ListeningSocket.option(SO_ACCEPTCONN, of: number), accepts == 1 || mayBeLate,
            ListeningSocket.option(SO_TYPE, of: number) == Int32(SOCK_STREAM.rawValue)
        else {
            throw Problem(
                description: "the inherited descriptor \(number) (\(name)) is no listening stream socket; "
                    + "use ListenStream= with Accept=no in the socket unit")
        }
        let descriptor = Descriptor(takingOwnershipOf: number)
        guard associated_adopt(number) == 0 else {
            throw Problem(description: "cannot take over the inherited socket \(name): \(SystemError.last("fcntl"))")
        }
        let address = SocketAddress(of: number)
        if !address.isUnix { setOption(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        listener = Listener(takingOwnershipOf: descriptor, address: address)
        file = Mutex(nil)
        isLate = false
    }

    /// The first descriptor that systemd hands over (sd-daemon.h, `SD_LISTEN_FDS_START`).
    private static let firstActivated: Int32 = 3

    /// Takes the sockets that systemd has opened for this process (socket activation, sd_listen_fds(3)), with the names that the units
    /// give them (`FileDescriptorName=`; empty without one), and removes what announces them from the environment. Called once, before
    /// any thread is started.
    public static func takeActivated() throws(Problem) -> [(name: String, socket: ListeningSocket)] {
        let process = environment("LISTEN_PID").flatMap { pid_t($0) }
        let count = environment("LISTEN_FDS").flatMap { Int32($0) } ?? 0
        let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) }
        guard process == getpid(), count > 0 else { return [] }
        var sockets: [(name: String, socket: ListeningSocket)] = []
        for index in 0..<min(count, 1_024) {
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            sockets.append((name, try ListeningSocket(inheriting: firstActivated + index, named: name)))
        }
        return sockets
    }

    public var address: SocketAddress { listener.address }

    /// The descriptor, to pass it to a child.
    public var number: Int32 { listener.descriptor.number }

    /// False when the path of the socket leads to another socket, or to none.
    public var isReachable: Bool { file.withLock { $0 }?.isPresent ?? !isLate }

    /// Nil when the descriptor is not open or is no socket.
    private static func option(_ name: Int32, of number: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(number, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    deinit { file.withLock { $0 }?.remove() }
}

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
