// Names that may become part of a path, and those that must not.

import Testing

@testable import TLS

struct HostNameTests {
    private static func isValid(_ name: [UInt8]) -> Bool { HostName.isValid(name.span) }

    @Test(arguments: [
        "shop.example.com", "localhost", "a", "xn--bcher-kva.example", "a_b.example.com", "1.2.3.4", "-a.b",
        String(repeating: "a", count: 63) + ".example",
    ])
    func `accepts host names`(name: String) {
        #expect(Self.isValid(Array(name.utf8)))
    }

    @Test(arguments: [
        "", ".", "..", "../etc", "a/b", "a..b", ".a", "a.", "_default", "_wildcard.example.com", "Shop.example.com",
        "*.example.com", "a b", "a\0b", "a\\b", "a:443", "[::1]", "bücher.example", "%2e%2e",
        String(repeating: "a", count: 64) + ".example",
    ])
    func `refuses everything else`(name: String) {
        #expect(!Self.isValid(Array(name.utf8)))
    }

    @Test func `a name has at most 253 bytes`() {
        let name = Array(String(repeating: "abcdefg.", count: 32).utf8)
        #expect(Self.isValid(Array(name[..<253])))
        #expect(!Self.isValid(Array(name[..<254] + [UInt8(ascii: "a")])))
    }

    @Test(arguments: [
        ("a.b.example.com", ["*.b.example.com", "*.example.com", "*.com"]), ("*.example.com", ["*.com"]),
        ("localhost", []),
    ])
    func `wildcards over a host are listed from the most specific one`(host: String, wildcards: [String]) {
        #expect(HostName.wildcards(over: host) == wildcards)
    }
}
