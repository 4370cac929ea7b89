// Domain names from users, and their parents.

import Testing

@testable import DNS
@testable import DNSSupport

struct DomainNameTests {
    @Test(arguments: [
        ("shop.example.com", "shop.example.com"), ("Shop.Example.COM.", "shop.example.com"), ("com", "com"),
        ("_acme-challenge.shop.example", "_acme-challenge.shop.example"), ("*.shop.example", "*.shop.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("1.0.0.127", "1.0.0.127"),
    ])
    func `reads a name`(text: String, name: String) { #expect(DomainName(text)?.description == name) }

    @Test(arguments: [
        "", ".", "..", ".com", "a..b", "a.*.b", "a*.b", "a b.example", "büchер.example", "a\\.b", "a/b", "a\u{0}b",
        "a.b..", String(repeating: "a", count: 64) + ".b",
    ])
    func `rejects text that is not a name`(text: String) { #expect(DomainName(text) == nil) }

    @Test func `accepts names up to the limits`() {
        let label = String(repeating: "a", count: 63)
        let long = "\(label).\(label).\(label)."
        #expect(DomainName(long + String(repeating: "b", count: 61))?.text.utf8.count == 253)
        #expect(DomainName(long + String(repeating: "b", count: 62)) == nil)
    }

    @Test func `the parents end at the top-level domain`() {
        var way: [String] = []
        var next = DomainName("*.shop.example.com")
        while let name = next {
            way.append(name.description)
            next = name.parent
        }
        #expect(way == ["*.shop.example.com", "shop.example.com", "example.com", "com"])
    }

    @Test(arguments: [
        ("shop.example", "shop.example", true), ("a.shop.example", "shop.example", true),
        ("a.b.example", "example", true),
        ("example", "shop.example", false), ("bigshop.example", "shop.example", false),
        (#"a\.example"#, "example", false),
    ])
    func `is inside a zone with all its labels`(name: String, zone: String, isInside: Bool) {
        #expect(DomainName(escaped: name).isInside(DomainName(zone)!) == isInside)
    }

    @Test(
        arguments: [
            ("shop.Example.", [4] + Array("shop".utf8) + [7] + Array("example".utf8) + [0]), ("a", [1, 0x61, 0]),
        ] as [(String, [UInt8])])
    func `is encoded as in packets`(text: String, bytes: [UInt8]) { #expect(DomainName(text)?.encoded == bytes) }

    @Test func `a name from an answer is encoded with its escapes, or not at all`() {
        #expect(DomainName(escaped: #"a\.b\000"#).encoded == [4, 0x61, 0x2E, 0x62, 0, 0])
        #expect(DomainName(escaped: "a..b").encoded == nil)
        #expect(DomainName(escaped: String(repeating: "a", count: 64)).encoded == nil)
        let longest =
            Array(repeating: String(repeating: "a", count: 63), count: 3) + [String(repeating: "b", count: 61)]
        #expect(DomainName(longest.joined(separator: "."))?.encoded?.count == 255)
    }

    @Test(arguments: [(#"a\.b.c"#, "c"), (#"a\\.b.c"#, "b.c"), (#"a\046.c"#, "c")])
    func `an escaped dot is part of its label`(text: String, parent: String) {
        #expect(DomainName(escaped: text).parent?.text == parent)
    }
}
