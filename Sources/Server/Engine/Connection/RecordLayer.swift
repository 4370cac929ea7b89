// The memory of a worker for TLS records: received ones before they are decrypted, and encrypted ones before they are sent. All
// sessions of the worker share it, because it is empty between two events.

import Posix
import TLS

/// One worker's buffer for the TLS records of the connection that is being served, and the context of all its sessions.
@safe struct RecordLayer: ~Copyable {
    let context: SecureContext
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
