// A file that is kept open, to be sent in pieces.

import CLinux
import Glibc
import Synchronization

/// A regular file that is open for reading as long as this object exists. A file that replaces it later is another one.
public final class OpenFile: Sendable {
    private let descriptor: Descriptor
    /// The path with which it was opened.
    public let path: String
    /// The metadata at that time.
    public let status: FileStatus

    init(takingOwnershipOf descriptor: consuming Descriptor, path: String) throws(FileError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .system(.last("fstat")) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        self.descriptor = descriptor
        self.path = path
        self.status = FileStatus(status)
        OpenFile.alive.add(1, ordering: .relaxed)
    }

    deinit { OpenFile.alive.subtract(1, ordering: .relaxed) }

    private static let alive = Atomic<Int>(0)

    /// How many of these files are open in this process, including those of an old catalogue that still has readers.
    public static var count: Int { alive.load(ordering: .relaxed) }

    /// Whether the file has not changed since it was opened.
    func isUnchanged(_ status: stat) -> Bool {
        let now = FileStatus(status)
        return now.byteCount == self.status.byteCount && now.modifiedNanoseconds == modifiedNanoseconds
    }

    /// Opens a regular file by its path. Non-blocking, so that a pipe in its place cannot block the thread.
    public convenience init(_ path: String) throws(FileError) {
        let number = unsafe associated_open(path, O_RDONLY | O_NONBLOCK, 0)
        guard number >= 0 else { throw .system(.last("open")) }
        try self.init(takingOwnershipOf: Descriptor(takingOwnershipOf: number), path: path)
    }

    public var byteCount: Int { Int(status.byteCount) }
    public var inode: UInt64 { status.inode }
    /// Nanoseconds since 1970.
    public var modifiedNanoseconds: Int64 { status.modifiedNanoseconds }
    /// Seconds since 1970.
    public var modified: Int64 { modifiedNanoseconds / 1_000_000_000 }

    /// The descriptor, for calls with an explicit position; its own file position is not used.
    public var number: Int32 { descriptor.number }
}

extension OpenFile: Hashable {
    public static func == (left: OpenFile, right: OpenFile) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Reads from a position of a file. The corresponding C function is `pread`.
public func receive(file: Int32, from offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    let result = retrying { unsafe pread(file, buffer.baseAddress, buffer.count, off_t(offset)) }
    return result > 0 ? .moved(result) : result == 0 ? .ended : .failed(errno)
}

// A file's bytes as memory. The kernel reads them when they are accessed, shares them with other processes that map the same
// file, and drops them when memory is low.

/// The content of a file that is not written any more; unmapped at the end of this value's lifetime. Changes of the bytes stay in
/// this process. Reading behind the end of a file that was truncated meanwhile ends the process, so mapped files are replaced
/// by renaming and never changed. The corresponding C functions are `mmap` and `munmap`.
@safe public struct Mapping: ~Copyable, @unchecked Sendable {
    public let bytes: UnsafeMutableRawBufferPointer

    /// Maps a whole file, which must not be empty. It may be closed afterwards.
    public init(_ file: OpenFile) throws(SystemError) {
        let start = unsafe mmap(
            nil, file.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number, 0)
        guard unsafe start != MAP_FAILED else { throw .last("mmap") }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: file.byteCount)
    }

    deinit {
        let result = unsafe munmap(bytes.baseAddress!, bytes.count)
        precondition(result == 0, "a file is unmapped once")
    }
}
