// A failed system call as a value. Expected outcomes (would block, end of stream) are not errors and have types of their own;
// this is for calls after which the caller cannot continue.

import CPosix
import Libc

/// The name of a failed system call, with its `errno`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    public let call: String
    public let number: Int32

    public init(call: String, number: Int32) { (self.call, self.number) = (call, number) }

    /// The failure of `call` with the current `errno`.
    static func last(_ call: String) -> SystemError { SystemError(call: call, number: errno) }

    /// A call that the process's user may not make.
    public static func refused(_ call: String) -> SystemError { SystemError(call: call, number: EACCES) }

    /// A call for which the kernel has no room.
    public static func exhausted(_ call: String) -> SystemError { SystemError(call: call, number: ENOSPC) }

    /// A call that was not finished in time.
    public static func timedOut(_ call: String) -> SystemError { SystemError(call: call, number: ETIMEDOUT) }

    /// The C library's text in lower case, like all messages here: "permission denied".
    public var reason: String { unsafe SystemError.lowered(String(cString: strerror(number))) }

    /// A text of the C library. They begin with a capital; the program's do not.
    static func lowered(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

    public var description: String {
        let isThread = call == "pthread_create" && number == EAGAIN
        let remedy = isThread ? "; raise ulimit -u or -v, TasksMax= or the container's pids limit" : ""
        return "\(call): \(reason)\(remedy)"
    }

    /// Whether a path was refused because it leaves the directory that it must stay in.
    public var leadsOutside: Bool { number == EXDEV }

    /// Whether the file or folder does not exist.
    public var isMissing: Bool { number == ENOENT || number == ENOTDIR }

    /// Whether the process or the system was out of descriptors or memory. That says nothing about the requested object, and may
    /// be over in a moment.
    public var isShortage: Bool { number == EMFILE || number == ENFILE || number == ENOMEM }

    /// The failures with specific advice.
    public enum Cause: Sendable {
        case permission
        case inUse
        case noSuchAddress
        case other
    }

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
    /// What to do when listening on an address fails; empty if there is no advice.
    public func remedy(listeningOn address: SocketAddress) -> String {
        switch cause {
        case .permission where address.isUnix: "; choose a folder that the server's user can write to"
        case .permission: "; run as root, grant CAP_NET_BIND_SERVICE or use a port above 1023"
        case .inUse: "; stop the process that listens there (ss -ltnp shows it), or choose another port"
        case .noSuchAddress: "; this machine has no such address"
        case .other: ""
        }
    }

    /// What to do when this process cannot write to a folder.
    public func remedy(writingTo folder: String) -> String {
        switch number {
        case EACCES, EPERM: SystemError.remedy(forOwnerOf: folder)
        case ENOSPC, EDQUOT: "free space on its disk (df -h -i \(folder))"
        case EMFILE, ENFILE, ENOMEM: "raise LimitNOFILE= or ulimit -n, or give the server more memory"
        // Only of the lock that a writer needs.
        case EWOULDBLOCK: "another server works there; stop it, or use another --state"
        case EROFS: "mount its file system for writing, or name another folder with --state"
        default: "check its disk, or name another folder with --state"
        }
    }

    /// Users are numbers, because a sandboxed process cannot read their names.
    private static func remedy(forOwnerOf folder: String) -> String {
        guard let status = try? stat(at: folder) else {
            return "give it to the server's user (chown -R USER \(folder))"
        }
        let (user, owner) = (geteuid(), status.st_uid)
        if owner == user, status.st_mode & 0o300 != 0o300 {
            return "not even its owner may write there; run `chmod u+rwx \(folder)`"
        }
        if owner == user { return "something in it belongs to another user; run `chown -R \(user) \(folder)`" }
        return
            "it belongs to user \(owner), and this process runs as user \(user); run it as that user, give it the folder "
            + "(chown -R \(user) \(folder)), or name another one with --state"
    }
}

/// Repeats a system call as long as a signal interrupts it. EBADF and EFAULT mean that the program has lost track of its
/// descriptors or memory, so they end the process instead of corrupting another client's connection.
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
