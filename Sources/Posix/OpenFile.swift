// A file that is kept open, to be sent piece by piece.

import CLinux
import Glibc

/// A regular file, open for reading for as long as somebody keeps this. What it is about is settled when it is opened: a
/// file put in its place later is another one.
public final class OpenFile: Sendable {
    private let descriptor: Descriptor
    public let byteCount: Int
    /// Since 1970.
    public let modifiedNanoseconds: Int64

    init(takingOwnershipOf descriptor: consuming Descriptor, byteCount: Int, modifiedNanoseconds: Int64) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.modifiedNanoseconds = modifiedNanoseconds
    }

    /// Seconds since 1970.
    public var modified: Int64 { modifiedNanoseconds / 1_000_000_000 }

    /// For calls that read at a position of their own; its own position is nobody's.
    public var number: Int32 { descriptor.number }
}

extension OpenFile: Hashable {
    public static func == (left: OpenFile, right: OpenFile) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Reads from a position of a file. The corresponding C function is `pread`.
public func receive(file: Int32, from offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    let result = retrying { pread(file, buffer.baseAddress, buffer.count, off_t(offset)) }
    return result > 0 ? .moved(result) : result == 0 ? .ended : .failed(errno)
}
