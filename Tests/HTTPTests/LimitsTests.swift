// What memory leaves of the limits.

import HTTP
import Testing

struct LimitsTests {
    /// Mebibytes of the process and of its connections, then how many of these and of handshakes.
    private static let rows: [[Int]] = [
        [64, 32, 8_192, 341], [256, 128, 32_768, 1_365], [1_024, 512, 65_536, 5_461], [16_384, 2_048, 65_536, 8_192],
        // Little as it is, something is served.
        [1, 4, 1_024, 42], [0, 4, 1_024, 42],
    ]

    @Test(arguments: rows)
    func `half of the memory is for connections, and half of that for handshakes`(row: [Int]) {
        let limits = Limits(fitting: row[0] << 20)
        #expect([limits.heldBytesMax >> 20, limits.connectionsMax, limits.handshakesMax] == Array(row.dropFirst()))
    }
}
