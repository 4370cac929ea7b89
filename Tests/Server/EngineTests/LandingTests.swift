// Landing pages, redirects and the pages of single-page apps as clients get them.

import Catalogue
import HTTP
import Testing

struct LandingTests {
    private let server: TestEngine

    init() throws {
        var redirect = TestEngine.answer(.bytes([]), kind: .wellKnown, modified: nil)
        redirect.status = .found
        var fields = FieldLines()
        fields.add("location", "/account")
        redirect.identity.bodyFields = fields
        let pattern = { (text: String) in LinkPattern(Array(text.utf8)) }
        let landing = PreparedLanding(
            rules: [LinkRule(excludes: true, path: pattern("/p/no/*")), LinkRule(path: pattern("/p/*"))],
            head: TestEngine.answer(.bytes([]), modified: nil),
            segments: [
                LandingSegment(Array("<a href=\"https://".utf8), then: .attribute),
                LandingSegment(Array("\" list=\"".utf8), then: .listItem),
                LandingSegment(Array("\" route=\"".utf8), then: .route),
                LandingSegment(Array("\" play=\"?id=a".utf8), then: .referrer),
                LandingSegment(Array("\">".utf8), then: .none),
            ])
        server = try TestEngine(sites: [
            PreparedSite(
                host: "shop.example",
                answers: [
                    ("/p/file", TestEngine.answer(.bytes(Array("file".utf8)))),
                    ("/.well-known/change-password", redirect),
                ],
                landings: [landing]),
            PreparedSite(
                host: "spa.example", answers: [], fallback: TestEngine.answer(.bytes(Array("spa".utf8)), gzip: [1])),
            PreparedSite(
                host: "own.example",
                answers: [("/404.html", TestEngine.answer(.bytes(Array("not here".utf8)), gzip: [1]))]),
        ])
    }

    private func body(_ response: ReceivedResponse?) throws -> String {
        String(decoding: try #require(response).body, as: UTF8.self)
    }

    @Test(arguments: [
        ("/p/1", "shop.example/p/1", "shop.example/p/1"), ("/p", "shop.example/p", "shop.example/p"),
        ("/p/?", "shop.example/p/?", "shop.example/p/?"),
        ("/p/%3Cb%3E?q=%22", "shop.example/p/%3Cb%3E?q=%22", "shop.example/p/%3Cb%3E?q=%22"),
        (
            "/p/a&b'c?x=1&y=2,3", "shop.example/p/a&amp;b&#39;c?x=1&amp;y=2,3",
            "shop.example/p/a&amp;b&#39;c?x=1&amp;y=2%2C3"
        ),
        ("/p/,&", "shop.example/p/,&amp;", "shop.example/p/%2C&amp;"),
    ])
    func `inserts the link into the page, escaped for its place`(target: String, link: String, item: String) throws {
        let response = try exchange(server, get(target))
        #expect(response?.status == 200)
        let route = link.dropFirst("shop.example".count)
        let text = try body(response)
        #expect(text.hasPrefix("<a href=\"https://\(link)\" list=\"\(item)\" route=\"\(route)\" play=\"?id=a"))
        #expect(response?["content-length"] == String(text.utf8.count))
    }

    /// Decoding the parameter once gives the link, whatever it contains.
    @Test(arguments: [
        ("/p/1", "%2Fp%2F1"), ("/p/?", "%2Fp%2F%3F"), ("/p/a&referrer=x", "%2Fp%2Fa%26referrer%3Dx"),
        ("/p/%22%3Cscript%3E?a=1&b='", "%2Fp%2F%2522%253Cscript%253E%3Fa%3D1%26b%3D%27"),
        ("/p/+;,!*()", "%2Fp%2F%2B%3B%2C%21%2A%28%29"), ("/p/-._~", "%2Fp%2F-._~"),
    ])
    func `the referrer is the whole link, percent-encoded`(target: String, encoded: String) throws {
        let text = try body(exchange(server, get(target)))
        #expect(text.hasSuffix(" play=\"?id=a&amp;referrer=https%3A%2F%2Fshop.example\(encoded)\">"))
    }

    @Test func `a link that is too long for a referrer keeps its page`() throws {
        let room = LinkInsertion.referrerBytesMax - "shop.example/p/".utf8.count
        for (count, isSent) in [(room, true), (room + 1, false)] {
            let text = try body(exchange(server, get("/p/" + String(repeating: "a", count: count))))
            #expect(text.contains("referrer=") == isSent)
            #expect(text.hasSuffix(isSent ? "a\">" : "?id=a\">"))
        }
    }

    /// Bytes that could end an attribute or a field line are refused before any look-up.
    @Test(arguments: ["\"", "<", ">", "\\", "#x", "\u{7F}", "\u{1}"])
    func `no target contains bytes that a page cannot contain`(bytes: String) throws {
        #expect(try exchange(server, get("/p/1\(bytes)"))?.status == 400)
    }

    @Test(arguments: [
        ("/p/no/1", 404), ("/q", 404), ("/p/file", 200), ("/.well-known/p", 404), ("/p%2F1", 404), ("/%70/1", 404),
    ])
    func `serves the landing page only for included paths without a file`(path: String, status: Int) throws {
        let response = try exchange(server, get(path))
        #expect(response?.status == status)
        #expect(try !body(response).contains("<a"))
    }

    @Test func `HEAD, bodies and pipelining stay in step`() throws {
        var client = try TestClient(server.address)
        try client.send(get("/p/1").replacing("GET", with: "HEAD", maxReplacements: 1) + get("/p/1") + get("/p/22"))
        let head = try #require(try client.response(hasBody: false))
        let full = try #require(try client.response())
        #expect(head.fields.map(\.name) == full.fields.map(\.name))
        #expect(head["content-length"] == full["content-length"])
        #expect(try body(client.response()).contains("/p/22"))
        try client.send(get("/p/1", "Content-Length: 2\r\n") + "hi" + get("/p/1"))
        #expect(try client.response()?["connection"] == "close")
        #expect(try client.rest().isEmpty)
    }

    @Test func `ignores ranges and conditions`() throws {
        let response = try exchange(server, get("/p/1", "Range: bytes=0-1\r\nIf-None-Match: *\r\nIf-Match: \"x\"\r\n"))
        #expect(response?.status == 200)
    }

    @Test func `refuses a link that is too long for the page`() throws {
        var client = try TestClient(server.address)
        let ampersands = String(repeating: "&", count: 1_000)
        try client.send(get("/p/\(ampersands)") + get("/p/\(ampersands)\(ampersands)") + get("/p/1"))
        #expect(try client.response()?.status == 200)
        #expect(try client.response()?.status == 414)
        #expect(try client.response()?.status == 200, "the connection continues")
    }

    @Test func `answers do not depend on how a request is split`() throws {
        let request = get("/p/a&b?c")
        let whole = try #require(try exchange(server, request))
        for cut in 1..<request.utf8.count {
            var client = try TestClient(server.address)
            try client.send(String(request.prefix(cut)))
            try client.send(String(request.dropFirst(cut)))
            #expect(try client.response() == whole)
        }
    }

    @Test func `redirects whatever the conditions are`() throws {
        let response = try exchange(
            server, get("/.well-known/change-password", "If-None-Match: *\r\nIf-Match: \"x\"\r\nRange: bytes=0-\r\n"))
        #expect(response?.status == 302)
        #expect(response?["location"] == "/account")
        #expect(response?["content-length"] == "0")
    }

    @Test(arguments: [
        ("/", 200), ("/a/b", 200), ("/a.js", 404), ("/.well-known/x", 404), ("/%2ewell-known/x", 404), ("/a%2Fb", 404),
    ])
    func `serves a single-page app for every page`(path: String, status: Int) throws {
        #expect(try exchange(server, get(path, host: "spa.example"))?.status == status)
    }

    @Test(arguments: [
        ("/", true), ("/a/b", true), ("/a.js", true), ("/.well-known/x", false),
        ("/.well-known/assetlinks.json", false),
        ("/.well-known", false), ("/apple-app-site-association", false), ("/%2ewell-known/x", false), ("/a%2Fb", false),
        ("/a/../b", false), ("//a", false),
    ])
    func `a host's not-found page is never the answer for verifiers' files`(path: String, isPage: Bool)
        throws
    {
        for lines in ["", "Range: bytes=0-1\r\nIf-None-Match: \"t\"\r\n"] {
            let response = try exchange(server, get(path, host: "own.example", lines))
            #expect(response?.status == 404)
            #expect(try body(response) == (isPage ? "not here" : ""))
            #expect((response?["etag"] != nil) == isPage)
        }
        #expect(try exchange(server, get("/404.html", host: "own.example"))?.status == 200)
        let packed = try exchange(server, get("/a", host: "own.example", "Accept-Encoding: gzip\r\n"))
        #expect(packed?.status == 404)
        #expect(packed?.body == [1])
        // Neither form is acceptable, so the server sends the plain one.
        let refused = try exchange(server, get("/a", host: "own.example", "Accept-Encoding: identity;q=0, br\r\n"))
        #expect(refused?.status == 404)
    }

    @Test func `compresses and revalidates the page like any other`() throws {
        let response = try exchange(server, get("/a/b", host: "spa.example", "Accept-Encoding: gzip\r\n"))
        #expect(response?["content-encoding"] == "gzip")
        #expect(try exchange(server, get("/a/b", host: "spa.example", "If-None-Match: \"t\"\r\n"))?.status == 304)
    }
}
