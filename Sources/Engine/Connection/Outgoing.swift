// The part of a connection's output that the kernel has not accepted yet.

import Catalogue

/// Unsent output: copied bytes, then a body that is not copied, then perhaps more parts of it.
@safe struct Outgoing {
    private var copied: HeldBytes
    private var copiedOffset = 0
    private(set) var body: Body
    /// The further parts of a body in several parts. Rare, so they are allocated separately.
    private var parts: UnsafeMutablePointer<Multipart>?
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
    var copiedBytes: Int { unsafe copied.count + (parts == nil ? 0 : MemoryLayout<Multipart>.size) }

    /// Whether no further parts follow.
    var isLast: Bool { unsafe parts == nil }

    /// All unsent bytes, further parts included.
    func unsentCount(_ writer: borrowing ResponseWriter) -> Int {
        unsafe count + (writer.unsentBytes(of: parts?.pointee) ?? 0)
    }

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

    /// Adds the further parts of a body.
    mutating func append(_ parts: Multipart, owner: Unmanaged<Catalogue>) {
        unsafe precondition(self.parts == nil, "one body is sent at a time")
        let memory = UnsafeMutablePointer<Multipart>.allocate(capacity: 1)
        unsafe memory.initialize(to: parts)
        unsafe self.parts = memory
        if unsafe catalogue == nil { unsafe catalogue = owner.retain() }
    }

    /// Writes the lines before the next part, and returns the part; nil when none is left.
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
