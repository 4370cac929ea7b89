// Sends and receives the bytes of a connection, plain or in TLS records. All other code is the same for both.

import Posix
import TLS

/// A connection's transport. A plain value, because it is in the worker's table; the owner ends the session.
enum Transport {
    case plain
    case secure(SecureSession)

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
        case (.plain, .file) where unsafe !ready.isEmpty: unsafe transmitFirst(fd, ready)
        case (.plain, .file(let file, let range)):
            transmit(fd, file: file, from: range.lowerBound, count: min(range.count, Transport.bytesPerTurnMax))
        }
    }

    /// The most bytes that one connection is sent before others get their turn.
    static let bytesPerTurnMax = 1_048_576
}

/// One worker's buffer for the TLS records of the connection that is being served, and the context of all its sessions.
@safe struct RecordLayer: ~Copyable {
    let context: SecureContext
    /// Received records.
    let received: UnsafeMutableRawBufferPointer

    /// How many plain bytes are encrypted at a time. A client that does not read can make the worker keep this much.
    private static let plainBytesPerStep = 32_768

    init(_ context: consuming SecureContext, receivedBytesMax: Int) {
        self.context = context
        unsafe received = .allocate(byteCount: receivedBytesMax, alignment: 64)
    }

    deinit { unsafe received.deallocate() }

    /// Decrypts all records that the session was given. The room is large enough, because records are longer than their
    /// content.
    func decrypt(_ session: SecureSession, into room: UnsafeMutableRawBufferPointer) -> (Int, SecureSession.Outcome) {
        var count = 0
        while true {
            precondition(count < room.count, "there is room for all that records can hold")
            let outcome = unsafe session.receive(context, into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
            guard case .done(let step) = outcome else { return (count, outcome) }
            count += step
            // Another call that finds nothing would cost half a microsecond.
            if session.isDrained(context) { return (count, .wantsInput) }
        }
    }

    /// Encrypts the output, which is empty afterwards, and the first part of a body. The records are in the output of `context`.
    /// Returns the rest of the body, for later steps; nil when the session is broken.
    func encrypt(_ session: SecureSession, _ writer: inout ResponseWriter, _ body: Body) -> Body? {
        let count = min(body.count, max(0, RecordLayer.plainBytesPerStep - writer.output.count))
        guard unsafe session.send(context, writer.output.bytes) else { return nil }
        writer.clear()
        switch body {
        case .none: break
        case .memory(let bytes):
            guard unsafe session.send(context, UnsafeRawBufferPointer(rebasing: bytes[..<count])) else { return nil }
        case .file(let file, let range):
            var done = 0
            while done < count {
                let room = unsafe writer.output.scratch(count - done)
                guard
                    case .moved(let step) = unsafe Posix.receive(file: file, from: range.lowerBound + done, into: room),
                    unsafe session.send(context, UnsafeRawBufferPointer(rebasing: room[..<step]))
                else { return nil }
                done += step
            }
        }
        return body.dropping(count)
    }
}
