// The networks of trusted proxies.

import Testing

@testable import HTTP

struct TrustedNetworksTests {
    private func contains(_ networks: TrustedNetworks, _ text: String) throws -> Bool {
        networks.contains(try #require(address(text)))
    }

    private static let cases: [(String, String, Bool)] = [
        ("10.0.0.0/8", "10.0.0.0", true), ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("10.0.0.0/8", "9.255.255.255", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("192.0.2.1/32", "192.0.2.1", true), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
        ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false), ("::/0", "2001:db8::1", true),
        ("::/0", "192.0.2.1", false), ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
        ("2001:db8::/65", "2001:db8::8000:0:0:1", false), ("::1", "::1", true), ("::1/128", "::2", false),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("192.0.2.4/30", "192.0.2.7", true),
        ("192.0.2.4/30", "192.0.2.8", false),
    ]

    @Test(arguments: cases) func `tells whether an address is in a network`(network: String, text: String, isIn: Bool)
        throws
    {
        #expect(try contains(networks([network]), text) == isIn)
    }

    @Test(arguments: [
        "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.1/8", "fd00::/129", "fd00::1/64",
        "localhost",
        "10.0.0.0/8/8", "unix", "10.0.0.0/8 ",
    ])
    func `refuses texts that are not networks`(text: String) {
        var networks = TrustedNetworks()
        let isTaken = networks.add(text)
        #expect(!isTaken && networks.isEmpty)
    }

    @Test func `trusts several networks, and Unix-domain sockets when they are named`() throws {
        let networks = networks(["10.0.0.0/8", "unix:", "::1"])
        #expect(try contains(networks, "10.1.1.1") && contains(networks, "::1") && !contains(networks, "127.0.0.1"))
        #expect(networks.includesLocal && !networks.isEmpty)
        #expect(TrustedNetworks().isEmpty && !TrustedNetworks().includesLocal)
    }
}
