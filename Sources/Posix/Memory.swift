// Memory straight from the kernel: for the few large blocks that must go back to it when they are no longer needed, which
// an allocator may or may not do.

import CLinux
import Glibc

/// A block of anonymous memory that may grow; unmapped when its owner ends. Pages take no memory until they are written.
/// The corresponding C functions are `mmap`, `mremap` and `munmap`.
public struct Memory: ~Copyable, @unchecked Sendable {
    public private(set) var bytes: UnsafeMutableRawBufferPointer

    /// At least `byteCount` zeroed bytes.
    public init(byteCount: Int) {
        let size = Memory.wholePages(byteCount)
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if start == MAP_FAILED { BugExit.endForWantOfMemory() }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    /// Makes the block at least this long (or this short); it may move.
    public mutating func resize(byteCount: Int) {
        let size = Memory.wholePages(byteCount)
        let start = associated_remap(bytes.baseAddress!, bytes.count, size)
        if start == MAP_FAILED { BugExit.endForWantOfMemory() }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    deinit {
        let result = munmap(bytes.baseAddress!, bytes.count)
        precondition(result == 0, "a block is unmapped once")
    }

    private static func wholePages(_ byteCount: Int) -> Int { max(1, (byteCount + 4095) / 4096) * 4096 }
}

extension Memory {
    /// Gives back to the kernel what has been freed, which the allocator otherwise keeps for later. To be called after
    /// work that took much more memory than what follows. The corresponding C function is `malloc_trim`.
    public static func returnFreed() { associated_trim_heap() }
}
