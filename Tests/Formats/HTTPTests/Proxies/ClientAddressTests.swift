// Addresses as text.

import Testing

@testable import HTTP

struct ClientAddressTests {
    private static let readable: [(String, Bool, UInt64, UInt64)] = [
        ("0.0.0.0", false, 0, 0), ("192.0.2.1", false, 0, 0xC000_0201), ("255.255.255.255", false, 0, 0xFFFF_FFFF),
        ("::", true, 0, 0), ("::1", true, 0, 1), ("1::", true, 1 << 48, 0),
        ("2001:db8::1", true, 0x2001_0DB8_0000_0000, 1), ("2001:DB8::1", true, 0x2001_0DB8_0000_0000, 1),
        ("1:2:3:4:5:6:7:8", true, 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
        ("1:2:3::6:7:8", true, 0x0001_0002_0003_0000, 0x0000_0006_0007_0008),
        ("1:2:3:4:5:6:7::", true, 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
        ("::2:3:4:5:6:7:8", true, 0x0000_0002_0003_0004, 0x0005_0006_0007_0008),
        ("64:ff9b::192.0.2.1", true, 0x0064_FF9B_0000_0000, 0xC000_0201),
        ("1:2:3:4:5:6:192.0.2.1", true, 0x0001_0002_0003_0004, 0x0005_0006_C000_0201),
        ("::ffff:192.0.2.1", false, 0, 0xC000_0201),
    ]

    @Test(arguments: readable)
    func `reads an address`(text: String, isIPv6: Bool, high: UInt64, low: UInt64) throws {
        let found = address(text)
        let address = try #require(found)
        #expect(address.isIPv6 == isIPv6 && address.high == high && address.low == low && address.port == 0)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04", "1.2.3.4 ", " 1.2.3.4", "1..2.3", "1.2.3.",
        "0x1.2.3.4", ":", ":::", "1:", ":1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::",
        "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "fe80::1%eth0", "[::1]", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4",
        "1.2.3.4:80", "::ffff:1.2.3.256", "unknown",
    ])
    func `refuses anything else`(text: String) {
        #expect(address(text) == nil)
    }
}
