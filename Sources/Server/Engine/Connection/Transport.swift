// Sends and receives the bytes of a connection, plain or in TLS records. All other code is the same for both.

import Posix
import TLS

/// A connection's transport. A plain value, because it is in the worker's table; the owner ends the session.
enum Transport {
    case plain
    case secure(SecureSession)

    /// Nil for plain HTTP.
    var session: SecureSession? { if case .secure(let session) = self { session } else { nil } }

    /// Receives plain bytes into `room`, or TLS records into the buffer of the layer.
    func receive(_ fd: Int32, into room: UnsafeMutableRawBufferPointer, _ layer: borrowing RecordLayer) -> Transfer {
        switch self {
        case .plain: unsafe Posix.receive(fd, into: room)
        case .secure: unsafe Posix.receive(fd, into: layer.received)
        }
    }

    /// Sends as much as the kernel accepts of `ready` and, without TLS, of the body after it. With TLS the body has to be
    /// encrypted first.
    func send(_ fd: Int32, _ ready: UnsafeRawBufferPointer, _ body: Body) -> Transfer {
        switch (self, body) {
        case (.secure, _), (.plain, .none): unsafe transmit(fd, ready)
        case (.plain, .memory(let bytes)): unsafe transmit(fd, ready, bytes)
        case (.plain, .file) where unsafe !ready.isEmpty: unsafe transmit(fd, ready, moreFollows: true)
        case (.plain, .file(let file, let range)):
            transmit(fd, file: file, from: range.lowerBound, count: min(range.count, Transport.bytesPerTurnMax))
        }
    }

    /// The most bytes that one connection is sent before others get their turn.
    static let bytesPerTurnMax = 1_048_576
}
