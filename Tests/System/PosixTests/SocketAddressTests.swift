// Addresses to and from text.

import Posix
import Testing

struct SocketAddressTests {
    @Test(arguments: [
        "127.0.0.1:8080", "0.0.0.0:0", "[::1]:443", "[::]:65535", "[2001:db8::1]:80", "unix:/run/associated.sock",
    ])
    func `reads what it writes`(text: String) throws {
        #expect(try #require(SocketAddress(text)).description == text)
    }

    @Test(arguments: [
        "", "8080", ":8080", "localhost:8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80",
        "[::1]",
        "[::1:80", "1.2.3:80", "unix:", "unix:/" + String(repeating: "a", count: 108),
    ])
    func `refuses texts that are not addresses`(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:53"), ("2001:DB8:0::1", "[2001:db8::1]:53"), ("::", "[::]:53"),
        ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]:53"), ("", nil), ("[::1]", nil), ("127.0.0.1:80", nil), ("1.2.3", nil),
        ("unix:/a", nil), ("example.com", nil), (":", nil),
    ])
    func `an address without a port gets one`(text: String, address: String?) {
        #expect(SocketAddress(ip: text, port: 53)?.description == address)
    }

    @Test(arguments: [
        ("8080", "127.0.0.1:8080"), ("localhost:8080", "127.0.0.1:8080"), (":8080", "[::]:8080"),
        ("*:8080", "[::]:8080"),
        ("[::1]:80", "[::1]:80"), ("unix:/a", "unix:/a"), ("10.0.0.1:80", "10.0.0.1:80"), ("80808", nil), ("", nil),
        (":", nil), ("*", nil), ("localhost", nil), ("example.com:80", nil), ("localhost:", nil),
    ])
    func `a listener's address has short forms`(text: String, address: String?) {
        #expect(SocketAddress(listening: text)?.description == address)
    }

    @Test(arguments: [
        ("127.0.0.1:80", "127.0.0.1:80", true), ("[::1]:80", "[0::1]:80", true), ("unix:/a", "unix:/a", true),
        ("127.0.0.1:80", "127.0.0.1:81", false), ("127.0.0.1:80", "127.0.0.2:80", false), ("unix:/a", "unix:/b", false),
        ("0.0.0.0:80", "[::]:80", false),
    ])
    func `equal addresses have the same host and port`(left: String, right: String, isEqual: Bool) throws {
        let (one, other) = (try #require(SocketAddress(left)), try #require(SocketAddress(right)))
        #expect((one == other) == isEqual)
    }

    @Test(arguments: [
        ("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("10.0.0.1:80", "10.0.0.1:80"), ("unix:/a", "unix:/a"),
    ])
    func `knows how clients reach a listener`(listener: String, reachable: String) throws {
        #expect(try #require(SocketAddress(listener)).reachable.description == reachable)
    }
}
