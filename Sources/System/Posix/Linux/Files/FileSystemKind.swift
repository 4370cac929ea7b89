// Network file systems do not report all changes (inotify): the kernel does not know what another machine has written until the
// file is read.

import CLinux

public enum FileSystemKind {
    /// The name of a folder's file system, if changes in it may cause no events; nil for all other file systems. The
    /// corresponding C function is `statfs`.
    public static func withoutEvents(_ path: String) -> String? {
        let number = unsafe associated_file_system(path)
        return number < 0 ? nil : name(magic: UInt32(truncatingIfNeeded: number))
    }

    static func name(magic: UInt32) -> String? { names[magic] }

    /// By the numbers of statfs(2) and linux/magic.h. virtiofs has the number of FUSE.
    private static let names: [UInt32: String] = [
        0x6969: "NFS", 0x517B: "SMB", 0xFE53_4D42: "SMB2", 0xFF53_4D42: "CIFS", 0x0102_1997: "9P", 0x6573_5546: "FUSE",
        0x6573_5543: "FUSE", 0x00C3_6400: "Ceph", 0x5346_414F: "AFS", 0x0116_1970: "GFS2", 0x7461_636F: "OCFS2",
        0x4750_4653: "GPFS", 0x0BD0_0BD0: "Lustre",
    ]
}
