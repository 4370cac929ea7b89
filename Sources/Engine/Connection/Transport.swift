// How the bytes of a connection travel: as they are, or in records of TLS. Everything else is the same code for both.

import Posix
import TLS

/// One connection's way to its client. A plain value, because it lies in the worker's table; its owner ends the session.
enum Transport {
    case plain
    case secure(SecureSession)

    /// Reads what has come: bytes of the client's into `room`, or records of its into those of the layer.
    func receive(_ fd: Int32, into room: UnsafeMutableRawBufferPointer, _ layer: borrowing RecordLayer) -> Transfer {
        switch self {
        case .plain: unsafe Posix.receive(fd, into: room)
        case .secure: unsafe Posix.receive(fd, into: layer.received)
        }
    }

    /// Sends as much as the kernel takes of what is ready to be sent, and of the body behind it, unless that has to be made
    /// into records first.
    func send(_ fd: Int32, _ ready: UnsafeRawBufferPointer, _ body: Body) -> Transfer {
        switch (self, body) {
        case (.secure, _), (.plain, .none): unsafe transmit(fd, ready)
        case (.plain, .memory(let bytes)): unsafe transmit(fd, ready, bytes)
        case (.plain, .file) where unsafe !ready.isEmpty: unsafe transmitFirst(fd, ready)
        case (.plain, .file(let file, let range)):
            transmit(fd, file: file, from: range.lowerBound, count: min(range.count, Transport.bytesPerTurnMax))
        }
    }

    /// What one connection may be sent in one go, in bytes, before others get their turn.
    static let bytesPerTurnMax = 1_048_576
}

/// One worker's memory for the records of whichever connection is being served, and what all its sessions have in common.
@safe struct RecordLayer: ~Copyable {
    let context: SecureContext
    /// Records as they were received.
    let received: UnsafeMutableRawBufferPointer

    /// Plain bytes made into records at a time, so that a large body never lies in memory as records: what a client can leave
    /// us with.
    private static let plainBytesPerStep = 32_768

    init(_ context: consuming SecureContext, receivedBytesMax: Int) {
        self.context = context
        unsafe received = .allocate(byteCount: receivedBytesMax, alignment: 64)
    }

    deinit { unsafe received.deallocate() }

    /// Reads all that is in the records that the session was fed with: there is room for it, because records are longer than
    /// what is in them.
    func open(_ session: SecureSession, into room: UnsafeMutableRawBufferPointer) -> (Int, SecureSession.Outcome) {
        var count = 0
        while true {
            precondition(count < room.count, "there is room for all that records can hold")
            let outcome = unsafe session.receive(context, into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
            guard case .done(let step) = outcome else { return (count, outcome) }
            count += step
            // Asking again, only to hear that there is nothing, costs half a microsecond.
            if session.isDrained(context) { return (count, .wantsInput) }
        }
    }

    /// Makes records of the output, which is empty then, and of as much of a body as one step takes. They are in the output
    /// of `context`; what is returned of the body has to come later. Nil when the session is broken.
    func seal(_ session: SecureSession, _ writer: inout ResponseWriter, _ body: Body) -> Body? {
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
