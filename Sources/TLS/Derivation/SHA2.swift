// SHA-256 and SHA-384 by OpenSSL's own functions, for whoever knows which of them it wants. Found by name, as `EVP_Digest`
// does, either takes longer to find than to compute over a few bytes.

import COpenSSL

protocol SHA2 {
    static var blockBytes: Int { get }
    static var digestBytes: Int { get }

    init()
    mutating func begin()
    mutating func add(_ bytes: UnsafeRawBufferPointer)
    /// Writes `digestBytes`.
    mutating func finish(into target: UnsafeMutableRawPointer)
}

extension SHA256_CTX: SHA2 {
    static var blockBytes: Int { 64 }
    static var digestBytes: Int { 32 }

    mutating func begin() { SHA256_Init(&self) }
    mutating func add(_ bytes: UnsafeRawBufferPointer) { SHA256_Update(&self, bytes.baseAddress, bytes.count) }
    mutating func finish(into target: UnsafeMutableRawPointer) {
        SHA256_Final(target.assumingMemoryBound(to: UInt8.self), &self)
    }
}

/// SHA-384 is SHA-512 with other numbers to begin with, and cut.
extension SHA512_CTX: SHA2 {
    static var blockBytes: Int { 128 }
    static var digestBytes: Int { 48 }

    mutating func begin() { SHA384_Init(&self) }
    mutating func add(_ bytes: UnsafeRawBufferPointer) { SHA384_Update(&self, bytes.baseAddress, bytes.count) }
    mutating func finish(into target: UnsafeMutableRawPointer) {
        SHA384_Final(target.assumingMemoryBound(to: UInt8.self), &self)
    }
}
