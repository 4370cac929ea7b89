// Reads and writes whole files, and lists directories, within limits. For the control plane only.

import CLinux
import Glibc

/// A file's content and time.
public struct FileContents: Sendable {
    public var bytes: [UInt8]
    /// Seconds since 1970.
    public var modified: Int64
}

/// Why a file could not be read.
public enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
    case system(SystemError)
    /// A directory, a device or a pipe in place of a file.
    case notAFile
    case tooLarge(byteCount: Int, limit: Int)

    public var description: String {
        switch self {
        case .system(let error): error.reason
        case .notAFile: "it is not a regular file"
        case .tooLarge(let count, let limit): "it has \(count) bytes; the limit is \(limit)"
        }
    }

    /// Whether the process's user may not read it.
    public var isRefused: Bool {
        guard case .system(let error) = self else { return false }
        return error.cause == .permission
    }

    public var isMissing: Bool {
        guard case .system(let error) = self else { return false }
        return error.number == ENOENT || error.number == ENOTDIR
    }

    /// The error, when the process was out of descriptors or memory and the file may be fine.
    public var shortage: SystemError? {
        guard case .system(let error) = self, error.isShortage else { return nil }
        return error
    }
}

public enum File {
    /// Reads a regular file.
    public static func read(_ path: String, bytesMax: Int) throws(FileError) -> FileContents {
        let file = try open(path, bytesMax: bytesMax)
        let bytes = try readAll(file.descriptor, expected: file.byteCount, bytesMax)
        return FileContents(bytes: bytes, modified: file.modified)
    }

    /// An open regular file.
    struct Opened: ~Copyable {
        let descriptor: Descriptor
        let byteCount: Int
        /// Seconds since 1970.
        let modified: Int64
    }

    /// Opens a regular file of at most `bytesMax` bytes. Non-blocking, so that a pipe in its place cannot block the thread.
    static func open(_ path: String, bytesMax: Int) throws(FileError) -> Opened {
        let number = unsafe associated_open(path, O_RDONLY | O_NONBLOCK, 0)
        guard number >= 0 else { throw .system(.last("open")) }
        let descriptor = Descriptor(takingOwnershipOf: number)
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .system(.last("fstat")) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        let size = Int(status.st_size)
        if size > bytesMax { throw .tooLarge(byteCount: size, limit: bytesMax) }
        return Opened(descriptor: descriptor, byteCount: size, modified: Int64(status.st_mtim.tv_sec))
    }

    /// Reads until the end, because a file may grow meanwhile, but not beyond the limit.
    static func readAll(
        _ file: borrowing Descriptor, expected: Int, _ bytesMax: Int
    ) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: expected + 1)
        var count = 0
        let fd = file.number
        while true {
            if count > bytesMax { throw .tooLarge(byteCount: count, limit: bytesMax) }
            if count == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
            let step = unsafe bytes.withUnsafeMutableBytes { buffer in
                retrying { unsafe Glibc.read(fd, buffer.baseAddress! + count, buffer.count - count) }
            }
            if step < 0 { throw .system(.last("read")) }
            if step == 0 { break }
            count += step
        }
        bytes.removeSubrange(count...)
        return bytes
    }

    /// Writes the parts to a file, one after the other, and replaces the file of this name atomically and durably. When that
    /// fails, for example on a full disk, the old file stays. Several processes that do this at once wait for each other. The
    /// corresponding C functions are `flock`, `fsync` and `rename`.
    public static func replaceDurably(
        _ name: String, in folder: String, _ parts: [UnsafeRawBufferPointer], permissions: UInt32
    ) throws(SystemError) {
        try withTurn(in: folder) { () throws(SystemError) in try unsafe replace(name, in: folder, parts, permissions) }
    }

    /// The same for content that depends on the present file: `contents` is called while no other process can replace it.
    /// - Parameter placed: called when the file has been replaced but is not durable yet, and before another process can replace
    ///   it. An error may still follow.
    public static func replaceDurably(
        _ name: String, in folder: String, permissions: UInt32, contents: () -> [UInt8], placed: () -> Void = {}
    ) throws(SystemError) {
        try withTurn(in: folder) { () throws(SystemError) in
            let result = unsafe contents().withUnsafeBytes { bytes in
                Result { () throws(SystemError) in try unsafe replace(name, in: folder, [bytes], permissions) }
            }
            try result.get()
            placed()
        }
    }

    /// Appends to a file, which is created if need be. A crash may lose the last bytes.
    public static func append(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let number = unsafe associated_open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o640)
        guard number >= 0 else { throw .last("open") }
        let file = Descriptor(takingOwnershipOf: number)
        try unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try unsafe writeAll(bytes, to: file) }
        }.get()
    }

    /// Removes a file. It is no error if there is none, or if that is not allowed.
    public static func remove(_ path: String) { unsafe unlink(path) }

    /// Whether something is there, also behind a link. The corresponding C function is `access`.
    public static func exists(_ path: String) -> Bool { unsafe Glibc.access(path, F_OK) == 0 }

    /// Changes the permissions of a file, or of what a link leads to. The corresponding C function is `chmod`.
    public static func setPermissions(_ permissions: UInt32, of path: String) throws(SystemError) {
        guard unsafe chmod(path, permissions) == 0 else { throw .last("chmod") }
    }

    /// Throws unless a file with content can be written to a folder. On a full disk an empty file could still be created.
    public static func checkWritable(_ folder: String) throws(SystemError) {
        let path = "\(folder)/probe"
        defer { unsafe unlink(path) }
        try append([UInt8](repeating: 0, count: 4_096), to: path)
    }

    /// Calls `body` while no other process has its turn in the folder.
    public static func withTurn(in folder: String, _ body: () throws(SystemError) -> Void) throws(SystemError) {
        let number = unsafe associated_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard number >= 0 else { throw .last("open") }
        let directory = Descriptor(takingOwnershipOf: number)
        // The lock ends with the descriptor, also when the process is killed.
        guard retrying({ flock(directory.number, LOCK_EX) }) == 0 else { throw .last("flock") }
        try body()
        guard fsync(directory.number) == 0 else { throw .last("fsync") }
    }

    private static func replace(
        _ name: String, in folder: String, _ parts: [UnsafeRawBufferPointer], _ permissions: UInt32
    ) throws(SystemError) {
        let path = "\(folder)/\(name)"
        // Only the holder of the lock uses this name, so a file there was left by a killed process.
        let draft = "\(path).new"
        do throws(SystemError) {
            try unsafe writeDraft(draft, parts, permissions: permissions)
            guard unsafe rename(draft, path) == 0 else { throw SystemError.last("rename") }
        } catch {
            unsafe unlink(draft)
            throw error
        }
    }

    private static func writeDraft(
        _ draft: String, _ parts: [UnsafeRawBufferPointer], permissions: UInt32
    ) throws(SystemError) {
        // Never write to an existing file: it may be a link or belong to another user.
        guard unsafe unlink(draft) == 0 || errno == ENOENT else { throw .last("unlink") }
        let number = unsafe associated_open(draft, O_WRONLY | O_CREAT | O_EXCL, Int32(permissions))
        guard number >= 0 else { throw .last("open") }
        try unsafe write(parts, to: Descriptor(takingOwnershipOf: number))
    }

    /// Writes the parts and waits until they are on disk.
    static func write(_ parts: [UnsafeRawBufferPointer], to file: borrowing Descriptor) throws(SystemError) {
        for index in unsafe parts.indices { try unsafe writeAll(parts[index], to: file) }
        guard fsync(file.number) == 0 else { throw .last("fsync") }
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: borrowing Descriptor) throws(SystemError) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let step = retrying { unsafe Glibc.write(file.number, rest.baseAddress, rest.count) }
            if step < 0 { throw .last("write") }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[step...])
        }
    }

    /// As many links on a path as the kernel follows.
    private static let linksMax = 40

    /// The target of a link as written; nil if the path is not a link. The corresponding C function is `readlink`.
    public static func linkTarget(_ path: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let count = unsafe readlink(path, start, bytes.count)
            guard count > 0 else { return nil }
            let text = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count]))
            return unsafe String(decoding: text, as: UTF8.self)
        }
    }

    /// The folders in which a name would have to change to make a link lead elsewhere: that of each further link that it leads
    /// through, and that of its final target. The search ends where the path is neither inside one of the roots nor an ancestor
    /// of one. All paths are absolute.
    public static func foldersBehind(link path: String, inside roots: [String]) -> [String] {
        var folder = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard let name = folder.popLast() else { return [] }
        var pending = [name]
        var found: [String] = []
        var linkCount = 0
        while let name = pending.popLast() {
            if name == ".." { folder.removeLast(min(1, folder.count)) }
            let place = folder.joined(separator: "/")
            let isOnWay = roots.contains { place == $0 || place.hasPrefix("\($0)/") || $0.hasPrefix("\(place)/") }
            guard isOnWay else { return found }
            if name == ".." || name == "." { continue }
            guard let target = linkTarget("\(place)/\(name)") else {
                if pending.isEmpty { found.append(place) }
                folder.append(name)
                continue
            }
            linkCount += 1
            if linkCount > 1 { found.append(place) }
            guard linkCount <= linksMax else { return found }
            if target.hasPrefix("/") { folder = [""] }
            pending += target.split(separator: "/").map { String($0) }.reversed()
        }
        return found
    }

    /// Reads a whole file into the caller's memory, so that the caller can clear it. Returns the number of bytes.
    public static func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        let file = try open(path, bytesMax: buffer.count)
        return try unsafe fill(buffer, from: file.descriptor)
    }

    /// Reads until the buffer is full or the file ends.
    static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from file: borrowing Descriptor
    ) throws(FileError) -> Int {
        var count = 0
        let number = file.number
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let step = retrying { unsafe Glibc.read(number, rest.baseAddress, rest.count) }
            if step < 0 { throw .system(.last("read")) }
            if step == 0 { break }
            count += step
        }
        return count
    }

    /// Creates a file with this content and these permissions atomically. Returns false, with nothing changed, when there is
    /// already a file of this name: if several processes do this at once, one wins. The corresponding C function is `link`.
    public static func create(
        _ path: String, _ bytes: UnsafeRawBufferPointer, permissions: UInt32
    ) throws(SystemError) -> Bool {
        let draft = draftName(path)
        defer { unsafe unlink(draft) }
        try unsafe write(bytes, toNew: draft, permissions: permissions)
        if unsafe link(draft, path) == 0 { return true }
        if errno == EEXIST { return false }
        throw .last("link")
    }

    /// Creates a file, or replaces it, atomically. The corresponding C function is `rename`.
    public static func replace(
        _ path: String, _ bytes: UnsafeRawBufferPointer, permissions: UInt32
    ) throws(SystemError) {
        let draft = draftName(path)
        defer { unsafe unlink(draft) }
        try unsafe write(bytes, toNew: draft, permissions: permissions)
        guard unsafe rename(draft, path) == 0 else { throw .last("rename") }
    }

    private static func draftName(_ path: String) -> String {
        "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, toNew draft: String, permissions: UInt32
    ) throws(SystemError) {
        let number = unsafe associated_open(draft, O_WRONLY | O_CREAT | O_EXCL, Int32(permissions))
        guard number >= 0 else { throw .last("open") }
        let file = Descriptor(takingOwnershipOf: number)
        // The process's umask may have removed permissions.
        guard fchmod(file.number, permissions) == 0 else { throw .last("fchmod") }
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let step = retrying { unsafe Glibc.write(file.number, rest.baseAddress, rest.count) }
            if step < 0 { throw .last("write") }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[step...])
        }
        guard fsync(file.number) == 0 else { throw .last("fsync") }
    }
}

/// A name in a directory, and its kind with symbolic links followed.
public struct DirectoryEntry: Hashable, Sendable {
    public var name: String
    public var kind: Kind

    public enum Kind: Hashable, Sendable {
        case file
        case directory
        /// Neither, or a broken link.
        case other
    }
}

public enum Directory {
    /// An absolute path; links in it are not resolved.
    /// The corresponding C function is `getcwd`.
    public static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(current) }
        return unsafe "\(String(cString: current))/\(path)"
    }

    /// The names in a directory, sorted by their bytes, without `.` and `..`.
    public static func entries(_ path: String) throws(SystemError) -> [DirectoryEntry] {
        guard let stream = unsafe opendir(path) else { throw .last("opendir") }
        defer { unsafe closedir(stream) }
        var entries: [DirectoryEntry] = []
        while let entry = try unsafe nextEntry(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                unsafe String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            entries.append(DirectoryEntry(name: name, kind: kind(of: "\(path)/\(name)", unsafe entry.pointee.d_type)))
        }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Whether there is a directory at this path; false also when that cannot be determined.
    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether there is a directory at this path; throws when that cannot be determined.
    public static func isThere(_ path: String) throws(SystemError) -> Bool {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
        let error = SystemError.last("stat")
        guard error.isMissing else { throw error }
        return false
    }

    /// The directory entry has the kind in nearly all cases; links and some file systems need a `stat`.
    private static func kind(of path: String, _ type: UInt8) -> DirectoryEntry.Kind {
        if type == UInt8(DT_REG) { return .file }
        if type == UInt8(DT_DIR) { return .directory }
        guard type == UInt8(DT_LNK) || type == UInt8(DT_UNKNOWN) else { return .other }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return .other }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        default: .other
        }
    }

    /// Puts a directory in the place of another one in one step; the other one, unless it is empty or missing, then has the path of the
    /// first. Both must be in the same directory. The corresponding C functions are `rename`, and `renameat2` with `RENAME_EXCHANGE`,
    /// which not every file system has.
    public static func exchange(_ path: String, _ place: String) throws(SystemError) {
        if unsafe rename(path, place) == 0 { return }
        guard unsafe associated_exchange(path, place) == 0 else { throw .last("renameat2") }
    }

    /// Removes a directory if it is empty.
    public static func remove(_ path: String) { unsafe rmdir(path) }

    /// Creates a directory and its missing ancestors. The corresponding C function is `mkdir`.
    public static func create(_ path: String, permissions: UInt32) throws(SystemError) {
        if unsafe exists(path) || mkdir(path, permissions) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .last("mkdir")
        }
        try create(String(path[..<slash]), permissions: permissions)
        guard unsafe mkdir(path, permissions) == 0 || errno == EEXIST else { throw .last("mkdir") }
    }
}
