// Content types by file name.

import Testing

@testable import Hosting

struct MediaTypeTests {
    @Test(arguments: [
        ("/index.html", "text/html; charset=utf-8"), ("/A.HTML", "text/html; charset=utf-8"),
        ("/a.b.json", "application/json"),
        ("/a", "application/octet-stream"), ("/a.d/b", "application/octet-stream"),
        ("/a.unknown", "application/octet-stream"),
        ("/a.", "application/octet-stream"), ("/icon.svg", "image/svg+xml"),
    ])
    func `knows a file by its extension`(path: String, type: String) {
        #expect(MediaType.of(path) == type)
    }

    @Test(arguments: [
        ("apple-app-site-association", "application/json"), ("assetlinks.json", "application/json"),
        ("security.txt", "text/plain; charset=utf-8"), ("webauthn", "application/json"),
        ("passkey-endpoints", "application/json"), ("matrix/server", "application/json"),
        ("openid-configuration", "application/json"), ("host-meta", "application/xrd+xml"),
        ("host-meta.json", "application/jrd+json"), ("unknown.json", "application/json"),
        ("unknown", "application/octet-stream"),
    ])
    func `knows a well-known file by its name`(name: String, type: String) {
        #expect(WellKnownType.of(name) == type)
    }
}
