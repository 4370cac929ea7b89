// What a client has not taken yet.

import Catalogue

/// What is left to be sent: a copy of the small part, then a body that stays where it is.
struct Outgoing {
    private var copied: HeldBytes
    private var copiedOffset = 0
    private(set) var body: Body
    /// Keeps the body alive; nil when there is none.
    private var catalogue: Unmanaged<Catalogue>?

    /// `bytes` are copied; `body` belongs to the catalogue.
    init(_ bytes: UnsafeRawBufferPointer, body: Body, owner: Unmanaged<Catalogue>) {
        copied = HeldBytes(copying: bytes)
        self.body = body
        if body.count > 0 { catalogue = owner.retain() }
    }

    /// The unsent part of the copy.
    var head: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: copied.bytes[copiedOffset...]) }

    var count: Int { copied.count - copiedOffset + body.count }

    /// Notes that so many more bytes are on their way.
    mutating func advance(_ count: Int) {
        let fromCopy = min(count, copied.count - copiedOffset)
        copiedOffset += fromCopy
        body = body.dropping(count - fromCopy)
    }

    /// Replaces the copy, all of which is on its way, by records made of so many bytes of the body.
    mutating func refill(_ bytes: UnsafeRawBufferPointer, ofBody count: Int) {
        copied.release()
        copied = HeldBytes(copying: bytes)
        copiedOffset = 0
        body = body.dropping(count)
    }

    mutating func release() {
        copied.release()
        catalogue?.release()
        catalogue = nil
    }
}
