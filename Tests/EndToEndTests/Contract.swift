// The answers of a host that docs/http.md and docs/hosting.md promise: for each row the requests and the answers.

import Testing

/// The promises as a table.
enum Contract {
    /// One row, named after its request.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let cases: [Case]

        init(_ name: String, _ cases: Case...) {
            self.name = name
            self.cases = cases
        }

        var testDescription: String { name }
    }

    /// One request, and what its answer must contain.
    struct Case: Sendable {
        var url: String
        var status: Int
        var method = "GET"
        /// Options of curl, such as `--header`.
        var options: [String] = []
        /// Header fields, in lower case.
        var fields: [String] = []
        /// Fields that must not be there.
        var missing: [String] = []
        /// A part of the body; empty for an empty body, nil for any.
        var body: String?
        /// Whether the request uses HTTP or TLS.
        var schemes = ["http", "https"]
    }

    /// For binary bodies.
    private static let headOnly = ["--output", "/dev/null", "--dump-header", "-"]
    private static let json = "content-type: application/json"
    private static let legacy = "/apple-app-site-association"
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"

    static let documents = [
        Row(
            "the AASA document under both names, 404 where the host has no iOS app",
            Case(url: "both.example\(apple)", status: 200, fields: [json], body: "8KQ2V7M4XN.dev.associated.both"),
            Case(url: "both.example\(legacy)", status: 200, fields: [json], body: "8KQ2V7M4XN.dev.associated.both"),
            Case(url: "both.example\(apple)?v=1&x=%zz", status: 200, fields: [json]),
            Case(url: "both.example\(apple)", status: 200, options: ["--user-agent", "swcd (unknown version)"]),
            Case(url: "both.example\(apple)", status: 200, options: ["--compressed"], body: "dev.associated.both"),
            Case(url: "both.example\(apple)", status: 200, options: ["--header", "Host: BOTH.Example.:81"]),
            Case(url: "both.example\(apple)", status: 200, fields: ["x-content-type-options: nosniff"]),
            Case(url: "both.example\(apple)", status: 200, fields: ["access-control-allow-origin: *"]),
            Case(url: "both.example\(apple)", status: 200, fields: ["cache-control: max-age=3600"]),
            Case(url: "android.example\(apple)", status: 404, body: ""),
            Case(url: "android.example\(legacy)", status: 404, body: "")),
        Row(
            "the statement list, 404 where the host has no Android app",
            Case(url: "both.example\(android)", status: 200, fields: [json], body: "sha256_cert_fingerprints"),
            Case(url: "both.example\(android)?x", status: 200, fields: [json]),
            Case(url: "ios.example\(android)", status: 404, body: "")),
        Row(
            "a file in the host's well-known/, with its type",
            Case(
                url: "both.example/.well-known/security.txt", status: 200,
                fields: ["content-type: text/plain; charset=utf-8"], body: "Contact: mailto:security@example.com\n"),
            Case(url: "ios.example/.well-known/security.txt", status: 404, body: "")),
        Row(
            "any other path below /.well-known/ is 404, never a page",
            Case(url: "both.example/.well-known/none", status: 404, body: ""),
            Case(url: "both.example/.well-known/", status: 404, body: ""),
            Case(url: "both.example/.well-known", status: 404, body: ""),
            Case(url: "both.example/.well-known/page.html", status: 404, body: ""),
            Case(url: "both.example/.well-known/links/a", status: 404, body: ""),
            Case(url: "spa.example/.well-known/anything", status: 404, body: ""),
            Case(url: "spa.example\(android)", status: 404, body: "")),
    ]

    static let pages = [
        Row(
            "a file in public/, with type, tag, gzip and ranges",
            Case(
                url: "both.example/page.html", status: 200,
                fields: [
                    "content-type: text/html; charset=utf-8", "etag: \"", "last-modified: ", "vary: accept-encoding",
                ],
                missing: ["content-encoding"], body: "<p>own page"),
            Case(url: "both.example/shared.txt", status: 200, body: "shared"),
            Case(url: "ios.example/page.html", status: 200, body: "<p>page of all hosts"),
            Case(url: "both.example/links/file", status: 200, body: "file, not landing"),
            Case(
                url: "both.example/page.html", status: 200, options: ["--header", "Accept-Encoding: gzip"] + headOnly,
                fields: ["content-encoding: gzip", "vary: accept-encoding"]),
            Case(
                url: "both.example/page.html", status: 206, options: ["--range", "0-4"],
                fields: ["content-range: bytes 0-4/", "content-length: 5"], body: "<p>ow"),
            Case(
                url: "both.example/page.html", status: 416, options: ["--range", "999999-"],
                fields: ["content-range: bytes */"], body: "")),
        Row(
            "a link that a rule of an app includes, without a file: the landing page",
            Case(
                url: "both.example/links/a?x=1", status: 200, fields: ["content-type: text/html; charset=utf-8"],
                body: "app-argument=https://both.example/links/a?x=1"),
            Case(url: "both.example/links/not/a", status: 404, body: "")),
        Row(
            "anything else of a single-page app: index.html",
            Case(url: "spa.example/some/route", status: 200, body: "<p>spa"),
            Case(url: "spa.example/", status: 200, body: "<p>spa"),
            Case(url: "spa.example/gone.js", status: 404, body: "")),
        Row(
            "the rest is 404",
            Case(url: "both.example/none", status: 404, body: ""), Case(url: "both.example/", status: 404, body: ""),
            Case(url: "both.example/../page.html", status: 404, body: ""),
            Case(url: "both.example/%2e%2e/page.html", status: 404, body: ""),
            Case(url: "both.example//page.html", status: 404, body: ""),
            Case(url: "both.example/page.html/", status: 404, body: "")),
    ]

    static let rules = [
        Row(
            "an unknown host is 404 and empty",
            Case(url: "other.example/page.html", status: 404, body: "", schemes: ["http"]),
            Case(url: "other.example\(apple)", status: 404, body: "", schemes: ["http"]),
            // Over TLS the handshake fails, which another test covers.
            Case(url: "both.example/", status: 404, options: ["--header", "Host: other.example"], body: "")),
        Row(
            "a Host of another site than the one that TLS was made for: 421",
            Case(
                url: "both.example\(apple)", status: 421, options: ["--header", "Host: ios.example"], body: "",
                schemes: ["https"]),
            Case(
                url: "both.example\(apple)", status: 200, options: ["--header", "Host: ios.example"],
                schemes: ["http"])),
        Row(
            "GET and HEAD; OPTIONS says so; other known methods are 405, unknown ones 501",
            Case(
                url: "both.example\(apple)", status: 200, method: "HEAD",
                fields: [json, "content-length: ", "etag: \""], body: ""),
            Case(url: "both.example/page.html", status: 200, method: "HEAD", fields: ["content-length: "], body: ""),
            Case(url: "both.example/none", status: 404, method: "HEAD", body: ""),
            Case(url: "both.example/page.html", status: 204, method: "OPTIONS", fields: ["allow: GET, HEAD, OPTIONS"]),
            Case(url: "both.example\(apple)", status: 405, method: "POST", fields: ["allow: GET, HEAD, OPTIONS"]),
            Case(url: "both.example\(apple)", status: 405, method: "DELETE", fields: ["allow: GET, HEAD, OPTIONS"]),
            Case(url: "both.example/none", status: 501, method: "FROB", missing: ["allow"])),
        Row(
            "conditions: If-None-Match, If-Modified-Since",
            Case(
                url: "both.example\(apple)", status: 304, options: ["--header", "If-None-Match: *"],
                fields: ["etag: \""], missing: ["content-length"], body: ""),
            Case(url: "both.example\(apple)", status: 200, options: ["--header", "If-None-Match: \"x\""]),
            Case(
                url: "both.example/page.html", status: 304,
                options: ["--header", "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT", "--http1.0"], body: ""),
            Case(url: "both.example/page.html", status: 412, options: ["--header", "If-Match: \"x\""], body: "")),
        Row(
            "what could be read in two ways is 400, and the connection is closed",
            Case(
                url: "both.example\(apple)", status: 400, options: ["--header", "Host: a, b"],
                fields: ["connection: close"], body: ""),
            Case(
                url: "both.example\(apple)", status: 400,
                options: ["--header", "Content-Length: 3", "--header", "Transfer-Encoding: chunked"],
                fields: ["connection: close"], body: ""),
            Case(url: "both.example/%zz", status: 400, fields: ["connection: close"], body: "")),
    ]

    /// With `tls.redirectPages`, the default.
    static let redirects = [
        Row(
            "a page over plain HTTP is sent to https",
            Case(
                url: "both.example/page.html?a=1", status: 308,
                fields: ["location: https://both.example:PORT/page.html?a=1"], body: "", schemes: ["http"]),
            Case(url: "both.example/none", status: 308, body: "", schemes: ["http"]),
            Case(url: "both.example/page.html", status: 200, schemes: ["https"]),
            // Without a certificate, pages are not redirected.
            Case(url: "bare.example/shared.txt", status: 200, body: "shared", schemes: ["http"])),
        Row(
            "association files and ACME challenges never are",
            Case(url: "both.example\(apple)", status: 200, schemes: ["http"]),
            Case(url: "both.example\(legacy)", status: 200, schemes: ["http"]),
            Case(url: "both.example\(android)", status: 200, schemes: ["http"]),
            Case(
                url: "both.example/.well-known/acme-challenge/token-of-an-order", status: 200,
                body: "token-of-an-order.thumbprint", schemes: ["http"]),
            Case(url: "both.example/.well-known/acme-challenge/another-challenge", status: 404, schemes: ["http"]),
            Case(url: "android.example\(apple)", status: 404, schemes: ["http"])),
    ]
}
