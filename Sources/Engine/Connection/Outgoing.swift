// What a client has not taken yet.

import Catalogue

/// What is left to be sent: a copy of the small part, then a body that stays where it is, then more parts of it.
@safe struct Outgoing {
    private var copied: HeldBytes
    private var copiedOffset = 0
    private(set) var body: Body
    /// What comes behind, of a body in several parts. Rare, so it has memory of its own.
    private var parts: UnsafeMutablePointer<Multipart>?
    /// Keeps the body alive; nil when there is none.
    private var catalogue: Unmanaged<Catalogue>?

    /// `bytes` are copied; `body` belongs to the catalogue.
    init(_ bytes: UnsafeRawBufferPointer, body: Body, owner: Unmanaged<Catalogue>) {
        copied = unsafe HeldBytes(copying: bytes)
        self.body = body
        if body.count > 0 { unsafe catalogue = owner.retain() }
    }

    /// The unsent part of the copy.
    var head: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: copied.bytes[copiedOffset...]) }

    var count: Int { copied.count - copiedOffset + body.count }

    /// What it takes of memory.
    var copiedBytes: Int { unsafe copied.count + (parts == nil ? 0 : MemoryLayout<Multipart>.size) }

    /// Whether this is the end of the answer.
    var isLast: Bool { unsafe parts == nil }

    /// Everything, the parts that are still to come included.
    func unsentCount(_ writer: borrowing ResponseWriter) -> Int {
        unsafe count + (writer.unsentBytes(of: parts?.pointee) ?? 0)
    }

    /// Notes that so many more bytes are on their way.
    mutating func advance(_ count: Int) {
        let fromCopy = min(count, copied.count - copiedOffset)
        copiedOffset += fromCopy
        body = body.dropping(count - fromCopy)
    }

    /// Replaces the copy, all of which is on its way.
    mutating func refill(_ bytes: UnsafeRawBufferPointer, body: Body) {
        copied.release()
        copied = unsafe HeldBytes(copying: bytes)
        copiedOffset = 0
        self.body = body
    }

    /// Has parts of a body follow.
    mutating func append(_ parts: Multipart, owner: Unmanaged<Catalogue>) {
        unsafe precondition(self.parts == nil, "one body is sent at a time")
        let memory = UnsafeMutablePointer<Multipart>.allocate(capacity: 1)
        unsafe memory.initialize(to: parts)
        unsafe self.parts = memory
        if unsafe catalogue == nil { unsafe catalogue = owner.retain() }
    }

    /// Writes what comes in front of the next part, and gives the part; nil when none is left.
    mutating func writeNextPart(into writer: inout ResponseWriter) -> Body? {
        guard let parts = unsafe parts else { return nil }
        if let part = unsafe writer.writeNext(of: &parts.pointee) { return part }
        releaseParts()
        return nil
    }

    mutating func release() {
        copied.release()
        releaseParts()
        unsafe catalogue?.release()
        unsafe catalogue = nil
    }

    private mutating func releaseParts() {
        unsafe parts?.deallocate()
        unsafe parts = nil
    }
}
