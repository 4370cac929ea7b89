// The PROXY protocol, split at every byte and with every byte damaged.

import Testing

@testable import HTTP

struct ProxyHeaderTests {
    private static func read(_ bytes: [UInt8]) -> ProxyHeader.Outcome { ProxyHeader.read(bytes.span) }

    private static func address(_ text: String, port: UInt16) -> ClientAddress {
        var address = ClientAddress(Array(text.utf8).span)!
        address.port = port
        return address
    }

    /// Signature, command, family, length, and the rest.
    private static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], count: Int? = nil) -> [UInt8] {
        let count = count ?? rest.count
        return Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [command, family, UInt8(count >> 8), UInt8(count & 0xFF)] + rest
    }

    private static let ipv4: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 1, 0xDC, 0x04, 0x01, 0xBB]
    private static let ipv6: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 0, count: 15)
        + [1, 0xDC, 0x04, 0x01, 0xBB]
    private static let client4 = address("192.0.2.1", port: 56324)
    private static let client6 = address("2001:db8::7", port: 56324)

    private static let accepted: [([UInt8], ClientAddress?)] = [
        (Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n".utf8), client4),
        (Array("PROXY TCP6 2001:db8::7 2001:db8::1 56324 443\r\n".utf8), client6),
        (Array("PROXY TCP4 192.0.2.1 198.51.100.1 0 65535\r\n".utf8), address("192.0.2.1", port: 0)),
        (Array("PROXY UNKNOWN\r\n".utf8), nil),
        (Array("PROXY UNKNOWN ff:ff whatever it is 1 2 3 4 5 6 7 8\r\n".utf8), nil),
        (binary(0x21, 0x11, ipv4), client4), (binary(0x21, 0x12, ipv4), client4), (binary(0x21, 0x21, ipv6), client6),
        (binary(0x21, 0x11, ipv4 + [0x04, 0, 2, 9, 9]), client4), (binary(0x21, 0x00, []), nil),
        (binary(0x21, 0x00, [0x04, 0, 1, 9]), nil), (binary(0x21, 0x31, [UInt8](repeating: 0x2F, count: 216)), nil),
        // A health check of the proxy: its extensions are skipped.
        (binary(0x20, 0x00, []), nil), (binary(0x20, 0x11, ipv4), nil), (binary(0x20, 0x11, [1, 2, 3]), nil),
        // With the right checksum, as a cloud provider's load balancer writes it.
        (binary(0x21, 0x11, ipv4 + [0x03, 0, 4] + [0x73, 0x7E, 0xE9, 0x19]), client4),
    ]

    @Test(arguments: accepted) func `reads the client and where the request begins`(
        header: [UInt8], client: ClientAddress?
    ) {
        let expected = ProxyHeader.Outcome.complete(ProxyHeader(client: client, byteCount: header.count))
        #expect(ProxyHeaderTests.read(header) == expected)
        #expect(ProxyHeaderTests.read(header + Array("GET / HTTP/1.1\r\n".utf8)) == expected)
        for count in header.indices {
            #expect(ProxyHeaderTests.read(Array(header[..<count])) == .incomplete, "split at \(count)")
        }
    }

    private static let refused: [[UInt8]] =
        [
            "GET / HTTP/1.1\r\n", "PROXY\r\n", "PROXY \r\n", "PROXY TCP4\r\n",
            "PROXY TCP5 192.0.2.1 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 56324\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443 1\r\n", "PROXY TCP4  192.0.2.1 198.51.100.1 56324 443\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443 \r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 65536 443\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.1 080 443\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 -1 443\r\n",
            "PROXY TCP4 192.0.2.01 198.51.100.1 1 443\r\n", "PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n",
            "PROXY TCP6 192.0.2.1 198.51.100.1 1 2\r\n", "PROXY TCP4 192.0.2.1 nowhere 1 2\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.1 1 2\n", "proxy TCP4 192.0.2.1 198.51.100.1 1 2\r\n",
            " PROXY UNKNOWN\r\n", "PROXYTCP4\r\n", "PROXY UNKNOWN " + String(repeating: "x", count: 94),
        ].map { Array($0.utf8) } + [
            [0x16, 0x03, 0x01], Array("\r\n\r\n\0\r\nQUIT\r".utf8), Array("\r\nGET".utf8), binary(0x11, 0x11, ipv4),
            binary(0x22, 0x11, ipv4), binary(0x2F, 0x11, ipv4), binary(0x21, 0x41, ipv4), binary(0x21, 0x13, ipv4),
            binary(0x21, 0xF1, ipv4), binary(0x21, 0x11, Array(ipv4.dropLast())), binary(0x21, 0x21, ipv4),
            binary(0x21, 0x31, ipv6), binary(0x21, 0x11, ipv4 + [0x04]), binary(0x21, 0x11, ipv4 + [0x04, 0]),
            binary(0x21, 0x11, ipv4 + [0x04, 0, 2, 9]), binary(0x21, 0x11, ipv4 + [0x04, 0xFF, 0xFF, 9]),
            binary(0x21, 0x11, ipv4 + [0x03, 0, 4, 1, 2, 3, 4]), binary(0x21, 0x11, ipv4 + [0x03, 0, 3, 1, 2, 3]),
            binary(0x21, 0x11, [], count: 4_081), binary(0x20, 0x00, [], count: 65_535),
        ]

    @Test(arguments: refused) func `refuses anything that is not a header`(header: [UInt8]) {
        #expect(ProxyHeaderTests.read(header) == .rejected)
    }

    @Test func `limits the length of a header`() {
        let most = ProxyHeader.bytesMax - 16
        let facts =
            [0x04, UInt8((most - 15) >> 8), UInt8((most - 15) & 0xFF)] + [UInt8](repeating: 0, count: most - 15)
        let longest = ProxyHeaderTests.binary(0x21, 0x11, ProxyHeaderTests.ipv4 + facts)
        #expect(longest.count == ProxyHeader.bytesMax)
        let expected = ProxyHeader(client: ProxyHeaderTests.client4, byteCount: longest.count)
        #expect(ProxyHeaderTests.read(longest) == .complete(expected))
        // The length alone shows it.
        #expect(ProxyHeaderTests.read(ProxyHeaderTests.binary(0x21, 0x11, [], count: most + 1)) == .rejected)
        // 107 bytes without an end are a line too long.
        let line = Array("PROXY UNKNOWN ".utf8) + [UInt8](repeating: 0x20, count: 92)
        #expect(ProxyHeaderTests.read(line) == .incomplete)
        #expect(ProxyHeaderTests.read(line + [0x0D]) == .rejected)
        let end = [UInt8]("\r\n".utf8)
        let whole = ProxyHeader(client: nil, byteCount: 107)
        #expect(ProxyHeaderTests.read(line.dropLast() + end) == .complete(whole))
        #expect(ProxyHeaderTests.read(line + end) == .rejected)
    }

    @Test func `never reads beyond the end of a damaged header`() {
        var random = SystemRandomNumberGenerator()
        for (header, _) in ProxyHeaderTests.accepted {
            for index in header.indices {
                var damaged = header
                damaged[index] = UInt8.random(in: .min ... .max, using: &random)
                if case .complete(let found) = ProxyHeaderTests.read(damaged) {
                    #expect(found.byteCount <= damaged.count, "\(damaged)")
                }
            }
        }
    }
}
