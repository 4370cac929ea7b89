// Content types by extension.

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
}
