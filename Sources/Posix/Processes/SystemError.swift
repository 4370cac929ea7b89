// What the kernel said, as a value. Expected outcomes (would block, end of stream) are not errors and have types of
// their own; this is for calls that a caller cannot carry on from.

import Glibc

/// A system call that failed, by name, with its `errno`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    public let call: String
    public let number: Int32

    public init(call: String, number: Int32) {
        self.call = call
        self.number = number
    }

    /// The failure of `call` that `errno` describes at this moment.
    static func last(_ call: String) -> SystemError { SystemError(call: call, number: errno) }

    /// A call about something that is not there.
    public static func missing(_ call: String) -> SystemError { SystemError(call: call, number: ENOENT) }

    /// A call that the kernel has no room for.
    public static func exhausted(_ call: String) -> SystemError { SystemError(call: call, number: ENOSPC) }

    /// A call that did not come to its end in time.
    public static func timedOut(_ call: String) -> SystemError { SystemError(call: call, number: ETIMEDOUT) }

    /// The kernel's own words, in lower case as our messages are: "permission denied".
    public var reason: String {
        let text = unsafe String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    public var description: String { "\(call): \(reason)" }

    /// Whether a path was refused because it leads out of the directory that it must stay below.
    public var leadsOutside: Bool { number == EXDEV }

    /// Whether there is nothing of that name.
    public var isMissing: Bool { number == ENOENT || number == ENOTDIR }

    /// Whether the process, or the system, had no descriptor or no memory left: that says nothing about what was asked for, and
    /// may be over in a moment.
    public var isShortage: Bool { number == EMFILE || number == ENFILE || number == ENOMEM }

    /// The failures that have an advice of their own.
    public enum Cause: Sendable {
        case permission
        case inUse
        case noSuchAddress
        case other
    }

    /// Whether the time was up.
    public var isTimeOut: Bool { number == ETIMEDOUT || number == EAGAIN }

    public var cause: Cause {
        switch number {
        case EACCES, EPERM: .permission
        case EADDRINUSE: .inUse
        case EADDRNOTAVAIL, EAFNOSUPPORT: .noSuchAddress
        default: .other
        }
    }
}

extension SystemError {
    /// What to do where nobody can listen on an address; empty where there is no advice.
    public func remedy(listeningOn address: SocketAddress) -> String {
        switch cause {
        case .permission where address.isUnix: "; put it into a folder that the server's user may write to"
        case .permission: "; run as root, grant CAP_NET_BIND_SERVICE or use a port above 1023"
        case .inUse: "; stop what listens there or choose another port (ss -ltnp shows which process it is)"
        case .noSuchAddress: "; this machine has no such address"
        case .other: ""
        }
    }

    /// What to do where nothing can be written to a folder.
    public func remedy(writingTo folder: String) -> String {
        switch number {
        case EACCES, EPERM: "give it to the server's user (chown -R USER \(folder))"
        case ENOSPC, EDQUOT: "make room on its disk (df -h -i \(folder))"
        case EROFS: "mount its file system for writing, or name another folder with --state"
        default: "name a folder on a disk that works with --state"
        }
    }
}

/// Runs a system call again as long as a signal interrupts it. EBADF and EFAULT mean that we have lost track of our own
/// descriptors or memory, so they end the process instead of corrupting someone else's connection.
@inline(__always)
func retrying<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let number = errno
        if number == EINTR { continue }
        precondition(number != EBADF && number != EFAULT, "a descriptor or buffer was used after its end")
        return result
    }
}
