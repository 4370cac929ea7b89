// How a server moves bytes; `Transfer` is what every socket needs.

import CLinux
import Libc

/// Sends two buffers in one call, so that a head and a large body need not be joined. Only on a thread of `Thread`, which blocks
/// SIGPIPE. The corresponding C function is `writev`; the sandbox forbids `sendmsg`, which could send to another address.
public func transmit(_ fd: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Transfer {
    var parts = unsafe (
        iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
        iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
    )
    return unsafe withUnsafeMutableBytes(of: &parts) { raw in
        let vector = unsafe raw.baseAddress?.assumingMemoryBound(to: iovec.self)
        return outcome(retrying { unsafe writev(fd, vector, 2) })
    }
}

/// Sends a part of a file without copying it into the process. The corresponding C function is `sendfile`.
public func transmit(_ fd: Int32, file: Int32, from offset: Int, count: Int) -> Transfer {
    var position = off_t(offset)
    return outcome(retrying { unsafe sendfile(fd, file, &position, count) })
}

/// Sent bytes that the other side has not acknowledged. The corresponding ioctl is `SIOCOUTQ`.
public func unacknowledgedBytes(_ fd: Int32) -> Int { Int(max(0, associated_unsent(fd))) }

/// Makes closing a socket discard unsent bytes and reset the connection (socket(7), `SO_LINGER`).
public func abandonUnsent(_ fd: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout.size(ofValue: linger))
    let result = unsafe setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, size)
    precondition(result == 0, "a socket takes its options")
}

/// Whether the peer has ended its sending direction, even if there are unread bytes. The corresponding C function is `poll`, with
/// `POLLRDHUP`.
public func hasEnded(_ fd: Int32) -> Bool {
    var watched = pollfd(fd: fd, events: Int16(EPOLLRDHUP.rawValue), revents: 0)
    return unsafe poll(&watched, 1, 0) == 1
}
