// Hashes and compares short byte strings, several bytes at a time: host names and paths on the data plane, everything that is
// stored once on the control plane.

/// The keyed hash of host names, paths, texts and records.
///
/// Tenants choose these keys, and clients choose what is looked up, so the hash has a secret: 128 random bits, drawn for each
/// image and stored in its header. Without them, a tenant cannot choose keys that collide. The rule for the whole program: a table
/// over text from a tenant or a client hashes with a secret, which is this hash in the catalogue, and Swift's `Hasher`, which
/// has a secret per process, everywhere else. A checksum such as `Checksum` has no secret and is never the key of a table.
struct KeyHash: Equatable, BitwiseCopyable {
    private let start: UInt64
    private let key: UInt64

    /// A hash with a new secret.
    init() {
        start = .random(in: .min ... .max)
        key = .random(in: .min ... .max)
    }

    /// Sixteen bytes at a time. The last sixteen may overlap those before them; the count distinguishes such texts. The secret is
    /// part of each multiplication, so no text makes a factor zero, and the last bytes pass through two of them.
    @inline(__always)
    func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = bytes.count
        var hash = start
        var index = 0
        while index &+ 16 < count {
            hash = unsafe KeyHash.mix(bytes.word(index) ^ key, bytes.word(index &+ 8) ^ hash)
            index &+= 16
        }
        let first: UInt64
        let second: UInt64
        if count >= 8 {
            first = unsafe bytes.word(count >= 16 ? count &- 16 : 0)
            second = unsafe bytes.word(count &- 8)
        } else if count >= 4 {
            first = unsafe UInt64(bytes.loadUnaligned(as: UInt32.self))
            second = unsafe UInt64(bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
        } else if count > 0 {
            first = unsafe UInt64(bytes[0]) << 16 | UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count &- 1])
            second = 0
        } else {
            first = 0
            second = 0
        }
        hash = KeyHash.mix(first ^ key, second ^ hash)
        return KeyHash.mix(hash, key &+ UInt64(truncatingIfNeeded: count))
    }

    /// Multiplies into 128 bits and folds them: every bit of the input reaches every bit of the output.
    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func word(_ offset: Int) -> UInt64 { unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    /// Whether both hold the same bytes.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        if count != other.count { return false }
        var index = 0
        while index &+ 8 <= count {
            if unsafe word(index) != other.word(index) { return false }
            index &+= 8
        }
        while index < count {
            if unsafe self[index] != other[index] { return false }
            index &+= 1
        }
        return true
    }
}
