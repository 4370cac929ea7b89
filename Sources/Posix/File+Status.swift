// What the file system says about a file without opening it: enough to tell whether it is still the one that was read.

import Glibc

/// The marks by which a changed file shows: replaced by another (inode), written to (size, times).
public struct FileStatus: Hashable, Sendable {
    public var isRegular: Bool
    /// Permission bits, such as 0o600.
    public var permissions: UInt32
    public var device: UInt64
    public var inode: UInt64
    public var byteCount: Int64
    /// Nanoseconds since 1970. The second one cannot be set by a program, so it shows what the first one hides.
    public var modifiedNanoseconds: Int64
    public var changedNanoseconds: Int64
}

extension File {
    /// Symbolic links are followed. The corresponding C function is `stat`.
    public static func status(_ path: String) throws(FileError) -> FileStatus {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(.last("stat")) }
        return FileStatus(
            isRegular: status.st_mode & S_IFMT == S_IFREG, permissions: status.st_mode & 0o7777,
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            modifiedNanoseconds: nanoseconds(status.st_mtim), changedNanoseconds: nanoseconds(status.st_ctim))
    }

    /// A year that no disk should claim wraps around instead of ending the program.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
