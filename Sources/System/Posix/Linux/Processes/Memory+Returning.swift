// What a server gives back to the kernel: its processes live for months, and most of the time they have little to do.

import CLinux

extension Memory {
    /// Returns freed memory to the kernel, which the allocator otherwise keeps. To be called after work that needed much more
    /// memory than the following work. The corresponding C function is `malloc_trim`.
    public static func returnFreed() { associated_trim_heap() }

    /// Has the allocator keep little of what is freed, from now on. The corresponding C function is `mallopt`.
    public static func returnAlways() { associated_trim_always() }

    /// Gives back the pages of the program's code, most of which a process that only waits needs no more; the kernel has them in its
    /// cache for the others. The corresponding C function is `madvise` with `MADV_DONTNEED`.
    public static func returnCode() { associated_release_code() }
}
