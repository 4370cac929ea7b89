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
        let number = associated_open(path, O_RDONLY | O_NONBLOCK, 0)
        guard number >= 0 else { throw .system(.last("open")) }
        let descriptor = Descriptor(takingOwnershipOf: number)
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw .system(.last("fstat")) }
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
            let step = bytes.withUnsafeMutableBytes { buffer in
                retrying { Glibc.read(fd, buffer.baseAddress! + count, buffer.count - count) }
            }
            if step < 0 { throw .system(.last("read")) }
            if step == 0 { break }
            count += step
        }
        bytes.removeSubrange(count...)
        return bytes
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
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return "\(String(cString: current))/\(path)"
    }

    /// The names in a directory, sorted byte by byte; `.` and `..` are left out.
    public static func entries(_ path: String) throws(SystemError) -> [DirectoryEntry] {
        guard let stream = opendir(path) else { throw .last("opendir") }
        defer { closedir(stream) }
        var entries: [DirectoryEntry] = []
        while let entry = try nextEntry(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            entries.append(DirectoryEntry(name: name, kind: kind(of: "\(path)/\(name)", entry.pointee.d_type)))
        }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Whether there is a directory of this name.
    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The same for somebody who must not take a refusal or a shortage for an answer: whatever keeps it from being known is
    /// thrown.
    public static func isThere(_ path: String) throws(SystemError) -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
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
        guard stat(path, &status) == 0 else { return .other }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        default: .other
        }
    }
}
