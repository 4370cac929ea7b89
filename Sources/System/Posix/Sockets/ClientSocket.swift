// An outgoing connection whose calls wait, each for a limited time. For the control plane and tests, never for workers.

import CPosix
import Libc

/// A connected socket, by default a stream socket.
public struct ClientSocket: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let timeoutMilliseconds: Int

    /// Connects. This call and every later one fails after `timeoutMilliseconds` without progress. The corresponding C function is
    /// `connect`. The socket does not block, because macOS has no time limit for that.
    /// - Parameter isDatagram: whether each call sends or receives one datagram; those of other senders are dropped.
    public init(to address: SocketAddress, isDatagram: Bool = false, timeoutMilliseconds: Int) throws(SystemError) {
        let descriptor = try Descriptor.socket(
            address.family, isDatagram ? datagramSocket : streamSocket, isBlocking: false)
        let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        try ClientSocket.connect(descriptor.number, to: address, untilMilliseconds: end)
        self.descriptor = descriptor
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    private static func connect(
        _ number: Int32, to address: SocketAddress, untilMilliseconds end: Int64
    ) throws(SystemError) {
        while unsafe address.withPointer({ unsafe Libc.connect(number, $0, $1) }) != 0, errno != EISCONN {
            switch errno {
            // The connection is being made, also after a signal.
            case EINPROGRESS, EALREADY, EINTR:
                guard wait(number, .writable, untilMilliseconds: end) else { throw .timedOut("connect") }
                let failure = failure(number)
                if failure != 0 { throw SystemError(call: "connect", number: failure) }
            // The queue of a Unix socket is full, and nothing says when it is not.
            case EAGAIN where address.isUnix && Clock.monotonicMilliseconds() < end:
                _ = poll(nil, 0, pauseMilliseconds)
            default: throw .last("connect")
            }
        }
    }

    private static let pauseMilliseconds: Int32 = 5

    /// Why the connection could not be made; 0 if it was. The corresponding option is `SO_ERROR`.
    private static func failure(_ number: Int32) -> Int32 {
        var (failure, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 ? failure : errno
    }

    /// What `wait` waits for.
    public enum Readiness: Sendable {
        case readable
        case writable
    }

    /// Waits until the socket is ready, or until the monotonic clock shows `deadline`. False when the time is up.
    public func wait(for readiness: Readiness, untilMilliseconds deadline: Int64) -> Bool {
        ClientSocket.wait(number, readiness, untilMilliseconds: deadline)
    }

    private static func wait(_ number: Int32, _ readiness: Readiness, untilMilliseconds deadline: Int64) -> Bool {
        while true {
            let left = deadline - Clock.monotonicMilliseconds()
            if left <= 0 { return false }
            let wanted = readiness == .readable ? POLLIN : POLLOUT
            var event = pollfd(fd: number, events: Int16(wanted), revents: 0)
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

    /// - Parameter milliseconds: a time limit for this call instead of the socket's.
    public func send(_ bytes: [UInt8], within milliseconds: Int? = nil) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            let outcome = unsafe bytes.withUnsafeBytes {
                unsafe transmit(descriptor.number, UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            switch outcome {
            case .moved(let count): sent += count
            case .wouldBlock: try wait(for: .writable, milliseconds, "send")
            case .ended: throw SystemError(call: "send", number: EPIPE)
            case .failed(let number): throw SystemError(call: "send", number: number)
            }
        }
    }

    /// Receives at most `bytesMax` bytes; none when the other side has finished.
    /// - Parameter milliseconds: a time limit for this call instead of the socket's.
    public func receive(bytesMax: Int = 65_536, within milliseconds: Int? = nil) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        while true {
            let outcome = unsafe bytes.withUnsafeMutableBytes { unsafe Posix.receive(descriptor.number, into: $0) }
            switch outcome {
            case .moved(let count):
                bytes.removeSubrange(count...)
                return bytes
            case .ended: return []
            case .wouldBlock: try wait(for: .readable, milliseconds, "recv")
            case .failed(let number): throw SystemError(call: "recv", number: number)
            }
        }
    }

    private func wait(for readiness: Readiness, _ milliseconds: Int?, _ call: String) throws(SystemError) {
        let end = Clock.monotonicMilliseconds() + Int64(milliseconds ?? timeoutMilliseconds)
        guard wait(for: readiness, untilMilliseconds: end) else { throw .timedOut(call) }
    }
}
