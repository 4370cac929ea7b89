// How a thread of the control plane waits for work without looking for it. The data plane never waits so.

import CLinux
import Glibc

/// Counts what is to be done; whoever takes one waits until there is one. The corresponding C function is `eventfd`.
public struct Semaphore: ~Copyable, Sendable {
    private let descriptor: Descriptor

    public init() throws(SystemError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_SEMAPHORE))
        guard number >= 0 else { throw .last("eventfd") }
        descriptor = Descriptor(takingOwnershipOf: number)
    }

    /// Lets one waiter go on, now or later.
    public func signal() {
        let result = eventfd_write(descriptor.number, 1)
        precondition(result == 0, "a semaphore takes as many signals as there is memory for work")
    }

    public func wait() {
        var count: eventfd_t = 0
        while eventfd_read(descriptor.number, &count) != 0 {
            precondition(errno == EINTR, "a semaphore is read through its own descriptor")
        }
    }
}
