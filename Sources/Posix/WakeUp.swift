// How one thread makes another leave its epoll_wait. Nothing is passed along: the woken thread looks around itself.

import CLinux
import Glibc

/// A descriptor that becomes readable when someone calls `wake`. The corresponding C function is `eventfd`.
public struct WakeUp: ~Copyable, Sendable {
    public let descriptor: Descriptor

    public init() throws(SystemError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard number >= 0 else { throw .last("eventfd") }
        descriptor = Descriptor(takingOwnershipOf: number)
    }

    public func wake() {
        // EAGAIN means that the counter is at its maximum, so the sleeper is being woken already.
        var one: eventfd_t = 1
        _ = write(descriptor.number, &one, MemoryLayout<eventfd_t>.size)
    }

    /// Waits until somebody has called `wake`, and says whether that has happened in time.
    /// The corresponding C function is `poll`.
    public func wait(milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, milliseconds) == 1
    }

    /// Makes the descriptor unreadable again.
    public func clear() {
        var count: eventfd_t = 0
        _ = read(descriptor.number, &count, MemoryLayout<eventfd_t>.size)
    }
}
