import Testing

@testable import Association

@Suite struct HostNameTests {
    @Test(arguments: [
        "example.com", "Shop.Example.COM", "example.com.", "*.example.com", "xn--bcher-kva.example", "a_b.example.com",
        "1.2.3.example.com",
    ])
    func `accepts a host name`(text: String) {
        #expect(HostName.problems(in: text).isEmpty)
    }

    @Test(arguments: [
        ("https://example.com", "AHST-021"), ("example.com/", "AHST-021"), ("example.com:443", "AHST-021"),
        ("user@example.com", "AHST-021"), ("example.com?mode=developer", "AHST-021"), ("192.0.2.1", "AHST-025"),
        ("2001:db8::1", "AHST-025"), ("localhost", "AHST-025"), ("bücher.example", "AHST-025"), ("", "AHST-025"),
        ("*", "AHST-025"), ("a.*.example.com", "AHST-025"), ("a..example.com", "AHST-025"),
        ("-a.example.com", "AHST-025"),
        ("a b.example.com", "AHST-025"), (".", "AHST-025"),
    ])
    func `says what is not a host name`(text: String, rule: String) {
        #expect(HostName.problems(in: text).map(\.rule) == [rule])
    }

    @Test func `knows the limits of DNS on both sides`() {
        let label = String(repeating: "a", count: 63)
        #expect(HostName.problems(in: label + ".example").isEmpty)
        #expect(!HostName.problems(in: label + "a.example").isEmpty)
        let long = [label, label, label].joined(separator: ".") + "." + String(repeating: "b", count: 61)
        #expect(long.utf8.count == 253)
        #expect(HostName.problems(in: long).isEmpty)
        #expect(!HostName.problems(in: "c" + long).isEmpty)
    }

    @Test func `refuses a wildcard where none is allowed`() {
        #expect(HostName.problems(in: "*.example.com", wildcardAllowed: false).map(\.rule) == ["AHST-023"])
    }

    @Test func `folds case and one trailing dot`() {
        #expect(HostName.normalised("Example.COM.") == "example.com")
    }
}
