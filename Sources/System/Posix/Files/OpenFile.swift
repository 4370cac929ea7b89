// A file that is kept open, to be sent in pieces.

import CPosix
import Libc
import Synchronization

/// A regular file that is open for reading as long as this object exists. A file that replaces it later is another one.
public final class OpenFile: Sendable {
    private let file: RegularFile
    public let path: String

    init(_ file: consuming RegularFile, path: String) {
        self.file = file
        self.path = path
        OpenFile.alive.add(1, ordering: .relaxed)
    }

    public convenience init(_ path: String) throws(FileError) { self.init(try RegularFile(path), path: path) }

    deinit { OpenFile.alive.subtract(1, ordering: .relaxed) }

    private static let alive = Atomic<Int>(0)

    /// How many of these files are open in this process, including those of an old catalogue that still has readers.
    public static var count: Int { alive.load(ordering: .relaxed) }

    public var status: FileStatus { file.status }
    public var byteCount: Int { Int(status.byteCount) }
    public var inode: UInt64 { status.inode }
    /// Nanoseconds since 1970.
    public var modifiedNanoseconds: Int64 { status.modifiedNanoseconds }
    /// Seconds since 1970.
    public var modified: Int64 { status.modifiedSeconds }

    /// The descriptor, for calls with an explicit position; its own file position is not used.
    public var number: Int32 { file.descriptor.number }

    /// The content, if the file has not changed since it was opened; nil otherwise.
    public func settledContents() throws(FileError) -> [UInt8]? {
        let bytes = try contents()
        let now = try file.statusNow()
        return bytes.count == byteCount && now.byteCount == status.byteCount
            && now.modifiedNanoseconds == modifiedNanoseconds
            ? bytes : nil
    }

    /// The content, up to the size that it had when it was opened.
    public func contents() throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = try file.fill(&bytes, from: 0)
        bytes.removeSubrange(count...)
        return bytes
    }

    /// A part of the content, shorter at the end of the file.
    public func part(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        guard offset >= 0, offset <= byteCount else { return [] }
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, byteCount - offset)))
        var span = bytes.mutableSpan
        let filled = try unsafe span.withUnsafeMutableBytes { bytes throws(FileError) in
            try unsafe file.fill(bytes, from: offset)
        }
        bytes.removeSubrange(filled...)
        return bytes
    }
}

/// A descriptor of a regular file, and its metadata when it was opened.
struct RegularFile: ~Copyable {
    let descriptor: Descriptor
    let status: FileStatus

    /// Throws if it is no regular file, or larger.
    init(takingOwnershipOf descriptor: consuming Descriptor, bytesMax: Int = .max) throws(FileError) {
        let status = try RegularFile.status(of: descriptor)
        guard status.isRegular else { throw .notAFile }
        if status.byteCount > bytesMax { throw .tooLarge(byteCount: Int(status.byteCount), limit: bytesMax) }
        self.descriptor = descriptor
        self.status = status
    }

    /// Opens a file by its path. Non-blocking, so that a pipe in its place cannot block the thread.
    init(_ path: String, bytesMax: Int = .max) throws(FileError) {
        let descriptor: Descriptor
        do { descriptor = try Descriptor.open(path, O_RDONLY | O_NONBLOCK) } catch {
            throw .system(error)
        }
        try self.init(takingOwnershipOf: descriptor, bytesMax: bytesMax)
    }

    private static func status(of descriptor: borrowing Descriptor) throws(FileError) -> FileStatus {
        do { return FileStatus(try stat(of: descriptor.number)) } catch { throw .system(error) }
    }

    func statusNow() throws(FileError) -> FileStatus { try RegularFile.status(of: descriptor) }

    /// The whole content, because a file may grow meanwhile, but not more than the limit.
    func contents(bytesMax: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(status.byteCount) + 1)
        var count = 0
        while true {
            count += try fill(&bytes, from: count)
            if count > bytesMax { throw .tooLarge(byteCount: count, limit: bytesMax) }
            if count < bytes.count { break }
            bytes.append(contentsOf: repeatElement(0, count: bytes.count))
        }
        bytes.removeSubrange(count...)
        return bytes
    }

    /// Reads from a position until the array is full or the file ends. Returns the number of bytes.
    func fill(_ bytes: inout [UInt8], from start: Int) throws(FileError) -> Int {
        var span = bytes.mutableSpan
        return try unsafe span.withUnsafeMutableBytes { (bytes) throws(FileError) in
            try unsafe fill(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), from: start)
        }
    }

    /// Reads from a position until the buffer is full or the file ends. Returns the number of bytes.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, from start: Int = 0) throws(FileError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            switch unsafe receive(file: descriptor.number, from: start + count, into: rest) {
            case .moved(let step): count += step
            case .ended, .wouldBlock: return count
            case .failed(let number): throw .system(SystemError(call: "pread", number: number))
            }
        }
        return count
    }
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
