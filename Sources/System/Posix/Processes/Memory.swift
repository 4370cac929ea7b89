// Memory directly from the kernel, for the few large blocks that must be returned to it when they are no longer needed. An
// allocator may keep freed memory.

import CPosix
import Libc

/// A block of anonymous memory that may grow; unmapped at the end of this value's lifetime. Pages use no memory until they are
/// written.
/// The corresponding C functions are `mmap`, `mremap` and `munmap`.
@safe public struct Memory: ~Copyable, @unchecked Sendable {
    public private(set) var bytes: UnsafeMutableRawBufferPointer

    /// At least `byteCount` zeroed bytes.
    public init(byteCount: Int) {
        let size = Memory.wholePages(byteCount)
        let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        if unsafe start == MAP_FAILED { BugExit.exitOutOfMemory() }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    /// Changes the size of the block, rounded up to whole pages; it may move.
    public mutating func resize(byteCount: Int) {
        let size = Memory.wholePages(byteCount)
        guard let start = unsafe associated_remap(bytes.baseAddress!, bytes.count, size) else {
            BugExit.exitOutOfMemory()
        }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    deinit {
        let result = unsafe munmap(bytes.baseAddress!, bytes.count)
        precondition(result == 0, "a block is unmapped once")
    }

    private static func wholePages(_ byteCount: Int) -> Int { max(1, (byteCount + 4095) / 4096) * 4096 }
}

// A ring buffer whose memory is mapped twice in a row: bytes written beyond the end of the first mapping appear at its
// beginning, so a wrapped entry can be written and read in one piece.

/// Memory that is mapped twice in a row; unmapped at the end of this value's lifetime. Pages use no memory until they are
/// written. The corresponding C functions are `memfd_create` and `mmap`.
@safe public struct MirroredMemory: ~Copyable, @unchecked Sendable {
    /// The first mapping; the second one follows.
    public let start: UnsafeMutableRawPointer
    public let byteCount: Int

    /// `byteCount` is a multiple of the size of a page.
    public init(byteCount: Int) throws(SystemError) {
        precondition(byteCount > 0 && byteCount % 4096 == 0, "memory is mapped in whole pages")
        guard let start = unsafe associated_mirror(byteCount) else { throw .last("mmap") }
        unsafe self.start = start
        self.byteCount = byteCount
    }

    deinit {
        let result = unsafe munmap(start, byteCount * 2)
        precondition(result == 0, "a block is unmapped once")
    }
}

/// Bytes in memory that a child process inherits as a descriptor. The corresponding C function is `memfd_create`.
public final class MemoryFile: Sendable {
    private let descriptor: Descriptor
    public var number: Int32 { descriptor.number }

    public init(_ bytes: [UInt8]) throws(SystemError) {
        let file = unsafe bytes.withUnsafeBytes { unsafe associated_memory_file($0.baseAddress, $0.count) }
        descriptor = try Descriptor(file, of: "memfd_create")
    }

    /// Lets a child read it from its beginning. The corresponding C function is `lseek`.
    func rewind() { lseek(number, 0, SEEK_SET) }

    /// What a child has written to it.
    func bytes() throws(SystemError) -> [UInt8] {
        let size = lseek(number, 0, SEEK_END)
        if size < 0 { throw .last("lseek") }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        var count = 0
        while count < bytes.count {
            let part = unsafe bytes[count...].withUnsafeMutableBytes { rest in
                retrying { unsafe pread(number, rest.baseAddress, rest.count, off_t(count)) }
            }
            if part < 0 { throw .last("pread") }
            // Another process may make it shorter meanwhile.
            if part == 0 { break }
            count += part
        }
        return Array(bytes.prefix(count))
    }

    /// What a parent has put into one, which is closed.
    public static func contents(takingOwnershipOf number: Int32) throws(FileError) -> [UInt8] {
        try RegularFile(takingOwnershipOf: Descriptor(takingOwnershipOf: number)).contents(bytesMax: .max - 1)
    }
}
