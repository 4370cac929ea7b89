// The same engine over TLS, with curl and openssl as clients.

import Catalogue
import Certificates
import Engine
import HTTP
import Posix
import TLS
import Testing

struct SecureTests {
    /// An engine with certificates of a development authority.
    private func start(_ adjust: (inout EngineSettings) -> Void = { _ in }) throws -> SecureEngine {
        try SecureEngine(adjust) { hosts, authority in
            CertificateStore(hostsPath: hosts, development: authority, serves: { $0.hasSuffix(".example") })
        }
    }

    @Test(arguments: ["--tlsv1.3", "--tls-max 1.2"])
    func `curl trusts the certificate of each host and gets its document`(version: String) throws {
        let server = try start()
        let flags = version.split(separator: " ").map(String.init)
        let first = try server.curl("shop.example", "/doc", flags[0], flags.count > 1 ? flags[1] : "--show-error")
        #expect(first.status == 0)
        #expect(first.output == TestEngine.document)
        let large = try server.curl("large.example", "/large")
        #expect(large.status == 0)
        #expect(large.bytes == TestEngine.largeBody)
    }

    @Test func `many requests on one connection, one of them large, arrive in order`() throws {
        let server = try start()
        let url = "https://shop.example:\(server.port)"
        let answer = try server.curl(
            "shop.example", "/doc", "\(url)/none", "\(url)/a%20b", "--write-out", "[%{http_code}]")
        #expect(answer.output == "[404]space[200]\(TestEngine.document)[200]")
    }

    @Test(arguments: [
        ("http/1.1", "ALPN protocol: http/1.1"), ("h2,http/1.1", "ALPN protocol: http/1.1"),
        ("http/1.0", "ALPN protocol: http/1.0"), ("h2", "no application protocol"),
    ])
    func `speaks HTTP 1.1 and 1.0 and nothing else`(offered: String, answer: String) throws {
        #expect(try start().openssl(["-servername", "shop.example", "-alpn", offered]).contains(answer))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `resumes a session at any worker`(version: String) throws {
        let server = try start { $0.workerCount = 4 }
        let file = "\(server.folder.path)/session"
        let request = "GET /doc HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"
        let flags = ["-servername", "shop.example", "-ign_eof"]
        let first = try server.openssl([version] + flags + ["-sess_out", file], request: request)
        #expect(first.contains(TestEngine.document))
        for _ in 0..<8 {
            let again = try server.openssl([version] + flags + ["-sess_in", file], request: request)
            #expect(again.contains("Reused, TLS"))
            #expect(again.contains(TestEngine.document))
        }
    }

    @Test func `a session of one host is never answered with another host's documents`() throws {
        let server = try start()
        func request(_ host: String) -> String { "GET /large HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n" }
        let other = try server.openssl(["-servername", "shop.example", "-ign_eof"], request: request("large.example"))
        #expect(other.contains("HTTP/1.1 421 Misdirected Request"))
        let unknown = try server.openssl(["-servername", "shop.example", "-ign_eof"], request: request("other.test"))
        #expect(unknown.contains("HTTP/1.1 404 Not Found"))
        let same = try server.openssl(["-servername", "SHOP.example", "-ign_eof"], request: request("shop.EXAMPLE"))
        #expect(same.contains("HTTP/1.1 404 Not Found"), "it has no such page")
        for (name, host) in [("shop.example.", "shop.example"), ("shop.example", "shop.example.")] {
            let dotted = try server.openssl(["-servername", name, "-ign_eof"], request: request(host))
            #expect(dotted.contains("HTTP/1.1 404 Not Found"), "a dot at the end changes nothing")
        }
    }

    @Test func `answers plain HTTP on the TLS port with an explanation`() throws {
        let server = try start()
        var client = try TestClient(server.engine.secureAddresses[0])
        try client.send(get("/doc"))
        let response = try #require(try client.response())
        #expect(response.status == 400)
        #expect(String(decoding: response.body, as: UTF8.self).contains("https://"))
    }

    @Test(arguments: ["\u{16}\u{3}\u{1}", "nonsense\r\n\r\n", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}"])
    func `refuses garbage without harm to other clients`(text: String) throws {
        let server = try start()
        var client = try TestClient(server.engine.secureAddresses[0])
        try client.send(text)
        client.finishSending()
        #expect(try client.rest().count < 300)
        #expect(try server.curl("shop.example", "/doc").status == 0)
    }

    @Test func `redirects pages to TLS, but not association files`() throws {
        let server = try start {
            $0.redirectsPages = true
            $0.publicSecurePort = 8_443
        }
        func plain(_ path: String) throws -> ReceivedResponse? {
            var client = try TestClient(server.engine.addresses[0])
            try client.send(get(path))
            return try client.response()
        }
        let page = try plain("/a%20b?x=1")
        #expect(page?.status == 308)
        #expect(page?["location"] == "https://shop.example:8443/a%20b?x=1")
        #expect(try plain("/nothing/here")?.status == 308)
        #expect(try plain("/aasa")?.status == 200)
        #expect(try plain("/.well-known/none")?.status == 404)
        #expect(try plain("/apple-app-site-association")?.status == 404)
        #expect(try plain("/.well-known/acme-challenge/token-of-an-order")?.status == 404)
        var stranger = try TestClient(server.engine.addresses[0])
        try stranger.send(get("/", host: "other.test"))
        #expect(try stranger.response()?.status == 404)
    }

    @Test(arguments: [("127.0.0.0/8", 200), ("192.0.2.0/24", 308)])
    func `does not redirect pages to TLS when a trusted proxy received them over TLS`(trust: String, status: Int) throws
    {
        let server = try start {
            $0.redirectsPages = true
            $0.trustedProxies.networks = networks(trust)
        }
        func plain(_ line: String) throws -> Int? {
            var client = try TestClient(server.engine.addresses[0])
            try client.send(get("/a%20b", "\(line)\r\n"))
            return try client.response()?.status
        }
        #expect(try plain("X-Forwarded-Proto: https") == status)
        #expect(try plain("X-Forwarded-Proto: http") == 308)
        #expect(try plain("Forwarded: proto=https") == 308)
    }

    @Test func `accepts a PROXY header before the handshake`() throws {
        let server = try start {
            $0.trustedProxies.networks = networks("127.0.0.0/8")
            $0.expectProxyHeaders()
        }
        let answer = try server.curl("shop.example", "/doc", "--haproxy-protocol")
        #expect(answer.output == TestEngine.document)
        // Without one there is no handshake.
        #expect(try server.curl("shop.example", "/doc").output.isEmpty)
        // The deadline of a handshake includes the header before it.
        var client = try TestClient(server.engine.secureAddresses[0])
        try client.send("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n")
        try client.send(get("/doc"))
        #expect(try client.response()?.status == 400)
    }

    @Test(arguments: [nil, 443, 8_443])
    func `redirects pages to the public TLS port`(publicPort: UInt16?) throws {
        let server = try start {
            $0.redirectsPages = true
            $0.publicSecurePort = publicPort
        }
        var client = try TestClient(server.engine.addresses[0])
        try client.send(get("/empty"))
        let port = publicPort.map { $0 == 443 ? "" : ":\($0)" } ?? ":\(server.port)"
        #expect(try client.response()?["location"] == "https://shop.example\(port)/empty")
    }

    @Test func `does not redirect pages of a host without a certificate`() throws {
        let tickets = try TicketKeys()
        let server = try start {
            $0.redirectsPages = true
            $0.secure = SecureSettings(certificates: CertificateStore(hostsPath: "/nonexistent"), tickets: tickets)
        }
        var client = try TestClient(server.engine.addresses[0])
        try client.send(get("/a%20b"))
        let answer = try #require(try client.response())
        #expect(answer.status == 200)
        #expect(answer.body == Array("space".utf8))
    }

    @Test func `announces the end of a TLS session`() throws {
        let server = try start()
        let request = "GET /doc HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"
        let text = try server.openssl(["-servername", "shop.example", "-ign_eof", "-msg"], request: request)
        #expect(text.contains("warning close_notify"))
    }
}
