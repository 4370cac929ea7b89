// Domain names from users, and their parents.

import Testing

@testable import DNS

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

    @Test(arguments: [(#"a\.b.c"#, "c"), (#"a\\.b.c"#, "b.c"), (#"a\046.c"#, "c")])
    func `an escaped dot is part of its label`(text: String, parent: String) {
        #expect(DomainName(escaped: text).parent?.text == parent)
    }
}
