// The metadata of a file, which shows without opening it whether it has changed since it was read.

import CPosix
import Libc

/// Metadata that changes when a file is replaced (inode) or written to (size, times).
public struct FileStatus: Hashable, Sendable {
    public var isRegular: Bool
    /// Permission bits, such as 0o600.
    public var permissions: UInt32
    public var device: UInt64
    public var inode: UInt64
    public var byteCount: Int64
    /// Nanoseconds since 1970. A program can set the first time but not the second, so the second shows every change.
    public var modifiedNanoseconds: Int64
    public var changedNanoseconds: Int64

    public init(
        isRegular: Bool, permissions: UInt32, device: UInt64, inode: UInt64, byteCount: Int64,
        modifiedNanoseconds: Int64, changedNanoseconds: Int64
    ) {
        (self.isRegular, self.permissions, self.device, self.inode) = (isRegular, permissions, device, inode)
        (self.byteCount, self.modifiedNanoseconds, self.changedNanoseconds) = (
            byteCount, modifiedNanoseconds, changedNanoseconds
        )
    }

    /// Identifies a file or directory among all that exist at the same time.
    public struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    public var identity: Identity { Identity(device: device, inode: inode) }

    var modifiedSeconds: Int64 { modifiedNanoseconds / 1_000_000_000 }

    init(_ status: stat) {
        var status = status
        self.init(
            isRegular: status.isRegular, permissions: UInt32(status.st_mode & 0o7777),
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino),
            byteCount: Int64(status.st_size),
            modifiedNanoseconds: FileStatus.nanoseconds(unsafe associated_modified(&status)),
            changedNanoseconds: FileStatus.nanoseconds(unsafe associated_changed(&status)))
    }

    /// An absurd year on a broken disk wraps around instead of trapping.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Whether every later change of the file will be visible in its metadata. A file that was written just before may be
    /// written again within the same tick of the file system's clock, with the same times.
    public func isSettled(atNanoseconds now: Int64) -> Bool {
        let newest = max(modifiedNanoseconds, changedNanoseconds)
        return now > newest && now &- newest > FileStatus.tickNanosecondsMax
    }

    /// A tick of the kernel's clock is 10 ms at most.
    private static let tickNanosecondsMax: Int64 = 20_000_000
}

/// What the kernel says about a file. The functions that others call make a `FileStatus` or a `FileAccess` of it.
extension stat {
    /// An open file. The corresponding C function is `fstat`.
    init(of file: Int32) throws(SystemError) {
        self.init()
        guard unsafe fstat(file, &self) == 0 else { throw .last("fstat") }
    }

    /// A path, with links followed. The corresponding C function is `stat`.
    init(at path: String) throws(SystemError) {
        self.init()
        guard unsafe fstatat(AT_FDCWD, path, &self, 0) == 0 else { throw .last("stat") }
    }

    /// A path below an open directory, with links followed. The corresponding C function is `fstatat`.
    init(at path: String, in directory: Int32) throws(SystemError) {
        self.init()
        guard unsafe fstatat(directory, path, &self, 0) == 0 else { throw .last("fstatat") }
    }

    /// A path that may be a link. The corresponding C function is `lstat`.
    init(ofLink path: String) throws(SystemError) {
        self.init()
        guard unsafe lstat(path, &self) == 0 else { throw .last("lstat") }
    }

    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var isSocket: Bool { st_mode & S_IFMT == S_IFSOCK }

    var entryKind: DirectoryEntry.Kind { isRegular ? .file : isDirectory ? .directory : .other }

    var identity: FileStatus.Identity {
        FileStatus.Identity(device: UInt64(truncatingIfNeeded: st_dev), inode: UInt64(st_ino))
    }
}

extension File {
    /// Symbolic links are followed. The corresponding C function is `stat`.
    public static func status(_ path: String) throws(FileError) -> FileStatus {
        do { return FileStatus(try stat(at: path)) } catch { throw .system(error) }
    }

    /// Symbolic links are followed. The corresponding C function is `stat`.
    public static func access(_ path: String) throws(FileError) -> FileAccess {
        do { return FileAccess(try stat(at: path)) } catch { throw .system(error) }
    }

    /// Whether this is an empty regular file.
    public static func isEmptyRegular(_ path: String) -> Bool {
        guard let status = try? stat(at: path) else { return false }
        return status.isRegular && status.st_size == 0
    }
}

extension Directory {
    /// The identity of a directory; nil if there is none at this path.
    public static func identity(_ path: String) -> FileStatus.Identity? {
        guard let status = try? stat(at: path), status.isDirectory else { return nil }
        return status.identity
    }
}

/// The permission bits of a file and its group. Not a part of `FileStatus`, which identifies a version of the content and is saved
/// to disk.
public struct FileAccess: Hashable, Sendable {
    public let permissions: UInt32
    public let group: UInt32

    public init(permissions: UInt32, group: UInt32) { (self.permissions, self.group) = (permissions, group) }

    init(_ status: stat) { self.init(permissions: UInt32(status.st_mode & 0o7777), group: status.st_gid) }

    /// Whether this process is a member of the group. The corresponding C functions are `getegid` and `getgroups`.
    public var isOfOwnGroup: Bool {
        if getegid() == group { return true }
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        return unsafe getgroups(Int32(groups.count), &groups) == groups.count && groups.contains(group)
    }
}
