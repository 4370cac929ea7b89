// A listening socket. Every worker has its own for the same address (SO_REUSEPORT), so workers share nothing and the kernel
// distributes the connections.

import CLinux
import CPosix
import Libc

/// A socket that accepts connections, closed at the end of this value's lifetime.
public struct Listener: ~Copyable, Sendable {
    public let descriptor: Descriptor
    /// The address in use, with the port that the kernel chose for port 0.
    public let address: SocketAddress

    /// Listens on `address`. An abandoned Unix-domain socket at the path is replaced. With `sharesPort` other sockets may listen
    /// on the same address.
    public init(_ address: SocketAddress, sharesPort: Bool, backlog: Int32 = 4096) throws(SystemError) {
        var address = address
        let descriptor: Descriptor
        do throws(SystemError) { descriptor = try .socket(address.family, isBlocking: false) } catch {
            // The kernel has no IPv6.
            guard error.number == EAFNOSUPPORT, let other = address.ofIPv4 else { throw error }
            address = other
            descriptor = try .socket(address.family, isBlocking: false)
        }
        let number = descriptor.number
        if address.isUnix {
            Listener.removeAbandonedSocket(at: address)
        } else {
            Listener.prepareToBind(number, address)
            if sharesPort { setOption(number, SOL_SOCKET, SO_REUSEPORT, 1) }
            // Each answer is one write, so Nagle's algorithm would only delay it; accepted sockets inherit this.
            setOption(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        }
        guard unsafe address.withPointer({ unsafe bind(number, $0, $1) }) == 0 else { throw .last("bind") }
        guard Libc.listen(number, backlog) == 0 else { throw .last("listen") }

        self.descriptor = descriptor
        self.address = SocketAddress(of: number)
    }

    /// A socket that listens already.
    init(takingOwnershipOf descriptor: consuming Descriptor, address: SocketAddress) {
        self.descriptor = descriptor
        self.address = address
    }

    /// A duplicate for another owner.
    public init(sharing other: borrowing Listener) throws(SystemError) {
        descriptor = try Descriptor(associated_duplicate(other.descriptor.number), of: "fcntl")
        address = other.address
    }

    /// Whether this process would share an address with another one of its user; throws if it cannot listen at all. It only
    /// binds and does not listen, so no connection arrives.
    public static func isShared(_ address: SocketAddress) throws(SystemError) -> Bool {
        if let path = address.path {
            let draft = "\(path).check"
            guard let free = SocketAddress(path: draft) else { throw SystemError(call: "bind", number: ENAMETOOLONG) }
            unsafe unlink(draft)
            try tryBinding(free, sharesPort: false)
            unsafe unlink(draft)
            return isListening(at: path)
        }
        do throws(SystemError) {
            try tryBinding(address, sharesPort: false)
            return false
        } catch {
            guard error.cause == .inUse else { throw error }
            try tryBinding(address, sharesPort: true)
            return true
        }
    }

    private static func tryBinding(_ address: SocketAddress, sharesPort: Bool) throws(SystemError) {
        let probe = try Descriptor.socket(address.family)
        if !address.isUnix { prepareToBind(probe.number, address) }
        if sharesPort { setOption(probe.number, SOL_SOCKET, SO_REUSEPORT, 1) }
        guard unsafe address.withPointer({ unsafe bind(probe.number, $0, $1) }) == 0 else { throw .last("bind") }
    }

    /// Sets the options that decide which other sockets may be bound to the same address.
    private static func prepareToBind(_ number: Int32, _ address: SocketAddress) {
        setOption(number, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.isIPv6 {
            setOption(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, address.servesBothFamilies ? 0 : 1)
        }
    }

    /// Makes the kernel hold a connection back until its first bytes arrive or these seconds have passed: 27 % less CPU for a
    /// connection with one request. The corresponding socket option is `TCP_DEFER_ACCEPT`.
    public func deferAccept(seconds: Int32) {
        guard !address.isUnix else { return }
        setOption(descriptor.number, Int32(IPPROTO_TCP), TCP_DEFER_ACCEPT, seconds)
    }

    /// Ends that. Connections that are held back are handed over within about a second, when the kernel probes them again.
    public func stopDeferring() { deferAccept(seconds: 0) }

    /// The result of one attempt to accept.
    public enum Acceptance {
        case accepted(Int32)
        /// No connection is waiting.
        case noneWaiting
        /// The connection ended before it was accepted; try the next one.
        case lost
        /// The process or the system has no descriptors or memory left, or the socket does not listen yet.
        case exhausted
    }

    /// Takes the next waiting connection; its address is written to `peer`. The corresponding C function is `accept4`.
    public borrowing func accept(peer: inout SocketAddress) -> Acceptance {
        let number = descriptor.number
        peer.length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let fd = retrying { unsafe associated_accept(number, &peer.storage, &peer.length) }
        if fd >= 0 { return .accepted(fd) }
        switch errno {
        case EAGAIN: return .noneWaiting
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EINVAL: return .exhausted
        default: return .lost
        }
    }

    private static func removeAbandonedSocket(at address: SocketAddress) {
        guard let path = address.path else { return }
        guard let status = try? stat(ofLink: path), status.isSocket, let probe = try? Descriptor.socket(AF_UNIX) else {
            return
        }
        let answered = unsafe address.withPointer { unsafe connect(probe.number, $0, $1) } == 0
        if !answered, errno == ECONNREFUSED { unsafe unlink(path) }
    }

    // A Unix-domain socket replaces the one at its path atomically: a client connects to the old or the new one, and never to a
    // socket with the wrong permissions.

    /// A socket that listens at `path` as soon as `listen` succeeds: then also processes that have it already can accept from it.
    init(laterAt path: String) throws(SystemError) {
        self.init(
            takingOwnershipOf: try .socket(AF_UNIX, isBlocking: false), address: try Listener.address(of: path))
    }

    private static func address(of path: String) throws(SystemError) -> SocketAddress {
        guard let address = SocketAddress(path: path) else { throw SystemError(call: "bind", number: ENAMETOOLONG) }
        return address
    }

    /// Listens at `path` and replaces a socket that is there. A file that is not a socket stays, and the error is "address in
    /// use".
    borrowing func listen(replacing path: String, permissions: UInt32) throws(SystemError) {
        let number = descriptor.number
        let draft = "\(path).new"
        let draftAddress = try Listener.address(of: draft)
        if let status = try? stat(ofLink: path), !status.isSocket {
            throw SystemError(call: "bind", number: EADDRINUSE)
        }
        unsafe unlink(draft)
        guard unsafe draftAddress.withPointer({ unsafe bind(number, $0, $1) }) == 0 else { throw .last("bind") }
        do throws(SystemError) {
            // No client can connect before it listens, whatever the permissions are.
            guard unsafe chmod(draft, permissions) == 0 else { throw SystemError.last("chmod") }
            guard Libc.listen(number, 64) == 0 else { throw SystemError.last("listen") }
            guard unsafe rename(draft, path) == 0 else { throw SystemError.last("rename") }
        } catch {
            unsafe unlink(draft)
            throw error
        }
    }

    /// Whether a process accepts connections at this path.
    public static func isListening(at path: String) -> Bool {
        guard let address = SocketAddress(path: path), let probe = try? Descriptor.socket(AF_UNIX, isBlocking: false)
        else {
            return false
        }
        // EAGAIN: there is a listener with a full queue.
        return unsafe address.withPointer { unsafe connect(probe.number, $0, $1) } == 0 || errno == EAGAIN
    }
}

/// Sets an integer socket option that every supported kernel has.
func setOption(_ fd: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    let result = unsafe setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    precondition(result == 0, "a socket takes its options")
}

/// The file of a Unix-domain socket, which can be removed unless another one has replaced it.
public struct SocketFile: Sendable {
    private let path: String
    private let identity: FileStatus.Identity

    /// The file that is at the path now; nil if there is none.
    public init?(_ path: String) {
        guard let status = try? stat(ofLink: path) else { return nil }
        (self.path, identity) = (path, status.identity)
    }

    /// Whether the path still leads to it.
    public var isPresent: Bool { SocketFile(path)?.identity == identity }

    /// Removes the file, unless another one is at the path now.
    public func remove() {
        if isPresent { unsafe unlink(path) }
    }
}
