// One client's connection as a plain value in the worker's table. It holds no buffer while nothing is under way: bytes are
// received into a buffer that all connections of a worker share, and only what is left over is kept.

import Catalogue
import HTTP
import Posix

/// The state of one connection: what it is in the middle of receiving, and what it has not been able to send. While
/// something is left to be sent nothing is received, so a client that does not read cannot make us collect answers.
struct Connection {
    var fd: Int32
    /// Tells this connection from earlier ones in the same slot, so that a stale event is recognised.
    var generation: UInt32
    var phase = Phase.idle
    var ending = Ending.none
    var requestCount: UInt32 = 0
    /// What the poller waits for on its behalf; nil while it does not know the connection.
    var interest: Poller.Interest?
    var deadline = Deadline()
    /// Bytes received and not yet used.
    var held = HeldBytes()
    var outgoing: Outgoing?

    /// What is being received.
    enum Phase {
        /// Between requests.
        case idle
        /// Part of a head is here.
        case head(RequestParser)
        /// The head is understood, and is answered when the body is over. The answer's bytes are in that catalogue.
        case body(BodyDrain, Response, Unmanaged<Catalogue>)
        /// What still comes is thrown away until the client closes, so that it is not reset before it has read.
        case lingering
    }

    /// What happens when everything is sent.
    enum Ending: UInt8 {
        /// The next request.
        case none
        /// The end.
        case close
        /// The end, once the client has closed or had time to: bytes of its are still unread or on their way.
        case linger
    }
}

/// Bytes in memory of their own, while they are needed.
struct HeldBytes {
    private(set) var start: UnsafeMutableRawPointer?
    private(set) var count = 0

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    init() {}

    init(copying bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        memory.copyMemory(from: bytes)
        start = memory.baseAddress
        count = bytes.count
    }

    /// Gives the memory back.
    mutating func release() {
        start?.deallocate()
        start = nil
        count = 0
    }
}

/// What is left to be sent: a copy of the small part, then bytes that stay where they are in the catalogue.
struct Outgoing {
    private var copied: HeldBytes
    private var copiedOffset = 0
    private(set) var body: UnsafeRawBufferPointer
    /// Keeps `body` alive; nil when there is none.
    private var catalogue: Unmanaged<Catalogue>?

    /// What is left of `output` and `body` after so many bytes are on their way.
    init(_ output: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, owner: Unmanaged<Catalogue>, sent: Int) {
        copied = HeldBytes(copying: UnsafeRawBufferPointer(rebasing: output[min(sent, output.count)...]))
        self.body = UnsafeRawBufferPointer(rebasing: body[max(0, sent - output.count)...])
        catalogue = self.body.isEmpty ? nil : owner.retain()
    }

    /// The unsent part of the copy.
    var head: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: copied.bytes[copiedOffset...]) }

    var count: Int { copied.count - copiedOffset + body.count }

    /// Notes that so many more bytes are on their way.
    mutating func advance(_ count: Int) {
        let fromCopy = min(count, copied.count - copiedOffset)
        copiedOffset += fromCopy
        body = UnsafeRawBufferPointer(rebasing: body[(count - fromCopy)...])
    }

    mutating func release() {
        copied.release()
        catalogue?.release()
        catalogue = nil
    }
}
