// The checksum of state files. It detects incomplete writes and flipped bits; it does not protect against deliberate changes.

/// A checksum over bytes that are added in pieces. It has four lanes, because multiplications in one lane wait for each other.
struct Checksum {
    private var lanes = SIMD4<UInt64>(
        0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5)
    private var count: UInt64 = 0
    /// The first bytes of the next four words.
    private var rest: [UInt8] = []

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var checksum = Checksum()
        unsafe checksum.add(bytes)
        return checksum.value
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = unsafe bytes
        if !rest.isEmpty {
            let missing = unsafe bytes.prefix(32 - rest.count)
            unsafe rest += missing
            unsafe bytes = UnsafeRawBufferPointer(rebasing: bytes[missing.count...])
            if rest.count < 32 { return }
            unsafe rest.withUnsafeBytes { unsafe addBlocks($0) }
            rest = []
        }
        let whole = bytes.count / 32 * 32
        unsafe addBlocks(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
        unsafe rest += bytes[whole...]
    }

    /// The checksum of everything that was added.
    var value: UInt64 {
        var last = self
        last.rest += [UInt8](repeating: 0, count: 32 - rest.count)
        unsafe last.rest.withUnsafeBytes { unsafe last.addBlocks($0) }
        return (0..<4).reduce(count) { Checksum.mix($0 ^ last.lanes[$1]) }
    }

    private mutating func addBlocks(_ bytes: UnsafeRawBufferPointer) {
        var (first, second, third, fourth) = (lanes[0], lanes[1], lanes[2], lanes[3])
        var offset = 0
        while offset < bytes.count {
            first = unsafe Checksum.mix(first ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &+ 1
            second =
                unsafe Checksum.mix(second ^ bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)) &+ 2
            third = unsafe Checksum.mix(third ^ bytes.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt64.self)) &+ 3
            fourth =
                unsafe Checksum.mix(fourth ^ bytes.loadUnaligned(fromByteOffset: offset &+ 24, as: UInt64.self)) &+ 4
            offset &+= 32
        }
        lanes = SIMD4(first, second, third, fourth)
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}
