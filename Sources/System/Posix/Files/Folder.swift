// An open directory. Files opened through it are inside of it: neither `..` nor a symbolic link can leave it, except to the link
// targets that the operator has named.

import CPosix
import Libc

/// An open directory.
public struct Folder: ~Copyable, Sendable {
    let descriptor: Descriptor
    private let path: String
    /// Directories into which links in the folder may lead.
    let targets: LinkTargets

    /// Opens a directory of the operator: links in its path may lead anywhere.
    public init(_ path: String, links targets: LinkTargets = .none) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
        (self.path, self.targets) = (path, targets)
    }

    /// Opens the folder of one tenant in a folder of tenants' folders. It may be a link to a directory in one of the link
    /// targets, or to the same name in a hidden folder next to it (`..data`), but not to another tenant's folder.
    ///
    /// - Parameter folderLinks: further targets for this link, but not for links in the folder.
    public init(
        tenant name: String, in tree: borrowing Folder, links targets: LinkTargets = .none,
        folderLinks: LinkTargets = .none
    ) throws(SystemError) {
        descriptor = try Folder.open(tenant: name, in: tree, targets.adding(folderLinks))
        path = "\(tree.path)/\(name)"
        self.targets = targets
    }

    /// Opens a regular file below this directory. A link is followed if it leads inside the directory or to a link target, and
    /// refused otherwise.
    public func open(_ path: String) throws(FileError) -> OpenFile {
        OpenFile(try openFile(path), path: "\(self.path)/\(path)")
    }

    private func openFile(_ path: String, bytesMax: Int = .max) throws(FileError) -> RegularFile {
        let descriptor: Descriptor
        do { descriptor = try openBeneath(path) } catch { throw .system(error) }
        return try RegularFile(takingOwnershipOf: descriptor, bytesMax: bytesMax)
    }

    // Files are opened with `openat2` and `RESOLVE_BENEATH`: the kernel opens a path only if no part of it leaves the folder. When
    // it refuses, the path is resolved without opening the file, and its real place decides: it may be inside the folder after
    // all (an absolute link), or in a link target. The checked descriptor is then reopened for reading, so a link that is
    // replaced meanwhile makes no difference.

    /// Throws, with what to do, if the kernel has no `openat2`: without it no file of a tenant could be opened safely.
    public static func requireKernel() throws(FolderSupportError) {
        let number = unsafe associated_find(AT_FDCWD, "/")
        if number < 0, [ENOSYS, EPERM].contains(errno) { throw FolderSupportError(reason: .last("openat2")) }
        if number >= 0 { closeDescriptor(number) }
    }

    /// A non-blocking descriptor for reading. A link that leads neither inside the folder nor to a link target is refused
    /// (EXDEV).
    func openBeneath(_ path: String) throws(SystemError) -> Descriptor {
        // The kernel may give up on a path with `..` during a rename (EAGAIN).
        for _ in 0..<16 {
            let number = retrying { unsafe associated_open_beneath(descriptor.number, path) }
            if number >= 0 { return Descriptor(takingOwnershipOf: number) }
            if errno == EXDEV, !path.hasPrefix("/") { return try openElsewhere(path) }
            if errno != EAGAIN { break }
        }
        throw .last("openat2")
    }

    /// Whether links in a path lead out of this directory, and not to a link target.
    public func leadsOut(_ path: String) -> Bool {
        do throws(SystemError) { _ = try openBeneath(path) } catch { return error.number == EXDEV }
        return false
    }

    /// Opens a path that leaves the folder according to the kernel, if it leads to an allowed place.
    private func openElsewhere(_ path: String) throws(SystemError) -> Descriptor {
        let found = try Folder.find(path, from: descriptor.number)
        let real = try RealPath(of: found.number)
        let own = try RealPath(of: descriptor.number)
        guard real.isBeneath(own) || targets.contain(real) else { throw SystemError(call: "openat2", number: EXDEV) }
        // Opened for reading only now, because opening a device can have effects.
        let number = retrying { associated_open_found(found.number) }
        return try Descriptor(number, of: "open")
    }

    /// Opens the folder of a tenant.
    private static func open(
        tenant name: String, in tree: borrowing Folder, _ targets: LinkTargets
    ) throws(SystemError) -> Descriptor {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
            throw SystemError(call: "openat", number: EXDEV)
        }
        let number = retrying { unsafe associated_open_itself(tree.descriptor.number, name) }
        if number >= 0 { return Descriptor(takingOwnershipOf: number) }
        // The error for a link.
        guard errno == ENOTDIR || errno == ELOOP else { throw .last("openat") }
        let found = try find(name, from: tree.descriptor.number)
        let real = try RealPath(of: found.number)
        let root = try RealPath(of: tree.descriptor.number)
        guard real.isVersion(of: name, in: root) || targets.contain(real) else {
            throw SystemError(call: "openat", number: EXDEV)
        }
        return try Descriptor(retrying { unsafe associated_open_itself(found.number, ".") }, of: "openat")
    }

    /// Resolves a path and its links without opening the file. The corresponding C function is `openat2` with `O_PATH`.
    static func find(_ path: String, from directory: Int32) throws(SystemError) -> Descriptor {
        try Descriptor(retrying { unsafe associated_find(directory, path) }, of: "openat2")
    }

    private static let attemptsMax = 3

    /// Reads a regular file below this directory. Nil when it kept changing while it was read: another program is writing it, so
    /// the caller tries again later.
    public func read(_ path: String, bytesMax: Int) throws(FileError) -> SettledContents? {
        try read(path, bytesMax: bytesMax) {}
    }

    /// - Parameter didRead: called after each time the bytes were read, before the metadata is compared.
    func read(_ path: String, bytesMax: Int, didRead: () -> Void) throws(FileError) -> SettledContents? {
        for _ in 0..<Folder.attemptsMax {
            let now = Clock.wallNanoseconds()
            let file = try openFile(path, bytesMax: bytesMax)
            let bytes = try file.contents(bytesMax: bytesMax)
            didRead()
            if try file.statusNow() == file.status, bytes.count == file.status.byteCount {
                return SettledContents(bytes: bytes, status: file.status, readNanoseconds: now)
            }
        }
        return nil
    }

    /// Reads a regular file below this directory into the caller's memory, so that the caller can clear it. Returns the number
    /// of bytes.
    public func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        try unsafe openFile(path, bytesMax: buffer.count).fill(buffer)
    }

    /// The metadata of a path below this directory, with links followed. The corresponding C function is `fstatat`. It also
    /// follows links out of the directory, which `read` refuses.
    public func status(_ path: String) throws(FileError) -> FileStatus {
        do { return FileStatus(try stat(at: path, in: descriptor.number)) } catch { throw .system(error) }
    }

    /// The permissions of a file below this directory, with links followed. The corresponding C function is `fstatat`.
    public func access(_ path: String) throws(FileError) -> FileAccess {
        do { return FileAccess(try stat(at: path, in: descriptor.number)) } catch { throw .system(error) }
    }

    /// Whether the path exists, or that cannot be determined now.
    public func mayHave(_ path: String) -> Bool {
        do throws(FileError) { _ = try status(path) } catch { return !error.isMissing }
        return true
    }

    /// Whether the path is missing; a broken link exists. The corresponding C function is `fstatat`.
    public func isMissing(_ path: String) -> Bool {
        var status = stat()
        return unsafe fstatat(descriptor.number, path, &status, AT_SYMLINK_NOFOLLOW) != 0
            && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The names in a directory below this one (or in this one, for an empty path), in no order. Names that begin with a dot are
    /// left out.
    ///
    /// - Parameter entriesMax: how many names are read, hidden ones included.
    public func list(_ path: String, entriesMax: Int = .max) throws(SystemError) -> FolderListing {
        let stream = try unsafe openStream(path)
        defer { unsafe closedir(stream) }
        let number = unsafe dirfd(stream)
        var listing = FolderListing(identity: try stat(of: number).identity, entries: [])
        var count = 0
        while let (name, type) = try unsafe nextEntry(stream) {
            count += 1
            if count > entriesMax {
                listing.isWhole = false
                break
            }
            if name.hasPrefix(".") {
                if name == ".well-known" { listing.hidesWellKnown = true }
                continue
            }
            var found = ListedEntry(name: name, kind: .directory, isLink: type == UInt8(DT_LNK), status: nil)
            if type != UInt8(DT_DIR) {
                do throws(SystemError) {
                    let status = try stat(at: name, in: number)
                    (found.status, found.kind) = (FileStatus(status), status.entryKind)
                } catch {
                    if error.isShortage { throw error }
                    found.kind = .other
                }
            }
            listing.entries.append(found)
        }
        return listing
    }

    private func openStream(_ path: String) throws(SystemError) -> DirectoryStream {
        let number = try openFolder(path).release()
        guard let stream = unsafe fdopendir(number) else {
            let error = SystemError.last("fdopendir")
            closeDescriptor(number)
            throw error
        }
        return unsafe stream
    }

    private func openFolder(_ path: String) throws(SystemError) -> Descriptor {
        let found = try openBeneath(path.isEmpty ? "." : path)
        guard let status = try? stat(of: found.number), status.isDirectory else {
            throw SystemError(call: "open", number: ENOTDIR)
        }
        return found
    }
}

/// The kernel cannot open files beneath a folder (`openat2`).
public struct FolderSupportError: Error, CustomStringConvertible {
    let reason: SystemError

    public var description: String {
        "cannot open the files of hosts safely: \(reason); use Linux 5.6 or newer, and a container runtime whose seccomp "
            + "profile allows openat2"
    }
}

// A file that another program may be writing to is read in one consistent state, or not at all.

/// A file's content, with the metadata that it had before and after it was read.
public struct SettledContents: Sendable {
    public var bytes: [UInt8]
    public var status: FileStatus
    /// When it was read, in nanoseconds since 1970.
    public var readNanoseconds: Int64

    /// Seconds since 1970.
    public var modified: Int64 { status.modifiedNanoseconds / 1_000_000_000 }
}

/// A name in a listed folder, with links followed.
public struct ListedEntry: Hashable, Sendable {
    public var name: String
    public var kind: DirectoryEntry.Kind
    public var isLink: Bool
    /// Nil for a folder, and for a broken link.
    public var status: FileStatus?
}

/// The entries of a directory, in no order.
public struct FolderListing: Sendable {
    /// Identifies the directory, whatever its path.
    public var identity: FileStatus.Identity
    public var entries: [ListedEntry]
    /// Whether all names were read.
    public var isWhole = true
    /// Whether one of the hidden names is `.well-known`, which people expect to be served.
    public var hidesWellKnown = false
}

/// The next name of a directory and its type, without `.` and `..`; nil after the last one. Throws if a read fails, so that a partial
/// list never looks complete. The corresponding C function is `readdir`.
func nextEntry(_ stream: DirectoryStream) throws(SystemError) -> (name: String, type: UInt8)? {
    while true {
        errno = 0
        guard let entry = unsafe readdir(stream) else {
            guard errno == 0 else { throw .last("readdir") }
            return nil
        }
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { raw in
            unsafe String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { return unsafe (name, entry.pointee.d_type) }
    }
}
