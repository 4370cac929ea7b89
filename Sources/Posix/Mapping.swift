// A file's bytes as memory. The kernel reads them when they are looked at, shares them with whoever maps the same file,
// and drops them again when memory is short.

import Glibc

/// The content of a file that nobody writes to any more; unmapped when its owner ends. What is written into the bytes stays
/// in this process. A file that is cut short while it is mapped ends whoever reads behind its end: files that are mapped
/// are put in place by renaming and never changed. The corresponding C functions are `mmap` and `munmap`.
public struct Mapping: ~Copyable, @unchecked Sendable {
    public let bytes: UnsafeMutableRawBufferPointer

    /// Maps all of a file, which is not empty. It may be closed afterwards.
    public init(_ file: OpenFile) throws(SystemError) {
        let start = mmap(nil, file.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number, 0)
        guard start != MAP_FAILED else { throw .last("mmap") }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: file.byteCount)
    }

    deinit {
        let result = munmap(bytes.baseAddress!, bytes.count)
        precondition(result == 0, "a file is unmapped once")
    }
}
