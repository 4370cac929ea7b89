// A listening socket. Every worker has its own for the same address (SO_REUSEPORT), so workers share nothing and the
// kernel spreads the connections; a second process may listen beside the first for a restart without a gap.

import CLinux
import Glibc

/// A socket that accepts connections, closed when its owner ends.
public struct Listener: ~Copyable, Sendable {
    public let descriptor: Descriptor
    /// The address in use: with the port that the kernel picked when port 0 was asked for.
    public let address: SocketAddress
    /// Whether it is one of several names for the same socket.
    private let isShared: Bool

    /// Listens on `address`. A Unix-domain path that nobody listens on any more is replaced. With `sharesPort` other sockets
    /// may listen on the same address.
    public init(_ address: SocketAddress, sharesPort: Bool, backlog: Int32 = 4096) throws(SystemError) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        var (number, address) = (socket(address.family, kind, 0), address)
        // A kernel without IPv6.
        if number < 0, errno == EAFNOSUPPORT, let other = address.ofIPv4 {
            (number, address) = (socket(other.family, kind, 0), other)
        }
        guard number >= 0 else { throw .last("socket") }
        let descriptor = Descriptor(takingOwnershipOf: number)

        if address.isUnix {
            Listener.removeAbandonedSocket(at: address)
        } else {
            Listener.prepareToBind(number, address)
            if sharesPort { setOption(number, SOL_SOCKET, SO_REUSEPORT, 1) }
            // Answers are written whole, so Nagle's algorithm could only delay them; accepted sockets inherit this.
            setOption(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        }
        guard unsafe address.withPointer({ unsafe bind(number, $0, $1) }) == 0 else { throw .last("bind") }
        guard listen(number, backlog) == 0 else { throw .last("listen") }

        self.descriptor = descriptor
        self.address = SocketAddress(of: number)
        isShared = false
    }

    /// What another initialiser has bound and made to listen.
    init(takingOwnershipOf descriptor: consuming Descriptor, address: SocketAddress) {
        self.descriptor = descriptor
        self.address = address
        isShared = false
    }

    /// The same socket again, for another worker where the kernel cannot spread connections (Unix-domain paths).
    public init(sharing other: borrowing Listener) throws(SystemError) {
        let number = associated_duplicate(other.descriptor.number)
        guard number >= 0 else { throw .last("fcntl") }
        descriptor = Descriptor(takingOwnershipOf: number)
        address = other.address
        isShared = true
    }

    /// A socket that listened before this process began; others may hold it too, and go on accepting after us.
    public init(sharing other: InheritedSocket) throws(SystemError) {
        let number = associated_duplicate(other.descriptor.number)
        guard number >= 0 else { throw .last("fcntl") }
        descriptor = Descriptor(takingOwnershipOf: number)
        address = other.address
        isShared = true
        if !address.isUnix { setOption(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
    }

    /// Whether somebody listens on this address, so that a listener which shares its port would get only some of the
    /// connections. Found by trying to have it alone; nobody who would connect notices.
    public static func isInUse(_ address: SocketAddress) -> Bool {
        if address.isUnix { return false }
        let number = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return false }
        let probe = Descriptor(takingOwnershipOf: number)
        prepareToBind(probe.number, address)
        let isFree = unsafe address.withPointer { unsafe bind(probe.number, $0, $1) } == 0
        return !isFree && errno == EADDRINUSE
    }

    /// Whether this process would listen at an address beside another one of its user; throws where it cannot listen at all.
    /// Nothing listens here, so no connection comes.
    public static func isShared(_ address: SocketAddress) throws(SystemError) -> Bool {
        if let path = address.path {
            let draft = "\(path).check"
            guard let free = SocketAddress(path: draft) else { throw SystemError(call: "bind", number: ENAMETOOLONG) }
            unsafe unlink(draft)
            try tryBinding(free, sharesPort: false)
            unsafe unlink(draft)
            return isAlive(at: path)
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
        let number = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw .last("socket") }
        let probe = Descriptor(takingOwnershipOf: number)
        if !address.isUnix { prepareToBind(probe.number, address) }
        if sharesPort { setOption(probe.number, SOL_SOCKET, SO_REUSEPORT, 1) }
        guard unsafe address.withPointer({ unsafe bind(probe.number, $0, $1) }) == 0 else { throw .last("bind") }
    }

    /// What decides which other sockets an address can be bound beside.
    private static func prepareToBind(_ number: Int32, _ address: SocketAddress) {
        setOption(number, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.isIPv6 {
            setOption(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, address.servesBothFamilies ? 0 : 1)
        }
    }

    /// Lets the kernel hold a connection back until its first bytes are here, or so many seconds have passed: 27 % less CPU
    /// for a connection that serves one request. The corresponding socket option is `TCP_DEFER_ACCEPT`.
    public func deferAccept(seconds: Int32) {
        guard !address.isUnix else { return }
        setOption(descriptor.number, Int32(IPPROTO_TCP), TCP_DEFER_ACCEPT, seconds)
    }

    /// Has a connection handed over at its first byte or never, from now on: those that are silent show themselves within
    /// a second or so, when the kernel asks them again whether they are there.
    public func stopDeferring() { deferAccept(seconds: 0) }

    /// Leads new connections to some of the sockets that share the port, counted in the order in which they began to
    /// listen, each as likely as the others. The kernel keeps to it until all of them are closed or `leadNowhere` is called
    /// on any. Refused by some kernels, which costs nothing but a connection or two.
    /// The corresponding socket option is `SO_ATTACH_REUSEPORT_CBPF`.
    public func lead(to sockets: Range<Int>) {
        guard !isShared, !address.isUnix, !sockets.isEmpty else { return }
        _ = associated_lead_to(descriptor.number, UInt32(sockets.lowerBound), UInt32(sockets.count))
    }

    /// Lets the kernel spread connections over all sockets again. False when it did so already.
    /// The corresponding socket option is `SO_DETACH_REUSEPORT_BPF`.
    @discardableResult
    public func leadNowhere() -> Bool {
        !isShared && !address.isUnix && associated_lead_nowhere(descriptor.number) == 0
    }

    /// What the kernel calls this socket, unlike every other one of this machine; 0 when it is one of several names for the
    /// same socket.
    public var inode: UInt64 {
        var status = stat()
        guard !isShared, !address.isUnix, unsafe fstat(descriptor.number, &status) == 0 else { return 0 }
        return UInt64(status.st_ino)
    }

    /// What came of one attempt to accept.
    public enum Acceptance {
        case accepted(Int32)
        /// Nobody is waiting.
        case nobody
        /// The connection ended before it was accepted; try the next one.
        case lost
        /// The process or the system has no descriptor or memory left.
        case exhausted
    }

    /// Takes the next waiting connection; its address is written to `peer`. The corresponding C function is `accept4`.
    public borrowing func accept(peer: inout SocketAddress) -> Acceptance {
        let number = descriptor.number
        peer.length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let fd = retrying { unsafe associated_accept(number, &peer.storage, &peer.length) }
        if fd >= 0 { return .accepted(fd) }
        switch errno {
        case EAGAIN: return .nobody
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        default: return .lost
        }
    }

    private static func removeAbandonedSocket(at address: SocketAddress) {
        guard let path = address.path else { return }
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return }
        let owner = Descriptor(takingOwnershipOf: probe)
        let answered = unsafe address.withPointer { unsafe connect(owner.number, $0, $1) } == 0
        if !answered, errno == ECONNREFUSED { unsafe unlink(path) }
    }

    // A Unix-domain socket that takes the place of whatever is at its path, in one step: whoever connects meets the old one or
    // the new one, and nobody meets a socket that is open to more users than it shall be.

    /// Listens at `path`, which from then on leads here and no longer to a socket that was there. Something else than a
    /// socket stays, and the address is in use then.
    public init(replacing path: String, permissions: UInt32, backlog: Int32 = 64) throws(SystemError) {
        let draft = "\(path).new"
        guard let address = SocketAddress(path: path), let draftAddress = SocketAddress(path: draft) else {
            throw SystemError(call: "bind", number: ENAMETOOLONG)
        }
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            throw SystemError(call: "bind", number: EADDRINUSE)
        }
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw .last("socket") }
        let descriptor = Descriptor(takingOwnershipOf: number)
        unsafe unlink(draft)
        guard unsafe draftAddress.withPointer({ unsafe bind(number, $0, $1) }) == 0 else { throw .last("bind") }
        do throws(SystemError) {
            // Before it listens nobody can connect, whatever the permissions are.
            guard unsafe chmod(draft, permissions) == 0 else { throw SystemError.last("chmod") }
            guard listen(number, backlog) == 0 else { throw SystemError.last("listen") }
            guard unsafe rename(draft, path) == 0 else { throw SystemError.last("rename") }
        } catch {
            unsafe unlink(draft)
            throw error
        }
        self.init(takingOwnershipOf: descriptor, address: address)
    }

    /// Whether somebody accepts connections at this path.
    public static func isAlive(at path: String) -> Bool {
        guard let address = SocketAddress(path: path) else { return false }
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { return false }
        let probe = Descriptor(takingOwnershipOf: number)
        // EAGAIN: there is somebody, whose queue is full.
        return unsafe address.withPointer { unsafe connect(probe.number, $0, $1) } == 0 || errno == EAGAIN
    }
}

/// Sets an integer socket option that every kernel we run on has.
func setOption(_ fd: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    let result = unsafe setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    precondition(result == 0, "a socket takes its options")
}

extension SocketAddress {
    /// An address to be filled by `Listener.accept`.
    public static var unknown: SocketAddress { SocketAddress(storage: sockaddr_storage(), length: 0) }
}

/// The file of a Unix-domain socket, told from one that has come in its place.
public struct SocketFile: Sendable {
    private let path: String
    private let device: UInt64
    private let inode: UInt64

    /// What is at the path now; nil when nothing is.
    public init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Removes it, unless the path leads to another one by now.
    public func remove() {
        guard let now = SocketFile(path), now.device == device, now.inode == inode else { return }
        unsafe unlink(path)
    }
}
