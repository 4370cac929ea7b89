// Names that this machine resolves itself, and the purposes of addresses.

import Testing

@testable import Posix

struct NameLookupTests {
    @Test func `this machine has a name`() throws {
        let addresses = try NameLookup.addresses(of: "localhost", port: 8080).map(\.description)
        #expect(addresses.contains("127.0.0.1:8080") || addresses.contains("[::1]:8080"))
        #expect(try NameLookup.addresses(of: "192.0.2.7", port: 1).map(\.description) == ["192.0.2.7:1"])
    }

    @Test func `reports an impossible name`() {
        #expect(throws: NameLookupError.self) { try NameLookup.addresses(of: "does-not-exist.invalid", port: 443) }
    }

    @Test func `does not wait for a silent name server`() throws {
        let address = try #require(SocketAddress("192.0.2.7:1"))
        let hasBeenGivenUp = Shared(try WakeUp())
        defer { hasBeenGivenUp.wakeUp.wake() }
        let error = #expect(throws: NameLookupError.self) {
            try NameLookup.within(50, "slow.example") { () throws(NameLookupError) in
                _ = hasBeenGivenUp.wakeUp.wait(milliseconds: 60_000)
                return [address]
            }
        }
        #expect(error?.description == "cannot look up slow.example: no name server answered within 50 ms")
        #expect(error?.isUnknownName == false)
        let found = try NameLookup.addresses(of: "192.0.2.7", port: 1, milliseconds: 60_000)
        #expect(found.map(\.description) == ["192.0.2.7:1"])
        #expect(throws: NameLookupError.self) {
            try NameLookup.addresses(of: "does-not-exist.invalid", port: 443, milliseconds: 60_000)
        }
    }

    private final class Shared: Sendable {
        let wakeUp: WakeUp

        init(_ wakeUp: consuming WakeUp) { self.wakeUp = wakeUp }
    }

    @Test(arguments: [
        ("10.1.2.3", true), ("11.1.2.3", false), ("127.0.0.1", true), ("100.63.0.1", false), ("100.64.0.1", true),
        ("100.127.0.1", true), ("100.128.0.1", false), ("169.254.1.1", true), ("172.15.0.1", false),
        ("172.16.0.1", true),
        ("172.31.0.1", true), ("172.32.0.1", false), ("192.168.0.1", true), ("192.0.2.1", true), ("198.18.0.1", true),
        ("198.20.0.1", false), ("203.0.113.1", true), ("224.0.0.1", true), ("255.255.255.255", true),
        ("8.8.8.8", false),
        ("0.0.0.0", true), ("192.0.0.1", true), ("192.0.1.1", false), ("::1", true), ("fe80::1", true),
        ("fd00::1", true),
        ("2001:db8::1", true), ("2001:4860::1", false), ("::ffff:10.0.0.1", true), ("::ffff:8.8.8.8", false),
    ])
    func `knows which addresses are not public`(text: String, isPrivate: Bool) throws {
        let address = try #require(SocketAddress("\(text):1") ?? SocketAddress("[\(text)]:1"))
        #expect(address.isPrivate == isPrivate)
    }

    @Test func `accepts another port`() {
        #expect(SocketAddress("127.0.0.1:1")?.with(port: 443).description == "127.0.0.1:443")
        #expect(SocketAddress("[::1]:1")?.with(port: 443).description == "[::1]:443")
        #expect(SocketAddress("unix:/tmp/x")?.with(port: 443).description == "unix:/tmp/x")
    }
}
