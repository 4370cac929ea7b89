// Which file systems tell of changes (inotify), and which do not: what another machine writes to a network's file system is
// unknown to this kernel until somebody looks.

import CLinux
import Glibc

public enum FileSystemKind {
    /// What a folder's file system is called, where changes in it may have no events; nil for all others. The corresponding
    /// C function is `statfs`.
    public static func withoutEvents(_ path: String) -> String? {
        let number = associated_file_system(path)
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
