// How threads wait for work that several of them may take.

import CLinux
import Libc

/// A counting semaphore. The corresponding C function is `eventfd`.
public struct Semaphore: ~Copyable, Sendable {
    private let descriptor: Descriptor

    public init() throws(SystemError) {
        descriptor = try Descriptor(eventfd(0, Int32(EFD_CLOEXEC | EFD_SEMAPHORE)), of: "eventfd")
    }

    /// Lets one `wait` return, now or later.
    public func signal() {
        let result = eventfd_write(descriptor.number, 1)
        precondition(result == 0, "a semaphore's counter does not overflow")
    }

    public func wait() {
        var count: eventfd_t = 0
        while unsafe eventfd_read(descriptor.number, &count) != 0 {
            precondition(errno == EINTR, "a semaphore is read through its own descriptor")
        }
    }
}
