// Bytes that must not outlive their use: the file of a private key, a ticket key. They are cleared at the end of
// their lifetime, and never copied into an array, which would leave copies behind when it grows.

import COpenSSL
public import Posix

/// A buffer of fixed size, overwritten before it is freed. The corresponding C function is `OPENSSL_cleanse`.
@safe public struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    private(set) var count: Int

    init(capacity: Int) {
        guard let start = unsafe associated_secret(capacity) else {
            preconditionFailure("the system has no memory left")
        }
        unsafe self.start = start
        self.capacity = capacity
        count = 0
    }

    /// A file's content, read directly into the buffer.
    public init(reading path: String, bytesMax: Int) throws(FileError) {
        self.init(capacity: bytesMax)
        count = try unsafe File.read(path, into: UnsafeMutableRawBufferPointer(start: start, count: capacity))
    }

    public init(reading name: String, in folder: borrowing Folder, bytesMax: Int) throws(FileError) {
        self.init(capacity: bytesMax)
        count = try unsafe folder.read(name, into: UnsafeMutableRawBufferPointer(start: start, count: capacity))
    }

    init(copying bytes: UnsafeRawBufferPointer) {
        self.init(capacity: bytes.count)
        unsafe UnsafeMutableRawBufferPointer(start: start, count: capacity).copyMemory(from: bytes)
        count = bytes.count
    }

    /// Random bytes of the system's generator.
    static func random(count: Int) throws(TLSError) -> SecretBytes {
        var bytes = SecretBytes(capacity: count)
        guard unsafe RAND_bytes(bytes.start, Int32(count)) == 1 else { throw .draining("cannot create random bytes") }
        bytes.count = count
        return bytes
    }

    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

    deinit { unsafe associated_clear_free(start, capacity) }
}
