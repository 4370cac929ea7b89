// The settings accept exactly the URLs that the manager's client can fetch. The two are in modules that do not know each other.

import Client
import Settings
import Testing

struct WebURLTests {
    private static let texts = [
        "https://example.com", "http://example.com/", "https://example.com/a?b=c", "https://example.com?b", "https://a",
        "https://example.com.", "https://example.com..", "https://.example.com", "https://a..b",
        "https://a_b-c.example",
        "https://example.com:443/", "https://example.com:1", "https://example.com:65535/", "https://example.com:65536/",
        "https://example.com:0/", "https://example.com:/", "https://example.com:a", "https://example.com:1:2",
        "https://127.0.0.1:8443/", "https://[::1]/", "https://u@example.com/", "https://u:p@example.com/",
        "https:///a", "https://", "https://?a", "https://:80/", "ftp://example.com/", "HTTPS://example.com/",
        "example.com", "//example.com", "", "https://exa mple.com/", "https://example.com/a b",
        "https://example.com/\n",
        "https://ex\u{E4}mple.com/", "https://example.com/\u{E4}", "https://example.com/\u{7F}",
        "https://*.example.com/", "https://a!b/", "https://example.com#a",
        "https://\(String(repeating: "a", count: 253))/", "https://\(String(repeating: "a", count: 254))/",
    ]

    @Test(arguments: texts)
    func `a URL is accepted as a setting if the client can fetch it`(text: String) {
        #expect(DeliverySettings.isWebURL(text) == (WebLocation(text) != nil))
    }
}
