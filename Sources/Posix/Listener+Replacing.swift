// A Unix-domain socket that takes the place of whatever is at its path, in one step: whoever connects meets the old one or
// the new one, and nobody meets a socket that is open to more users than it shall be.

import CLinux
import Glibc

extension Listener {
    /// Listens at `path`, which from then on leads here and no longer to a socket that was there. Something else than a
    /// socket stays, and the address is in use then.
    public init(replacing path: String, permissions: UInt32, backlog: Int32 = 64) throws(SystemError) {
        let draft = "\(path).new"
        guard let address = SocketAddress(path: path), let draftAddress = SocketAddress(path: draft) else {
            throw SystemError(call: "bind", number: ENAMETOOLONG)
        }
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            throw SystemError(call: "bind", number: EADDRINUSE)
        }
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw .last("socket") }
        let descriptor = Descriptor(takingOwnershipOf: number)
        unlink(draft)
        guard draftAddress.withPointer({ bind(number, $0, $1) }) == 0 else { throw .last("bind") }
        do throws(SystemError) {
            // Before it listens nobody can connect, whatever the permissions are.
            guard chmod(draft, permissions) == 0 else { throw SystemError.last("chmod") }
            guard listen(number, backlog) == 0 else { throw SystemError.last("listen") }
            guard rename(draft, path) == 0 else { throw SystemError.last("rename") }
        } catch {
            unlink(draft)
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
        return address.withPointer { connect(probe.number, $0, $1) } == 0 || errno == EAGAIN
    }
}

/// The file of a Unix-domain socket, told from one that has come in its place.
public struct SocketFile: Sendable {
    private let path: String
    private let device: UInt64
    private let inode: UInt64

    /// What is at the path now; nil when nothing is.
    public init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Removes it, unless the path leads to another one by now.
    public func remove() {
        guard let now = SocketFile(path), now.device == device, now.inode == inode else { return }
        unlink(path)
    }
}
