// The codewords of a QR code: the text in byte mode, divided into blocks, each with its Reed-Solomon codewords.

/// How a version at a level divides its codewords.
struct Blocks {
    let version: Int
    /// The number of all codewords.
    let total: Int
    let count: Int
    /// The number of error correction codewords of each block.
    let correction: Int

    init(version: Int, _ level: QRCode.Level) {
        self.version = version
        var modules = (16 * version + 128) * version + 64
        if version > 1 {
            let centres = version / 7 + 2
            modules -= (25 * centres - 10) * centres - 55
            if version >= 7 { modules -= 36 }
        }
        total = modules / 8
        count = Blocks.counts[level.rawValue][version - 1]
        correction = Blocks.corrections[level.rawValue][version - 1]
    }

    // §7.5.1, table 9, by level and version.
    private static let corrections = [
        [
            7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
            28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        [
            10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
            26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        ],
    ]
    private static let counts = [
        [
            1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
            8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
        ],
        [
            1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
            17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
        ],
    ]

    /// The number of codewords for data.
    private var capacity: Int { total - count * correction }
    /// The number of bytes that state the length of the text.
    private var lengthBytes: Int { version < 10 ? 1 : 2 }
    /// The length of the longest text. Mode and terminator together are one codeword.
    var bytesMax: Int { capacity - lengthBytes - 1 }

    /// All codewords in the order in which they are placed: the first of each block, the second of each block, and so on.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        let data = padded(bytes)
        let blocks = (0..<count).map { index in
            // The last blocks are one codeword longer.
            let (length, shorter) = (capacity / count, count - capacity % count)
            let start = index * length + max(0, index - shorter)
            return data[start..<(start + length + (index < shorter ? 0 : 1))]
        }
        let corrections = blocks.map { ReedSolomon.correction(of: $0, count: correction) }
        return Blocks.interleaved(blocks) + Blocks.interleaved(corrections.map { $0[...] })
    }

    /// The mode (4 bits), the length, the bytes and the terminator (4 bits), which end with a whole codeword, then padding.
    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        var data: [UInt8] = []
        var carried: UInt8 = 0b0100
        for byte in [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)].suffix(lengthBytes) + bytes {
            data.append(carried << 4 | byte >> 4)
            carried = byte & 0xF
        }
        data.append(carried << 4)
        for index in 0..<(capacity - data.count) { data.append(index % 2 == 0 ? 0xEC : 0x11) }
        return data
    }

    private static func interleaved(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        (0..<(blocks.map(\.count).max() ?? 0)).flatMap { index in
            blocks.compactMap { $0.dropFirst(index).first }
        }
    }
}

/// Reed-Solomon codes over the field of 256 elements with the polynomial x⁸ + x⁴ + x³ + x² + 1.
enum ReedSolomon {
    /// The codewords for error correction: the remainder of the data, as a polynomial, by the generator, whose zeros are the
    /// first powers of 2.
    static func correction(of data: some Sequence<UInt8>, count: Int) -> [UInt8] {
        var generator: [UInt8] = Array(repeating: 0, count: count - 1) + [1]
        var zero: UInt8 = 1
        for _ in 0..<count {
            for index in generator.indices {
                generator[index] = product(generator[index], zero) ^ (index + 1 < count ? generator[index + 1] : 0)
            }
            zero = product(zero, 2)
        }
        var remainder: [UInt8] = Array(repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in generator.indices { remainder[index] ^= product(generator[index], factor) }
        }
        return remainder
    }

    static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7 * 0x1D) ^ (b >> bit & 1) * a
        }
        return product
    }
}
