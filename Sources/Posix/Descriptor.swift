// The owner of a file descriptor. It cannot be copied, so it is closed exactly once: when its owner lets go of it.

import Glibc

/// An open file descriptor, closed when its owner ends.
public struct Descriptor: ~Copyable, Sendable {
    public let number: Int32

    public init(takingOwnershipOf number: Int32) {
        precondition(number >= 0, "a descriptor is not negative")
        self.number = number
    }

    /// Hands the descriptor over to someone who will close it.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { closeDescriptor(number) }
}

/// Closes a descriptor whose owner is not a `Descriptor` (a slot of the connection table).
/// The corresponding C function is `close`, which Linux says must not be repeated after EINTR.
public func closeDescriptor(_ number: Int32) {
    let result = close(number)
    precondition(result == 0 || errno != EBADF, "a descriptor was closed twice")
}
