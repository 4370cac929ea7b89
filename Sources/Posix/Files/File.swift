// Reading files and directories whole, within limits. Only the control plane does this; nothing here waits for a network.

import CLinux
import Glibc

/// A file's content and what the file system says about it.
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
        case .tooLarge(let count, let limit): "it has \(count) bytes, more than the \(limit) that are read"
        }
    }

    /// Whether this user may not read it.
    public var isRefused: Bool {
        guard case .system(let error) = self else { return false }
        return error.cause == .permission
    }

    public var isMissing: Bool {
        guard case .system(let error) = self else { return false }
        return error.number == ENOENT || error.number == ENOTDIR
    }

    /// What the kernel said, when it was short of something and the file is not to blame.
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

    /// A regular file that is about to be read.
    struct Opened: ~Copyable {
        let descriptor: Descriptor
        let byteCount: Int
        /// Seconds since 1970.
        let modified: Int64
    }

    /// Opens a regular file, unless it has more bytes than that. Without waiting, so that a pipe in its place cannot hold
    /// us up.
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

    /// Until the end, because a file may grow while it is read; not beyond the limit.
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

    /// Writes the parts, one behind the other, and puts them in place of what is there under this name, in one step that
    /// outlasts a loss of power. When that fails, on a full disk for one, what was there stays. Of several processes that
    /// do this at once each waits for its turn. The corresponding C functions are `flock`, `fsync` and `rename`.
    public static func replaceDurably(
        _ name: String, in folder: String, _ parts: [UnsafeRawBufferPointer], permissions: UInt32
    ) throws(SystemError) {
        try withTurn(in: folder) { () throws(SystemError) in try unsafe replace(name, in: folder, parts, permissions) }
    }

    /// The same for content that depends on what is there: it is made while no other process can replace it.
    /// - Parameter placed: called when the file is in its place, though a loss of power may still undo that; what fails later
    ///   fails with the file there. No other process has replaced it yet.
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

    /// Adds to the end of a file, and makes it if there is none. A crash may cut off what was added last.
    public static func append(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let number = unsafe associated_open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o640)
        guard number >= 0 else { throw .last("open") }
        let file = Descriptor(takingOwnershipOf: number)
        try unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try unsafe writeAll(bytes, to: file) }
        }.get()
    }

    /// Whether a file with content can be written into a folder: a full disk takes names, too.
    public static func probe(_ folder: String) throws(SystemError) {
        let path = "\(folder)/probe"
        defer { unsafe unlink(path) }
        try append([UInt8](repeating: 0, count: 4_096), to: path)
    }

    /// Does something in a folder that of several processes one does at a time.
    static func withTurn(in folder: String, _ body: () throws(SystemError) -> Void) throws(SystemError) {
        let number = unsafe associated_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard number >= 0 else { throw .last("open") }
        let directory = Descriptor(takingOwnershipOf: number)
        // Ends with the descriptor, and so with a process that is killed.
        guard retrying({ flock(directory.number, LOCK_EX) }) == 0 else { throw .last("flock") }
        try body()
        guard fsync(directory.number) == 0 else { throw .last("fsync") }
    }

    private static func replace(
        _ name: String, in folder: String, _ parts: [UnsafeRawBufferPointer], _ permissions: UInt32
    ) throws(SystemError) {
        let path = "\(folder)/\(name)"
        // The lock makes it ours: what a killed process has left under this name is overwritten.
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
        // A file of another user, or a link, must not be what is written to.
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

    /// As many links on a path as the kernel itself follows.
    private static let linksMax = 40

    /// What a link says; nil where there is none of this name. The corresponding C function is `readlink`.
    public static func linkTarget(_ path: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let count = unsafe readlink(path, start, bytes.count)
            guard count > 0 else { return nil }
            let text = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count]))
            return unsafe String(decoding: text, as: UTF8.self)
        }
    }

    /// The folders in which a name would have to change for a link to lead to something else: that of each further link on
    /// its way, and that of what it leads to in the end. The way ends where it is neither inside one of the roots nor on the
    /// way to one. All are whole paths.
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

    /// Reads a whole file into memory of the caller, who clears it afterwards. Returns the number of bytes.
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

    /// Writes a whole file with these permissions and puts it in place in one step. Returns false, with nothing changed,
    /// when a file of the name is already there: of several processes that do this at once, one wins.
    /// The corresponding C function is `link`.
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

    /// Writes a whole file and puts it in place of what is there, if anything, in one step.
    /// The corresponding C function is `rename`.
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
        // The process's mask may have taken more away than was asked for.
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

/// What a name in a directory stands for, symbolic links followed.
public struct DirectoryEntry: Hashable, Sendable {
    public var name: String
    public var kind: Kind

    public enum Kind: Hashable, Sendable {
        case file
        case directory
        /// Neither, or a link that leads nowhere.
        case other
    }
}

public enum Directory {
    /// A path that means the same wherever the process goes; links in it stay as they are.
    /// The corresponding C function is `getcwd`.
    public static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(current) }
        return unsafe "\(String(cString: current))/\(path)"
    }

    /// The names in a directory, sorted byte by byte; `.` and `..` are left out.
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

    /// Whether there is a directory of this name.
    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The same for somebody who must not take a refusal or a shortage for an answer: whatever keeps it from being known is
    /// thrown.
    public static func isThere(_ path: String) throws(SystemError) -> Bool {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
        let error = SystemError.last("stat")
        guard error.isMissing else { throw error }
        return false
    }

    /// The directory entry tells the kind in nearly all cases; links and some file systems need another look.
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

    /// Makes a directory and those above it, as far as they are missing. The corresponding C function is `mkdir`.
    public static func create(_ path: String, permissions: UInt32) throws(SystemError) {
        if unsafe exists(path) || mkdir(path, permissions) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .last("mkdir")
        }
        try create(String(path[..<slash]), permissions: permissions)
        guard unsafe mkdir(path, permissions) == 0 || errno == EEXIST else { throw .last("mkdir") }
    }
}
