// The codewords of QR codes: the capacities that the standard lists, and its example of error correction.

import Testing

@testable import QRCode

struct BlocksTests {
    /// ISO/IEC 18004, table 7: the bytes that each version holds in byte mode.
    @Test(arguments: [
        (
            QRCode.Level.low,
            [
                17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858,
                929, 1003, 1091, 1171, 1273, 1367, 1465, 1528, 1628, 1732, 1840, 1952, 2068, 2188, 2303, 2431, 2563,
                2699,
                2809, 2953,
            ]
        ),
        (
            .medium,
            [
                14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
                711, 779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099,
                2213,
                2331,
            ]
        ),
    ])
    func `each version holds as much as the standard says`(level: QRCode.Level, bytes: [Int]) {
        #expect((1...40).map { Blocks(version: $0, level).bytesMax } == bytes)
        #expect(bytes.max()! <= QRCode.bytesMax)
    }

    @Test(
        arguments: [
            // Mode 4, one byte, the byte, the terminator, then padding.
            (1, QRCode.Level.low, [0xAB], [0x40, 0x1A, 0xB0, 0xEC, 0x11, 0xEC, 0x11]),
            // From version 10 on, the length has two bytes. The codewords of four blocks take turns.
            (10, .low, [0xAB], [0x40, 0xEC, 0xEC, 0x11, 0x00, 0x11, 0x11, 0xEC, 0x1A]),
        ] as [(Int, QRCode.Level, [UInt8], [UInt8])])
    func `a text is preceded by mode and length, and padded`(
        version: Int, level: QRCode.Level, bytes: [UInt8], first: [UInt8]
    ) {
        let blocks = Blocks(version: version, level)
        #expect(blocks.codewords(of: bytes).starts(with: first))
        #expect(blocks.codewords(of: bytes).count == blocks.total)
    }
}

struct ReedSolomonTests {
    /// ISO/IEC 18004, annex I: the codewords of 01234567 in version 1, level M.
    private static let data: [UInt8] = [
        0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
    ]

    @Test func `the standard's example has the standard's correction`() {
        #expect(
            ReedSolomon.correction(of: Self.data, count: 10) == [
                0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55,
            ])
    }

    @Test(arguments: 7...30)
    func `data with its correction has no remainder`(count: Int) {
        let whole = Self.data + ReedSolomon.correction(of: Self.data, count: count)
        #expect(ReedSolomon.correction(of: whole, count: count).allSatisfy { $0 == 0 })
    }

    @Test(arguments: [(0, 7, 0), (1, 0xFF, 0xFF), (2, 0x80, 0x1D), (0x80, 0x80, 0x13)] as [(UInt8, UInt8, UInt8)])
    func `products are in the field`(a: UInt8, b: UInt8, product: UInt8) {
        #expect(ReedSolomon.product(a, b) == product)
        #expect(ReedSolomon.product(b, a) == product)
    }
}
