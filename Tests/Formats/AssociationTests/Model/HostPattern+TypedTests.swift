import Testing

@testable import Association

struct HostPatternTypedTests {
    @Test(arguments: [
        ("例え.jp", "xn--r8jz45g.jp"), ("例え.jp:8443", "xn--r8jz45g.jp:8443"), ("BÜCHER.example", "xn--bcher-kva.example"),
        ("*.例え.jp", "*.xn--r8jz45g.jp"), ("例え.jp.", "xn--r8jz45g.jp"),
        ("https://例え.jp/é?ü#ö", "https://xn--r8jz45g.jp/é?ü#ö"), ("https://例え.jp", "https://xn--r8jz45g.jp"),
        ("https://u@例え.jp:1/", "https://u@xn--r8jz45g.jp:1/"), ("例え.jp:443:127.0.0.1", "xn--r8jz45g.jp:443:127.0.0.1"),
        // ASCII is not changed, and neither is an invalid host.
        ("Shop.Example.", "Shop.Example."), ("https://shop.example/é", "https://shop.example/é"), ("", ""),
        ("ﬁ.example", "ﬁ.example"), ("https://例 え.jp/", "https://例 え.jp/"), ("é/../b", "xn--9ca/../b"),
    ])
    func `a host in any script becomes the one that clients request`(typed: String, ascii: String) {
        #expect(HostPattern.inASCII(typed) == ascii)
    }

    @Test func `a URL has its host in ASCII, and an invalid one is reported as written`() throws {
        let url = try #require(LinkURL("https://例え.JP/é"))
        #expect(url.host == "xn--r8jz45g.jp")
        #expect(url.text == "https://xn--r8jz45g.jp/%C3%A9")
        #expect(LinkURL.parse("https://ﬁ.example/") == .failure(.illegalHost("ﬁ.example")))
    }
}
