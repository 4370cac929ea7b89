// A keyed digest (RFC 2104) that needs nothing from the heap and leaves nothing of its key behind.

import COpenSSL

struct HMAC<Hash: SHA2>: ~Copyable {
    private var inner = Hash()
    private var outer = Hash()

    init(key: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(byteCount: Hash.blockBytes, alignment: 8) { pad in
            pad.initializeMemory(as: UInt8.self, repeating: 0)
            if key.count > Hash.blockBytes {
                inner.begin()
                inner.add(key)
                inner.finish(into: pad.baseAddress!)
            } else {
                pad.copyMemory(from: key)
            }
            for index in pad.indices { pad[index] ^= 0x36 }
            inner.begin()
            inner.add(UnsafeRawBufferPointer(pad))
            for index in pad.indices { pad[index] ^= 0x36 ^ 0x5C }
            outer.begin()
            outer.add(UnsafeRawBufferPointer(pad))
            OPENSSL_cleanse(pad.baseAddress, pad.count)
        }
    }

    deinit {
        // Whoever has these can go on with the key without knowing it.
        withUnsafeBytes(of: inner) { OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: $0.baseAddress), $0.count) }
        withUnsafeBytes(of: outer) { OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: $0.baseAddress), $0.count) }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) { inner.add(bytes) }

    mutating func add(_ byte: UInt8) { withUnsafeBytes(of: byte) { inner.add($0) } }

    /// Writes `digestBytes` of the hash.
    consuming func finish(into target: UnsafeMutableRawPointer) {
        inner.finish(into: target)
        outer.add(UnsafeRawBufferPointer(start: target, count: Hash.digestBytes))
        outer.finish(into: target)
    }
}
