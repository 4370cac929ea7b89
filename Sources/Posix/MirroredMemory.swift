// A ring of bytes without an end: the same memory twice, one behind the other, so that what goes over the end of the first
// lies at its beginning too and can be written and read in one piece.

import CLinux
import Glibc

/// Memory that is seen twice in a row; unmapped when its owner ends. Pages take no memory until they are written.
/// The corresponding C functions are `memfd_create` and `mmap`.
public struct MirroredMemory: ~Copyable, @unchecked Sendable {
    /// The first of the two; as many bytes behind it are the same ones again.
    public let start: UnsafeMutableRawPointer
    public let byteCount: Int

    /// `byteCount` is a multiple of the size of a page.
    public init(byteCount: Int) throws(SystemError) {
        precondition(byteCount > 0 && byteCount % 4096 == 0, "memory is mapped in whole pages")
        guard let start = associated_mirror(byteCount) else { throw .last("mmap") }
        self.start = start
        self.byteCount = byteCount
    }

    deinit {
        let result = munmap(start, byteCount * 2)
        precondition(result == 0, "a block is unmapped once")
    }
}
