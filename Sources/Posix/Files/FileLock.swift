// A lock that one process at a time can have, and that ends with the process. The corresponding C function is `flock`.

import CLinux
import Glibc

/// A locked file.
public struct FileLock: ~Copyable, Sendable {
    private let descriptor: Descriptor

    private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// Creates and locks the file; nil if another process has locked it.
    public static func take(_ path: String) throws(SystemError) -> FileLock? {
        let descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT, permissions: 0o600)
        if flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 { return FileLock(descriptor) }
        guard errno == EWOULDBLOCK else { throw .last("flock") }
        return nil
    }

    /// Whether a process has locked the file, which need not exist.
    public static func isHeld(_ path: String) -> Bool {
        guard let file = try? Descriptor.open(path, O_RDONLY) else { return false }
        return flock(file.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
