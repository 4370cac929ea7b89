// Opening what lies below a folder, and nothing else. The kernel decides: `openat2` with `RESOLVE_BENEATH` opens a path only
// when nothing on it leads out of the folder. When it refuses, the path is followed without opening what it leads to, and
// where that really is decides: inside the folder after all (a link with a whole path), or in one of the operator's places.
// The descriptor that was looked at is the one that is read, so no link that is turned meanwhile makes a difference.

import CLinux
import Glibc

extension Folder {
    /// Throws, with what to do, where the kernel has no `openat2`: without it no file of a tenant could be opened safely.
    public static func requireKernel() throws(FolderSupportError) {
        let number = associated_find(AT_FDCWD, "/")
        if number < 0, [ENOSYS, EPERM].contains(errno) { throw FolderSupportError(reason: .last("openat2")) }
        if number >= 0 { closeDescriptor(number) }
    }

    /// A descriptor for reading, opened without waiting. A link that leads neither inside the folder nor into one of its
    /// link targets is refused (EXDEV).
    func openBeneath(_ path: String) throws(SystemError) -> Int32 {
        // The kernel may give up on a path with `..` in it while something is being renamed (EAGAIN); then it is asked again.
        for _ in 0..<16 {
            let number = retrying { associated_open_beneath(descriptor.number, path) }
            if number >= 0 { return number }
            if errno == EXDEV, !path.hasPrefix("/") { return try openElsewhere(path) }
            if errno != EAGAIN { break }
        }
        throw .last("openat2")
    }

    /// Opens what a path leads to when the kernel says that it leaves the folder.
    private func openElsewhere(_ path: String) throws(SystemError) -> Int32 {
        let found = try Folder.find(path, from: descriptor.number)
        let real = try RealPath(of: found.number)
        let own = try RealPath(of: descriptor.number)
        guard real.isBeneath(own) || targets.contain(real) else { throw SystemError(call: "openat2", number: EXDEV) }
        // Once more by its descriptor, for reading: what is refused is never opened, as opening a device has effects.
        let number = retrying { associated_open("/proc/self/fd/\(found.number)", O_RDONLY | O_NONBLOCK, 0) }
        guard number >= 0 else { throw .last("open") }
        return number
    }

    /// Opens the folder of a tenant.
    static func open(tenant name: String, in tree: borrowing Folder, _ targets: LinkTargets) throws(SystemError)
        -> Int32
    {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
            throw SystemError(call: "openat", number: EXDEV)
        }
        let number = retrying { associated_open_itself(tree.descriptor.number, name) }
        if number >= 0 { return number }
        // Of a link the kernel says that it is no directory.
        guard errno == ENOTDIR || errno == ELOOP else { throw .last("openat") }
        let found = try find(name, from: tree.descriptor.number)
        let real = try RealPath(of: found.number)
        let root = try RealPath(of: tree.descriptor.number)
        guard real.isVersion(of: name, in: root) || targets.contain(real) else {
            throw SystemError(call: "openat", number: EXDEV)
        }
        let opened = retrying { associated_open_itself(found.number, ".") }
        guard opened >= 0 else { throw .last("openat") }
        return opened
    }

    /// What a path leads to, links followed, without opening it. The corresponding C function is `openat2` with `O_PATH`.
    private static func find(_ path: String, from directory: Int32) throws(SystemError) -> Descriptor {
        let number = retrying { associated_find(directory, path) }
        guard number >= 0 else { throw .last("openat2") }
        return Descriptor(takingOwnershipOf: number)
    }
}

/// The kernel cannot open files beneath a folder.
public struct FolderSupportError: Error, CustomStringConvertible {
    let reason: SystemError

    public var description: String {
        "cannot open the files of hosts safely: \(reason); use Linux 5.6 or newer, and a container runtime whose filter of "
            + "system calls allows openat2"
    }
}
