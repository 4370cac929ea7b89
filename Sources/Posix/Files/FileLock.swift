// A lock that one process at a time can have, and that ends with the process. The corresponding C function is `flock`.

import CLinux
import Glibc

/// A locked file.
public struct FileLock: ~Copyable, Sendable {
    private let descriptor: Descriptor

    private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// Creates and locks the file; nil if another process has locked it.
    public static func take(_ path: String) throws(SystemError) -> FileLock? {
        let number = unsafe associated_open(path, O_WRONLY | O_CREAT, 0o600)
        guard number >= 0 else { throw .last("open") }
        let descriptor = Descriptor(takingOwnershipOf: number)
        if flock(number, LOCK_EX | LOCK_NB) == 0 { return FileLock(descriptor) }
        guard errno == EWOULDBLOCK else { throw .last("flock") }
        return nil
    }

    /// Whether a process has locked the file, which need not exist.
    public static func isHeld(_ path: String) -> Bool {
        let number = unsafe associated_open(path, O_RDONLY, 0)
        guard number >= 0 else { return false }
        defer { close(number) }
        return flock(number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
