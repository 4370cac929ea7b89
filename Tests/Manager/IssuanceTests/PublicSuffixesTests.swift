// Registered domains by the rules of a list, and by a guess.

import Testing

@testable import Issuance

struct PublicSuffixesTests {
    private static let list = PublicSuffixes(
        text: """
            // ===BEGIN ICANN DOMAINS===
            com
            uk
            co.uk

            *.ck
            !www.ck
            jp\r
            kawasaki.jp   and what follows is ignored
            *.kawasaki.jp
            !city.kawasaki.jp
            公司.cn
            // ===BEGIN PRIVATE DOMAINS===
            GitHub.io
            *.compute.amazonaws.com
            """)

    /// As in the test data of publicsuffix.org.
    private static let hosts: [(String, String)] = [
        ("com", "com"), ("example.com", "example.com"), ("a.b.example.com", "example.com"),
        ("example.com.", "example.com"), ("co.uk", "co.uk"), ("shop.co.uk", "shop.co.uk"),
        ("a.shop.co.uk", "shop.co.uk"), ("a.shop.uk", "shop.uk"), ("ck", "ck"), ("test.ck", "test.ck"),
        ("b.test.ck", "b.test.ck"), ("a.b.test.ck", "b.test.ck"), ("www.ck", "www.ck"), ("www.www.ck", "www.ck"),
        ("a.example.jp", "example.jp"), ("a.b.c.kawasaki.jp", "b.c.kawasaki.jp"),
        ("a.city.kawasaki.jp", "city.kawasaki.jp"), ("a.shop.github.io", "shop.github.io"),
        ("github.io", "github.io"), ("a.b.eu.compute.amazonaws.com", "b.eu.compute.amazonaws.com"),
        ("a.amazonaws.com", "amazonaws.com"), ("a.b.unknown", "b.unknown"), ("*.shop.example.com", "example.com"),
        ("*.shop.co.uk", "shop.co.uk"), ("*.co.uk", "co.uk"), ("", ""),
    ]

    @Test(arguments: hosts) func `is one label more than the longest rule`(host: String, domain: String) {
        #expect(PublicSuffixesTests.list.registeredDomain(of: host) == domain)
    }

    private static let guesses: [(String, String)] = [
        ("a.shop.co.uk", "shop.co.uk"), ("shop.co.uk", "shop.co.uk"), ("co.uk", "co.uk"), ("a.shop.de", "shop.de"),
        ("a.b.com.au", "b.com.au"), ("a.co.com", "co.com"), ("a.shop.github.io", "github.io"),
        ("localhost", "localhost"), ("*.a.shop.ac.jp", "shop.ac.jp"), ("", ""),
    ]

    @Test(arguments: guesses) func `guesses without a list`(host: String, domain: String) {
        for suffixes in [PublicSuffixes(text: ""), PublicSuffixes(file: "/nonexistent/public_suffix_list.dat")] {
            #expect(suffixes.registeredDomain(of: host) == domain)
        }
    }

    @Test func `skips lines that are not rules`() {
        let long = String(repeating: "a", count: 100_000)
        let lines = [
            "\u{0}", "!", "!.", "!com", "*", "*.", "*.*", "..", ".com", "a..b", " uk", "<html>", "!!www.com", long,
            "\(long).\(long)", "com",
        ]
        let suffixes = PublicSuffixes(text: lines.joined(separator: "\n"))
        #expect(suffixes.registeredDomain(of: "a.b.example.com") == "example.com")
        #expect(suffixes.registeredDomain(of: "a.b.co.uk") == "co.uk")
    }

    @Test func `accepts a name of 253 bytes`() {
        let host = String(repeating: "a.", count: 125) + "com"
        #expect(PublicSuffixesTests.list.registeredDomain(of: host) == "a.com")
    }
}
