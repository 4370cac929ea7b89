// A file that is kept open, to be sent piece by piece.

import CLinux
import Glibc
import Synchronization

/// A regular file, open for reading for as long as somebody keeps this. What it is about is settled when it is opened: a
/// file put in its place later is another one.
public final class OpenFile: Sendable {
    private let descriptor: Descriptor
    /// Where it was opened: its folder's path, and its own below that.
    public let path: String
    /// As it was when it was opened.
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

    /// How many there are in this process, each with a descriptor: those of a catalogue that is no longer published too, as
    /// long as anybody has it.
    public static var count: Int { alive.load(ordering: .relaxed) }

    /// Whether the file is as it was when it was opened.
    func isUnchanged(_ status: stat) -> Bool {
        let now = FileStatus(status)
        return now.byteCount == self.status.byteCount && now.modifiedNanoseconds == modifiedNanoseconds
    }

    /// Opens a regular file by its path. Without waiting, so that a pipe in its place cannot hold us up.
    public convenience init(_ path: String) throws(FileError) {
        let number = unsafe associated_open(path, O_RDONLY | O_NONBLOCK, 0)
        guard number >= 0 else { throw .system(.last("open")) }
        try self.init(takingOwnershipOf: Descriptor(takingOwnershipOf: number), path: path)
    }

    public var byteCount: Int { Int(status.byteCount) }
    public var inode: UInt64 { status.inode }
    /// Since 1970.
    public var modifiedNanoseconds: Int64 { status.modifiedNanoseconds }
    /// Seconds since 1970.
    public var modified: Int64 { modifiedNanoseconds / 1_000_000_000 }

    /// For calls that read at a position of their own; its own position is nobody's.
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

// A file's bytes as memory. The kernel reads them when they are looked at, shares them with whoever maps the same file,
// and drops them again when memory is short.

/// The content of a file that nobody writes to any more; unmapped when its owner ends. What is written into the bytes stays
/// in this process. A file that is cut short while it is mapped ends whoever reads behind its end: files that are mapped
/// are put in place by renaming and never changed. The corresponding C functions are `mmap` and `munmap`.
@safe public struct Mapping: ~Copyable, @unchecked Sendable {
    public let bytes: UnsafeMutableRawBufferPointer

    /// Maps all of a file, which is not empty. It may be closed afterwards.
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
