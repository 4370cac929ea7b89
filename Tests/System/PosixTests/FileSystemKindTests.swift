// The file systems that must be polled, because they have no events.

import Testing

@testable import Posix

struct FileSystemKindTests {
    @Test(
        arguments: [
            (0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"), (0x6573_5546, "FUSE"), (0x0102_1997, "9P"),
            // ext4, overlayfs, tmpfs, btrfs and xfs have events.
            (0xEF53, nil), (0x794C_7630, nil), (0x0102_1994, nil), (0x9123_683E, nil), (0x5846_5342, nil),
        ] as [(UInt32, String?)])
    func `network file systems have no events`(magic: UInt32, name: String?) {
        #expect(FileSystemKind.name(magic: magic) == name)
    }

    @Test func `reads the file system of a folder`() {
        #expect(FileSystemKind.withoutEvents("/proc") == nil)
        #expect(FileSystemKind.withoutEvents("/no/such/folder") == nil)
    }
}
