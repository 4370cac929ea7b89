// Memory straight from the kernel: for the few large blocks that must go back to it when they are no longer needed, which
// an allocator may or may not do.

import CLinux
import Glibc

/// A block of anonymous memory that may grow; unmapped when its owner ends. Pages take no memory until they are written.
/// The corresponding C functions are `mmap`, `mremap` and `munmap`.
@safe public struct Memory: ~Copyable, @unchecked Sendable {
    public private(set) var bytes: UnsafeMutableRawBufferPointer

    /// At least `byteCount` zeroed bytes.
    public init(byteCount: Int) {
        let size = Memory.wholePages(byteCount)
        let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if unsafe start == MAP_FAILED { BugExit.endForWantOfMemory() }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    /// Makes the block at least this long (or this short); it may move.
    public mutating func resize(byteCount: Int) {
        let size = Memory.wholePages(byteCount)
        let start = unsafe associated_remap(bytes.baseAddress!, bytes.count, size)
        if unsafe start == MAP_FAILED { BugExit.endForWantOfMemory() }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    deinit {
        let result = unsafe munmap(bytes.baseAddress!, bytes.count)
        precondition(result == 0, "a block is unmapped once")
    }

    private static func wholePages(_ byteCount: Int) -> Int { max(1, (byteCount + 4095) / 4096) * 4096 }

    /// Gives back to the kernel what has been freed, which the allocator otherwise keeps for later. To be called after
    /// work that took much more memory than what follows. The corresponding C function is `malloc_trim`.
    public static func returnFreed() { associated_trim_heap() }
}

// A ring of bytes without an end: the same memory twice, one behind the other, so that what goes over the end of the first
// lies at its beginning too and can be written and read in one piece.

/// Memory that is seen twice in a row; unmapped when its owner ends. Pages take no memory until they are written.
/// The corresponding C functions are `memfd_create` and `mmap`.
@safe public struct MirroredMemory: ~Copyable, @unchecked Sendable {
    /// The first of the two; as many bytes behind it are the same ones again.
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
