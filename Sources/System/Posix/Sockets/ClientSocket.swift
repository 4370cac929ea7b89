// An outgoing connection with blocking calls and time limits. For the control plane and tests, never for workers.

import CPosix
import Libc

/// A connected socket, by default a stream socket.
public struct ClientSocket: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// Connects. This call and every later one fails after `timeoutMilliseconds` without progress.
    /// - Parameter isDatagram: whether each call sends or receives one datagram; those of other senders are dropped.
    public init(to address: SocketAddress, isDatagram: Bool = false, timeoutMilliseconds: Int) throws(SystemError) {
        let descriptor = try Descriptor.socket(address.family, isDatagram ? datagramSocket : streamSocket)
        let number = descriptor.number
        try ClientSocket.limit(number, timeoutMilliseconds)
        guard unsafe address.withPointer({ unsafe connect(number, $0, $1) }) == 0 else {
            // connect reports a timeout as "in progress" (socket(7)).
            throw errno == EINPROGRESS ? SystemError(call: "connect", number: ETIMEDOUT) : .last("connect")
        }
        self.descriptor = descriptor
    }

    /// Changes the time limit of later calls.
    public func limit(timeoutMilliseconds: Int) throws(SystemError) {
        try ClientSocket.limit(descriptor.number, timeoutMilliseconds)
    }

    private static func limit(_ fd: Int32, _ milliseconds: Int) throws(SystemError) {
        // Zero would mean no limit (socket(7)).
        let milliseconds = max(1, milliseconds)
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: suseconds_t(milliseconds % 1000 * 1000))
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            let result = unsafe setsockopt(fd, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
            guard result == 0 else { throw .last("setsockopt") }
        }
    }

    /// Makes all later calls non-blocking; `wait` blocks. For operations of many calls that have one deadline together.
    public func setNonBlocking() throws(SystemError) {
        guard associated_adopt(descriptor.number) == 0 else { throw .last("fcntl") }
    }

    /// What `wait` waits for.
    public enum Readiness: Sendable {
        case readable
        case writable
    }

    /// Waits until the socket is ready, or until the monotonic clock shows `deadline`. False when the time is up.
    public func wait(for readiness: Readiness, untilMilliseconds deadline: Int64) -> Bool {
        while true {
            let left = deadline - Clock.monotonicMilliseconds()
            if left <= 0 { return false }
            let wanted = readiness == .readable ? POLLIN : POLLOUT
            var event = pollfd(fd: descriptor.number, events: Int16(wanted), revents: 0)
            let count = unsafe poll(&event, 1, Int32(clamping: left))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }

    /// Whether bytes or the end of the stream can be read now.
    public var hasInput: Bool {
        var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&event, 1, 0) > 0
    }

    /// For waiting for several sockets at once.
    public var number: Int32 { descriptor.number }

    public func send(_ bytes: [UInt8]) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            let outcome = unsafe bytes.withUnsafeBytes {
                unsafe transmit(descriptor.number, UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            switch outcome {
            case .moved(let count): sent += count
            case .wouldBlock: throw SystemError(call: "send", number: ETIMEDOUT)
            case .ended: throw SystemError(call: "send", number: EPIPE)
            case .failed(let number): throw SystemError(call: "send", number: number)
            }
        }
    }

    /// Receives at most `bytesMax` bytes; none when the other side has finished.
    public func receive(bytesMax: Int = 65_536) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let outcome = unsafe bytes.withUnsafeMutableBytes { unsafe Posix.receive(descriptor.number, into: $0) }
        switch outcome {
        case .moved(let count):
            bytes.removeSubrange(count...)
            return bytes
        case .ended: return []
        case .wouldBlock: throw SystemError(call: "recv", number: ETIMEDOUT)
        case .failed(let number): throw SystemError(call: "recv", number: number)
        }
    }
}
