// Hosts, addresses and URLs as users write them.

import Posix
import Testing

@testable import Client

struct WebLocationTests {
    @Test(
        arguments: [
            ("Shop.Example.com", "shop.example.com", 443), ("shop.example.com.", "shop.example.com", 443),
            ("shop.example.com:8443", "shop.example.com", 8443), ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de", 443),
        ] as [(String, String, UInt16)])
    func `reads a host`(text: String, name: String, port: UInt16) {
        #expect(CheckedHost(text)?.name == name)
        #expect(CheckedHost(text)?.port == port)
    }

    @Test(arguments: [
        "", ".", ".a", "a..b", "a/b", "https://a", "a:0", "a:x", "a:1:2", "a b", "a\r\nb", "münchen.de",
        String(repeating: "a", count: 254),
    ])
    func `rejects other text as a host`(text: String) {
        #expect(CheckedHost(text) == nil)
    }

    @Test(arguments: [
        ("a.example:443:192.0.2.1", "192.0.2.1:443"), ("A.example:443:192.0.2.1:8443", "192.0.2.1:8443"),
        ("a.example:80:2001:db8::1", "[2001:db8::1]:80"), ("a.example:80:[2001:db8::1]:8080", "[2001:db8::1]:8080"),
    ])
    func `reads an override`(text: String, address: String) {
        #expect(AddressOverride(text)?.address.description == address)
        #expect(AddressOverride(text)?.host == "a.example")
    }

    @Test(arguments: [
        "", "a", "a:443", "a:443:", "a:x:192.0.2.1", ":443:192.0.2.1", "a:443:b.example", "a:443:unix:/x",
    ])
    func `rejects other text as an override`(text: String) {
        #expect(AddressOverride(text) == nil)
    }

    @Test(arguments: [
        ("shop.localhost", ["127.0.0.1:8443"]), ("a.shop.localhost", ["127.0.0.1:8443"]), ("localhost", []),
        ("given.localhost", ["192.0.2.1:8443"]), ("shop.localhost.example", []), ("shoplocalhost", []),
    ])
    func `names below localhost are loopback, unless their address is given`(name: String, found: [String]) throws {
        let override = try #require(AddressOverride("given.localhost:8443:192.0.2.1"))
        let addresses = HostAddresses(overrides: [override])
        #expect(addresses.given(name, 8_443).map(\.description) == found)
        guard !found.isEmpty else { return }
        #expect(try addresses.of(try #require(CheckedHost("\(name):8443"))).map(\.description) == found)
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example/"), ("http://a.example:80/x?y#z", "http://a.example/x?y"),
        ("https://a.example:8443/x", "https://a.example:8443/x"), ("https://a.example?x", "https://a.example/?x"),
    ])
    func `reads a URL`(text: String, place: String) {
        #expect(WebLocation(text)?.description == place)
    }

    @Test(arguments: [
        "", "a.example", "ftp://a.example/", "https://", "https://a b/", "https://a/\r\nx: y", "//a.example/",
    ])
    func `rejects other text as a URL`(text: String) {
        #expect(WebLocation(text) == nil)
    }
}
