// The part of a connection's output that the kernel has not accepted yet.

import Catalogue

/// Unsent output: copied bytes, then a body that is not copied.
@safe struct Outgoing {
    private var copied: HeldBytes
    private var copiedOffset = 0
    private(set) var body: Body
    /// Keeps the body alive; nil without a body.
    private var catalogue: Unmanaged<Catalogue>?

    /// `bytes` are copied; `body` belongs to the catalogue.
    init(_ bytes: UnsafeRawBufferPointer, body: Body, owner: Unmanaged<Catalogue>) {
        copied = unsafe HeldBytes(copying: bytes)
        self.body = body
        if body.count > 0 { unsafe catalogue = owner.retain() }
    }

    /// The unsent copied bytes.
    var head: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: copied.bytes[copiedOffset...]) }

    var count: Int { copied.count - copiedOffset + body.count }

    /// The memory that it uses.
    var copiedBytes: Int { copied.count }

    /// Removes bytes that were sent.
    mutating func advance(_ count: Int) {
        let fromCopy = min(count, copied.count - copiedOffset)
        copiedOffset += fromCopy
        body = body.dropping(count - fromCopy)
    }

    /// Replaces the copied bytes, which have all been sent.
    mutating func refill(_ bytes: UnsafeRawBufferPointer, body: Body) {
        copied.release()
        copied = unsafe HeldBytes(copying: bytes)
        copiedOffset = 0
        self.body = body
    }

    mutating func release() {
        copied.release()
        unsafe catalogue?.release()
        unsafe catalogue = nil
    }
}
