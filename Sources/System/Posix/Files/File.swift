// Reads and writes whole files, and lists directories, within limits. For the control plane only.

import CPosix
import Libc
import Synchronization

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

    private var systemError: SystemError? { if case .system(let error) = self { error } else { nil } }

    /// Whether the process's user may not read it.
    public var isRefused: Bool { systemError?.cause == .permission }

    public var isMissing: Bool { systemError?.isMissing == true }

    /// Whether it was refused because it leaves the directory that it must stay in.
    public var leadsOutside: Bool { systemError?.leadsOutside == true }

    /// The error, when the process was out of descriptors or memory and the file may be fine.
    public var shortage: SystemError? { systemError.flatMap { $0.isShortage ? $0 : nil } }
}

public enum File {
    public static func read(_ path: String, bytesMax: Int) throws(FileError) -> FileContents {
        let file = try RegularFile(path, bytesMax: bytesMax)
        return FileContents(bytes: try file.contents(bytesMax: bytesMax), modified: file.status.modifiedSeconds)
    }

    /// Reads a whole file into the caller's memory, so that the caller can clear it. Returns the number of bytes.
    public static func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        try unsafe RegularFile(path, bytesMax: buffer.count).fill(buffer)
    }

    /// Replaces the file of this name atomically and durably. When that fails, for example on a full disk, the old file stays.
    /// Several processes that do this at once wait for each other. The corresponding C functions are `flock`, `fsync` and
    /// `rename`.
    /// - Parameters:
    ///   - contents: called while no other process can replace the file, for content that depends on the present one.
    ///   - placed: called when the file has been replaced but is not durable yet, and before another process can replace it. An
    ///     error may still follow.
    public static func replaceDurably(
        _ name: String, in folder: String, permissions: UInt32, contents: () -> [UInt8], placed: () -> Void = {}
    ) throws(SystemError) {
        try withTurn(in: folder) { () throws(SystemError) in
            let path = "\(folder)/\(name)"
            // Only the holder of the lock uses this name, so a file there was left by a killed process.
            let draft = "\(path).new"
            do throws(SystemError) {
                // Never write to an existing file: it may be a link or belong to another user.
                guard unsafe unlink(draft) == 0 || errno == ENOENT else { throw SystemError.last("unlink") }
                let bytes = contents()
                try unsafe bytes.span.withUnsafeBytes { (bytes) throws(SystemError) in
                    try unsafe writeDurably([bytes], to: make(draft, permissions))
                }
                guard unsafe rename(draft, path) == 0 else { throw SystemError.last("rename") }
            } catch {
                unsafe unlink(draft)
                throw error
            }
            placed()
        }
    }

    /// Appends to a file, which is created if need be. A crash may lose the last bytes.
    public static func append(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, permissions: 0o640)
        try unsafe bytes.span.withUnsafeBytes { (bytes) throws(SystemError) in try unsafe write(bytes, to: file) }
    }

    /// Removes a file. It is no error if there is none, or if that is not allowed.
    public static func remove(_ path: String) { unsafe unlink(path) }

    /// Whether something is there, also behind a link. The corresponding C function is `access`.
    public static func exists(_ path: String) -> Bool { unsafe Libc.access(path, F_OK) == 0 }

    /// Changes the permissions of a file, or of what a link leads to. The corresponding C function is `chmod`.
    public static func setPermissions(_ permissions: UInt32, of path: String) throws(SystemError) {
        guard unsafe chmod(path, mode_t(permissions)) == 0 else { throw .last("chmod") }
    }

    /// Throws unless a file with content can be written to a folder. On a full disk an empty file could still be created.
    public static func checkWritable(_ folder: String) throws(SystemError) {
        let path = "\(folder)/probe"
        defer { unsafe unlink(path) }
        try append([UInt8](repeating: 0, count: 4_096), to: path)
    }

    /// Calls `body` while no other process has its turn in the folder.
    public static func withTurn(in folder: String, _ body: () throws(SystemError) -> Void) throws(SystemError) {
        let directory = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY)
        // The lock ends with the descriptor, also when the process is killed.
        guard retrying({ flock(directory.number, LOCK_EX) }) == 0 else { throw .last("flock") }
        try body()
        guard fsync(directory.number) == 0 else { throw .last("fsync") }
    }

    /// Makes a file, unless there is one. The process's umask applies to the permissions.
    static func make(_ path: String, _ permissions: UInt32) throws(SystemError) -> Descriptor {
        try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, permissions: permissions)
    }

    /// Writes the parts and waits until they are on disk.
    static func writeDurably(_ parts: [UnsafeRawBufferPointer], to file: borrowing Descriptor) throws(SystemError) {
        for index in unsafe parts.indices { try unsafe write(parts[index], to: file) }
        guard fsync(file.number) == 0 else { throw .last("fsync") }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: borrowing Descriptor) throws(SystemError) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let step = retrying { unsafe Libc.write(file.number, rest.baseAddress, rest.count) }
            if step < 0 { throw .last("write") }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[step...])
        }
    }

    /// As many links on a path as the kernel follows (path_resolution(7)).
    static let linksMax = 40

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

    /// Creates a file with this content and these permissions atomically. Returns false, with nothing changed, when there is
    /// already a file of this name: if several processes do this at once, one wins. The corresponding C function is `link`.
    public static func create(
        _ path: String, _ bytes: UnsafeRawBufferPointer, permissions: UInt32
    ) throws(SystemError) -> Bool {
        let draft = draftName(path)
        defer { unsafe unlink(draft) }
        try unsafe writeDraft(draft, bytes, permissions)
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
        try unsafe writeDraft(draft, bytes, permissions)
        guard unsafe rename(draft, path) == 0 else { throw .last("rename") }
    }

    private static func draftName(_ path: String) -> String {
        "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
    }

    private static func writeDraft(
        _ draft: String, _ bytes: UnsafeRawBufferPointer, _ permissions: UInt32
    ) throws(SystemError) {
        let file = try make(draft, permissions)
        // The process's umask may have removed permissions.
        guard fchmod(file.number, mode_t(permissions)) == 0 else { throw .last("fchmod") }
        try unsafe writeDurably([bytes], to: file)
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
        while let (name, type) = try unsafe nextEntry(stream) {
            entries.append(DirectoryEntry(name: name, kind: kind(of: "\(path)/\(name)", type)))
        }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Throws unless this process may create a directory, and those above it that are missing. Nothing is created. The corresponding
    /// C function is `access`.
    public static func checkCreatable(_ path: String) throws(SystemError) {
        var folder = absolute(path)
        repeat { folder = ResolvedPath.parent(of: folder) } while !folder.isEmpty && !File.exists(folder)
        if folder.isEmpty { folder = "/" }
        guard exists(folder) else { throw SystemError(call: "access", number: ENOTDIR) }
        guard unsafe Libc.access(folder, W_OK | X_OK) == 0 else { throw .last("access") }
    }

    /// Whether there is a directory at this path; false also when that cannot be determined.
    public static func exists(_ path: String) -> Bool { (try? isThere(path)) ?? false }

    /// Whether there is a directory at this path; throws when that cannot be determined.
    public static func isThere(_ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) { return try stat(at: path).isDirectory } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }

    /// The directory entry has the kind in nearly all cases; links and some file systems need a `stat`.
    private static func kind(of path: String, _ type: UInt8) -> DirectoryEntry.Kind {
        if type == UInt8(DT_REG) { return .file }
        if type == UInt8(DT_DIR) { return .directory }
        guard type == UInt8(DT_LNK) || type == UInt8(DT_UNKNOWN) else { return .other }
        return (try? stat(at: path))?.entryKind ?? .other
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
        if unsafe exists(path) || mkdir(path, mode_t(permissions)) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .last("mkdir")
        }
        try create(String(path[..<slash]), permissions: permissions)
        guard unsafe mkdir(path, mode_t(permissions)) == 0 || errno == EEXIST else { throw .last("mkdir") }
    }

    /// Creates a directory for files of this machine, some of them secret, which git does not add if it is in a repository.
    public static func createPrivate(_ path: String, permissions: UInt32 = 0o700) throws(SystemError) {
        if exists(path) { return }
        try create(path, permissions: permissions)
        _ = try unsafe Array("*\n".utf8).span.withUnsafeBytes { bytes throws(SystemError) in
            try unsafe File.create("\(path)/.gitignore", bytes, permissions: 0o600)
        }
    }
}

/// A lock that one process at a time can have, and that ends with the process. The corresponding C function is `flock`.
public struct FileLock: ~Copyable, Sendable {
    private let descriptor: Descriptor

    private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// Creates and locks the file; nil if another process has locked it.
    public static func take(_ path: String) throws(SystemError) -> FileLock? {
        let descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT, permissions: 0o600)
        if flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 { return FileLock(descriptor) }
        guard errno == EWOULDBLOCK else { throw .last("flock") }
        return nil
    }

    /// Whether a process has locked the file, which need not exist.
    public static func isHeld(_ path: String) -> Bool {
        guard let file = try? Descriptor.open(path, O_RDONLY) else { return false }
        return flock(file.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// The process that has locked the file, if the kernel says so (proc_locks(5)).
    public static func holder(_ path: String) -> Int32? {
        guard let inode = try? File.status(path).inode, let table = try? File.read("/proc/locks", bytesMax: 1 << 20)
        else { return nil }
        for line in String(decoding: table.bytes, as: UTF8.self).split(separator: "\n") {
            // Such as `1: FLOCK  ADVISORY  WRITE 708 08:01:131 0 EOF`. Some file systems have another device here than for `stat`.
            let words = line.split(separator: " ")
            if words.count > 5, words[1] == "FLOCK", words[3] == "WRITE", words[5].hasSuffix(":\(inode)") {
                return Int32(words[4]).flatMap { $0 > 0 ? $0 : nil }
            }
        }
        return nil
    }
}

/// A lock that is taken when it is first needed.
public final class LateLock: Sendable {
    private let path: String
    private let lock = Mutex<FileLock?>(nil)

    public init(_ path: String) { self.path = path }

    public var isTaken: Bool { lock.withLock { $0 != nil } }

    /// Takes it, unless this process has it. The error is EWOULDBLOCK if another one does.
    public func claim() throws(SystemError) {
        try lock.withLock { (lock) throws(SystemError) in
            if lock != nil { return }
            lock = try FileLock.take(path)
            if lock == nil { throw SystemError(call: "flock", number: EWOULDBLOCK) }
        }
    }
}
