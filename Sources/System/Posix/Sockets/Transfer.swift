// Moves bytes through non-blocking descriptors. Every outcome is a value that the caller must handle; nothing throws.

import CPosix
import Libc

/// The outcome of one attempt to move bytes.
public enum Transfer: Equatable, Sendable {
    /// At least one byte was moved.
    case moved(Int)
    /// Nothing could be moved now; wait until the descriptor is ready.
    case wouldBlock
    /// The other side has finished sending.
    case ended
    /// The connection is broken.
    case failed(Int32)
}

/// Receives the available bytes, up to the size of `buffer`. The corresponding C function is `recv`.
public func receive(_ fd: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    outcome(retrying { unsafe recv(fd, buffer.baseAddress, buffer.count, 0) })
}

/// Sends as much as the socket accepts; a closed peer is an outcome, not a signal. The corresponding C function is `send`.
/// - Parameter moreFollows: lets the kernel wait for the bytes that follow at once (`MSG_MORE`).
public func transmit(_ fd: Int32, _ bytes: UnsafeRawBufferPointer, moreFollows: Bool = false) -> Transfer {
    outcome(retrying { unsafe associated_send(fd, bytes.baseAddress, bytes.count, moreFollows ? 1 : 0) })
}

/// Tells the other side that nothing more will come. The corresponding C function is `shutdown`.
public func finishSending(_ fd: Int32) {
    // The peer may be gone already (ENOTCONN).
    _ = shutdown(fd, Int32(SHUT_WR))
}

func outcome(_ result: Int) -> Transfer {
    if result > 0 { return .moved(result) }
    if result == 0 { return .ended }
    return errno == EAGAIN ? .wouldBlock : .failed(errno)
}
