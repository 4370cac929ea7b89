// Outgoing proxies as users write them, and excepted hosts.

import Testing

@testable import Client

struct ProxySettingsTests {
    @Test(arguments: [
        ("http://proxy.example:3128", "proxy.example:3128", String?.none),
        ("http://10.0.0.1:8080/", "10.0.0.1:8080", nil), ("http://proxy.example", "proxy.example:80", nil),
        ("http://me:p%40ss@proxy.example:3128", "proxy.example:3128", "Basic bWU6cEBzcw=="),
        ("http://me@proxy.example:3128", "proxy.example:3128", "Basic bWU="),
        ("http://ab:@proxy.example:3128", "proxy.example:3128", "Basic YWI6"),
    ])
    func `reads a proxy`(text: String, place: String, authorization: String?) throws {
        let settings = try #require(ProxySettings(text))
        #expect("\(settings.proxy)" == place)
        let tunnel = try #require(settings.tunnel(to: CheckedHost("shop.example")!))
        #expect(tunnel.target == "shop.example:443")
        #expect(tunnel.authorization == authorization)
    }

    @Test(arguments: [
        "", "proxy.example:3128", "https://proxy.example:3128", "socks5://proxy.example", "http://", "http://a b",
        "http://me:%4@proxy.example", "http://proxy.example:0",
    ])
    func `rejects other text`(text: String) { #expect(ProxySettings(text) == nil) }

    @Test(arguments: [
        ("", true), ("other.example", true), ("shop.example", false), ("SHOP.example", false), ("example", false),
        (".example", false), ("*.example", false), ("hop.example", true), ("*", false), ("a, shop.example ,b", false),
        ("shop.example:443", false), ("shop.example:8443", true), (",", true), ("a.shop.example", true),
    ])
    func `connects directly to excepted hosts`(exceptions: String, isUsed: Bool) throws {
        let settings = try #require(ProxySettings("http://proxy.example:3128", except: exceptions))
        #expect((settings.tunnel(to: CheckedHost("shop.example")!) != nil) == isUsed)
    }
}
