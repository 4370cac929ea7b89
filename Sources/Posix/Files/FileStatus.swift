// What the file system says about a file without opening it: enough to tell whether it is still the one that was read.

import CLinux
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

    public init(
        isRegular: Bool, permissions: UInt32, device: UInt64, inode: UInt64, byteCount: Int64,
        modifiedNanoseconds: Int64, changedNanoseconds: Int64
    ) {
        self.isRegular = isRegular
        self.permissions = permissions
        self.device = device
        self.inode = inode
        self.byteCount = byteCount
        self.modifiedNanoseconds = modifiedNanoseconds
        self.changedNanoseconds = changedNanoseconds
    }

    /// What tells a file or directory from every other that is there at the same time.
    public struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64

        public init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }
    }

    public var identity: Identity { Identity(device: device, inode: inode) }

    init(_ status: stat) {
        self.init(
            isRegular: status.st_mode & S_IFMT == S_IFREG, permissions: status.st_mode & 0o7777,
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            modifiedNanoseconds: FileStatus.nanoseconds(status.st_mtim),
            changedNanoseconds: FileStatus.nanoseconds(status.st_ctim))
    }

    /// A year that no disk should claim wraps around instead of ending the program.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Whether this tells the file from any other content it had or will have. What was written a moment before it was
    /// looked at may be written to again within the same tick of the file system's clock, and show nothing of it.
    public func isSettled(atNanoseconds now: Int64) -> Bool {
        let newest = max(modifiedNanoseconds, changedNanoseconds)
        return now > newest && now &- newest > FileStatus.tickNanosecondsMax
    }

    /// A tick of the kernel's clock is 10 ms at most.
    private static let tickNanosecondsMax: Int64 = 20_000_000
}

extension File {
    /// Symbolic links are followed. The corresponding C function is `stat`.
    public static func status(_ path: String) throws(FileError) -> FileStatus {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .system(.last("stat")) }
        return FileStatus(status)
    }
}

extension File {
    /// Whether this is a regular file without a single byte.
    public static func isEmptyRegular(_ path: String) -> Bool {
        guard let status = try? status(path) else { return false }
        return status.isRegular && status.byteCount == 0
    }
}

extension Directory {
    /// What tells a directory from every other that is there at the same time; nil when there is none of this name.
    public static func identity(_ path: String) -> FileStatus.Identity? {
        guard exists(path), let status = try? File.status(path) else { return nil }
        return status.identity
    }
}

/// Who may do what with a file: the permission bits, and the group that some of them are for. Not a part of its status, because
/// that tells states of the content apart and outlasts the process.
public struct FileAccess: Hashable, Sendable {
    public let permissions: UInt32
    public let group: UInt32

    public init(permissions: UInt32, group: UInt32) {
        self.permissions = permissions
        self.group = group
    }

    init(_ status: stat) { self.init(permissions: status.st_mode & 0o7777, group: status.st_gid) }

    /// Whether this process has the rights of the group. The corresponding C functions are `getegid` and `getgroups`.
    public var isOfOwnGroup: Bool {
        if getegid() == group { return true }
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        return unsafe getgroups(Int32(groups.count), &groups) == groups.count && groups.contains(group)
    }
}

extension File {
    /// Symbolic links are followed. The corresponding C function is `stat`.
    public static func access(_ path: String) throws(FileError) -> FileAccess {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .system(.last("stat")) }
        return FileAccess(status)
    }
}

// Which file systems tell of changes (inotify), and which do not: what another machine writes to a network's file system is
// unknown to this kernel until somebody looks.

public enum FileSystemKind {
    /// What a folder's file system is called, where changes in it may have no events; nil for all others. The corresponding
    /// C function is `statfs`.
    public static func withoutEvents(_ path: String) -> String? {
        let number = unsafe associated_file_system(path)
        return number < 0 ? nil : name(magic: UInt32(truncatingIfNeeded: number))
    }

    /// The numbers are those of statfs(2) and linux/magic.h.
    static func name(magic: UInt32) -> String? {
        switch magic {
        case 0x6969: "NFS"
        case 0x517B: "SMB"
        case 0xFE53_4D42: "SMB2"
        case 0xFF53_4D42: "CIFS"
        case 0x0102_1997: "9P"
        case 0x6573_5546: "FUSE"
        case 0x6573_5543: "FUSE"
        case 0x00C3_6400: "Ceph"
        case 0x5346_414F: "AFS"
        case 0x0116_1970: "GFS2"
        case 0x7461_636F: "OCFS2"
        case 0x4750_4653: "GPFS"
        case 0x0BD0_0BD0: "Lustre"
        // virtiofs answers as FUSE does.
        default: nil
        }
    }
}
