// The limits that memory allows.

import HTTP
import Testing

struct LimitsTests {
    /// Mebibytes of the process and of its connections, then the numbers of connections and of handshakes.
    private static let rows: [[Int]] = [
        [64, 32, 8_192, 341], [256, 128, 32_768, 1_365], [1_024, 512, 65_536, 5_461], [16_384, 2_048, 65_536, 8_192],
        // Even with little memory some clients are served.
        [1, 4, 1_024, 42], [0, 4, 1_024, 42],
    ]

    @Test(arguments: rows)
    func `reserves half of the memory for connections, and half of that for handshakes`(row: [Int]) {
        let limits = Limits(fitting: row[0] << 20)
        #expect([limits.heldBytesMax >> 20, limits.connectionsMax, limits.handshakesMax] == Array(row.dropFirst()))
    }

    @Test(arguments: [(0, 0), (16_384, 0), (16_385, 1), (600_000, 583_616)])
    func `counts a large certificate in each handshake that uses it`(byteCount: Int, more: Int) {
        #expect(Limits.handshakeBytes(certificateBytes: byteCount) == Limits.handshakeBytes + more)
    }
}
