// The owner of a file descriptor. It cannot be copied, so the descriptor is closed exactly once.

import CPosix
import Libc

/// An open file descriptor, closed at the end of this value's lifetime.
public struct Descriptor: ~Copyable, Sendable {
    public let number: Int32

    public init(takingOwnershipOf number: Int32) {
        precondition(number >= 0, "a descriptor is not negative")
        self.number = number
    }

    /// The result of a system call that makes a descriptor; throws its error.
    init(_ result: Int32, of call: String) throws(SystemError) {
        guard result >= 0 else { throw .last(call) }
        number = result
    }

    /// Opens a file or a directory. The corresponding C function is `open`.
    static func open(_ path: String, _ flags: Int32, permissions: UInt32 = 0) throws(SystemError) -> Descriptor {
        try unsafe Descriptor(associated_open(path, flags, Int32(permissions)), of: "open")
    }

    /// A new socket, which child processes do not inherit. The corresponding C function is `socket`.
    static func socket(
        _ family: Int32, _ type: Int32 = streamSocket, isBlocking: Bool = true
    ) throws(SystemError) -> Descriptor {
        try Descriptor(associated_socket(family, type, isBlocking ? 1 : 0), of: "socket")
    }

    /// Waits until one of these has bytes, its end or an error to read, or the time is up; forever if it is negative. Unlike `Poller`, it
    /// accepts files too, which are always readable. The corresponding C function is `poll`.
    public static func readable(among numbers: [Int32], milliseconds: Int32) -> [Bool] {
        var watched = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = unsafe poll(&watched, nfds_t(watched.count), milliseconds)
        return watched.map { count > 0 && $0.revents != 0 }
    }

    /// Hands the descriptor over to the caller, who closes it.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { closeDescriptor(number) }
}

/// Closes a descriptor whose owner is not a `Descriptor` (a slot of the connection table).
/// The corresponding C function is `close`, which Linux says must not be repeated after EINTR.
public func closeDescriptor(_ number: Int32) {
    let result = close(number)
    precondition(result == 0 || errno != EBADF, "a descriptor was closed twice")
}

// How many descriptors this process may have. Each connection needs one. The usual soft limit of 1,024 exists because select(2)
// supports no more; a process may raise it to the hard limit, which is the operator's actual limit.

public enum DescriptorLimit {
    /// Raises the limit as far as this process may, and returns it. The corresponding C function is `setrlimit`.
    @discardableResult
    public static func raise() -> Int {
        var limit = present
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            // If that is refused, the lower limit stays.
            _ = unsafe associated_set_descriptor_limit(&limit)
        }
        return count
    }

    /// The current limit.
    public static var count: Int { Int(clamping: present.rlim_cur) }

    private static var present: rlimit {
        var limit = rlimit()
        let result = unsafe associated_descriptor_limit(&limit)
        precondition(result == 0, "a process may ask for its own limits")
        return limit
    }
}
