// What lies in a folder and below it, with the marks by which a changed file shows. Names are resolved like everything else
// that is opened through a folder: no link leads out of it.

import CLinux
import Glibc

/// One name in a listed folder, links followed.
public struct ListedEntry: Hashable, Sendable {
    public var name: String
    public var kind: DirectoryEntry.Kind
    public var isLink: Bool
    /// Nil for a folder that was not looked at, and for a link that leads nowhere.
    public var status: FileStatus?
}

/// What is in a directory, in no order.
public struct FolderListing: Sendable {
    /// Tells the directory from every other, whatever it is called.
    public var identity: FileStatus.Identity
    public var entries: [ListedEntry]
    /// Whether there are no more of them.
    public var isWhole = true
    /// Whether one of the hidden names is `.well-known`, which people take for a folder that is served.
    public var hidesWellKnown = false
}

extension Folder {
    /// What the file system says about a name below this directory, links followed. The corresponding C function is
    /// `fstatat`; nothing is opened, so a link out of the directory shows here and is refused when it is read.
    public func status(_ path: String) -> FileStatus? {
        var status = stat()
        return fstatat(descriptor.number, path, &status, 0) == 0 ? FileStatus(status) : nil
    }

    /// The same, with the reason where it says nothing.
    public func fileStatus(_ path: String) throws(FileError) -> FileStatus {
        var status = stat()
        guard fstatat(descriptor.number, path, &status, 0) == 0 else { throw .system(.last("fstatat")) }
        return FileStatus(status)
    }

    /// Who may do what with a file below this directory, links followed. The corresponding C function is `fstatat`.
    public func access(_ path: String) throws(FileError) -> FileAccess {
        var status = stat()
        guard fstatat(descriptor.number, path, &status, 0) == 0 else { throw .system(.last("fstatat")) }
        return FileAccess(status)
    }

    /// Whether there is such a name, or nobody can tell at this moment.
    public func mayHave(_ path: String) -> Bool {
        var status = stat()
        return fstatat(descriptor.number, path, &status, 0) == 0 || !SystemError.last("fstatat").isMissing
    }

    /// Whether there is no such name; a link that leads nowhere is there. The corresponding C function is `fstatat`.
    public func isMissing(_ path: String) -> Bool {
        var status = stat()
        return fstatat(descriptor.number, path, &status, AT_SYMLINK_NOFOLLOW) != 0
            && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The names in a directory below this one, in no order; an empty path is this one. What begins with a point is left out,
    /// so `.` and `..` are.
    ///
    /// - Parameter entriesMax: how many names are read, hidden ones among them.
    public func list(_ path: String, entriesMax: Int = .max) throws(SystemError) -> FolderListing {
        let stream = try openStream(path)
        defer { closedir(stream) }
        let number = dirfd(stream)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last("fstat") }
        var listing = FolderListing(identity: FileStatus(status).identity, entries: [])
        var count = 0
        while let entry = try nextEntry(stream) {
            // These two are in every directory.
            if isSelfOrParent(entry) { continue }
            count += 1
            if count > entriesMax {
                listing.isWhole = false
                break
            }
            // A point begins what is hidden.
            if entry.pointee.d_name.0 == CChar(UInt8(ascii: ".")) {
                if withUnsafeBytes(of: &entry.pointee.d_name, { $0.starts(with: Array(".well-known\0".utf8)) }) {
                    listing.hidesWellKnown = true
                }
                continue
            }
            let type = entry.pointee.d_type
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            var found = ListedEntry(name: name, kind: .directory, isLink: type == UInt8(DT_LNK), status: nil)
            if type != UInt8(DT_DIR) {
                var status = stat()
                if fstatat(number, name, &status, 0) == 0 {
                    found.status = FileStatus(status)
                } else if case let error = SystemError.last("fstatat"), error.isShortage {
                    throw error
                }
                found.kind =
                    switch found.status == nil ? 0 : status.st_mode & S_IFMT {
                    case S_IFREG: .file
                    case S_IFDIR: .directory
                    default: .other
                    }
            }
            listing.entries.append(found)
        }
        return listing
    }

    /// The names in this directory, in no order, below which there is something called `child`. No more is looked at, so
    /// a hundred thousand of them take a fraction of a second.
    public func names(having child: String) throws(SystemError) -> [String] {
        let stream = try openStream("")
        defer { closedir(stream) }
        let number = dirfd(stream)
        var names: [String] = []
        var path = [CChar](repeating: 0, count: 256 + 1 + child.utf8.count + 1)
        while let entry = try nextEntry(stream) {
            // A point begins what is hidden.
            if entry.pointee.d_name.0 == CChar(UInt8(ascii: ".")) || entry.pointee.d_type == UInt8(DT_REG) { continue }
            let count = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                let count = raw.firstIndex(of: 0) ?? raw.count
                path.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: raw[..<count])) }
                return count
            }
            path[count] = CChar(UInt8(ascii: "/"))
            for (index, byte) in child.utf8.enumerated() { path[count + 1 + index] = CChar(bitPattern: byte) }
            path[count + 1 + child.utf8.count] = 0
            guard faccessat(number, path, F_OK, 0) == 0 else {
                let error = SystemError.last("faccessat")
                if error.isShortage { throw error }
                continue
            }
            names.append(path.withUnsafeBytes { String(decoding: $0[..<count], as: UTF8.self) })
        }
        return names
    }

    private func openStream(_ path: String) throws(SystemError) -> OpaquePointer {
        let number = try openFolder(path)
        guard let stream = fdopendir(number) else {
            let error = SystemError.last("fdopendir")
            closeDescriptor(number)
            throw error
        }
        return stream
    }

    func openFolder(_ path: String) throws(SystemError) -> Int32 {
        let number = try openBeneath(path.isEmpty ? "." : path)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            closeDescriptor(number)
            throw SystemError(call: "open", number: ENOTDIR)
        }
        return number
    }
}

private func isSelfOrParent(_ entry: UnsafeMutablePointer<dirent>) -> Bool {
    let (point, name) = (CChar(UInt8(ascii: ".")), entry.pointee.d_name)
    return name.0 == point && (name.1 == 0 || name.1 == point && name.2 == 0)
}

/// The next name of a directory; nil behind the last. What cannot be read to its end must not look as if it ended there.
/// The corresponding C function is `readdir`.
func nextEntry(_ stream: OpaquePointer) throws(SystemError) -> UnsafeMutablePointer<dirent>? {
    errno = 0
    if let entry = readdir(stream) { return entry }
    guard errno == 0 else { throw .last("readdir") }
    return nil
}
