import Testing

@testable import Association

@Suite struct HostPatternTests {
    @Test(arguments: [
        ("shop.example.com", "shop.example.com"), ("SHOP.Example.COM", "shop.example.com"),
        ("shop.example.com.", "shop.example.com"), ("*.Example.com", "*.example.com"), ("localhost", "localhost"),
        ("1and1.example", "1and1.example"), ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("München.DE", "xn--mnchen-3ya.de"), ("ПОЧТА.рф", "xn--80a1acny.xn--p1ai"),
        ("한국.example", "xn--3e0b707e.example"),
        ("a--b.example", "a--b.example"),
    ])
    func `reads a host in any form`(written: String, text: String) throws {
        #expect(try HostPattern.parse(written).get().text == text)
    }

    @Test(
        arguments: [
            ("", .empty), ("https://example.com", .hasScheme), ("example.com/", .hasPath),
            ("example.com:443", .hasPort),
            ("192.0.2.1", .isAddress), ("[2001:db8::1]", .isAddress), ("2001:db8::1", .isAddress), ("1.2", .isAddress),
            ("*", .bareWildcard), ("a.*.example.com", .wildcardInside), ("*example.com", .wildcardInside),
            ("a..example.com", .emptyLabel), (".example.com", .emptyLabel), ("*.", .empty),
            ("-a.example", .hyphenAtEdge("-a")), ("a-.example", .hyphenAtEdge("a-")), ("a_b.example", .character("_")),
            ("a b.example", .character(" ")), ("a@b.example", .character("@")), ("☃.example", .character("☃")),
            // For each of these, some client would request another form.
            ("straße.de", .ambiguousCharacter("ß")), ("ﬁsch.de", .ambiguousCharacter("ﬁ")),
            ("ａ.de", .ambiguousCharacter("ａ")),
            ("a\u{301}.de", .ambiguousCharacter("\u{301}")), ("\u{1100}\u{1161}.kr", .ambiguousCharacter("\u{1100}")),
            ("xn--a.example", .notEncoded("xn--a", .notAllowed("\u{80}"))),
            ("xn--abc-.example", .hyphenAtEdge("xn--abc-")),
            ("-é.example", .hyphenAtEdge("-é")), ("é-.example", .hyphenAtEdge("é-")),
        ] as [(String, HostPattern.Fault)])
    func `rejects what is not a host`(written: String, fault: HostPattern.Fault) {
        #expect(HostPattern.parse(written) == .failure(fault))
    }

    @Test(arguments: [(" ", "a space"), ("@", "\"@\" (U+0040)"), ("\u{7F}", "U+007F")] as [(Unicode.Scalar, String)])
    func `names a character that is not allowed`(scalar: Unicode.Scalar, name: String) {
        #expect(HostPattern.Fault.character(scalar).explained.reason == "\(name) is not allowed in a name")
    }

    @Test func `limits the lengths of labels and names`() {
        let label = String(repeating: "a", count: 63)
        #expect((try? HostPattern.parse("\(label).example").get()) != nil)
        #expect(HostPattern.parse("a\(label).example") == .failure(.labelTooLong("a\(label)")))
        let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect((try? HostPattern.parse(name).get()) != nil)
        #expect(HostPattern.parse(name + "b") == .failure(.tooLong))
    }

    @Test(arguments: [
        ("shop.example.com", "shop.example.com", true), ("shop.example.com", "SHOP.example.com.", true),
        ("shop.example.com", "example.com", false), ("shop.example.com", "a.shop.example.com", false),
        ("*.example.com", "a.example.com", true), ("*.example.com", "A.B.EXAMPLE.com", true),
        ("*.example.com", "example.com", false), ("*.example.com", ".example.com", false),
        ("*.example.com", "badexample.com", false), ("*.example.com", "a.example.com.", true),
        ("*.example.com", "", false), ("shop.example.com", "", false), ("shop.example.com", ".", false),
        ("shop.example.com", "shop[example.com", false),
        ("abcdefghijklm.nopqrstuvwxyz", "ABCDEFGHIJKLM.NOPQRSTUVWXYZ", true),
        ("*.nopqrstuvwxyz", "A.NOPQRSTUVWXYZ", true),
    ])
    func `matches requests`(pattern: String, host: String, matches: Bool) throws {
        #expect(try HostPattern.parse(pattern).get().matches(host) == matches)
    }
}
