// Compared with the standard library, on every sequence of two bytes and on many longer ones.

import HTTP
import Testing

struct UTF8TextTests {
    private func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { UTF8Text.isValid($0) } }

    @Test func `agrees with the standard library about valid UTF-8`() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let pair = [first, second]
                #expect(isValid(pair) == (String(validating: pair, as: UTF8.self) != nil))
            }
            for second: UInt8 in [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] {
                for third: UInt8 in [0x61, 0x7F, 0x80, 0xBF, 0xC0] {
                    for more: [UInt8] in [[], [0x80], [0xBF], [0xC0], [0x61]] {
                        let bytes = [first, second, third] + more
                        #expect(isValid(bytes) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
                    }
                }
            }
        }
    }
}
