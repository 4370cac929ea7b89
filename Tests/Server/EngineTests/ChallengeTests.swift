// Challenges of certificate authorities: the answers, and what is a token.

import Testing

@testable import Engine

struct ChallengeTests {
    private static let prefix = "/.well-known/acme-challenge/"

    /// Answers tokens that begin with `known`, with the host and the token.
    private static func server() throws -> TestEngine {
        try TestEngine { settings in
            settings.challenges = { host, token in
                let (host, token) = (String(decoding: host, as: UTF8.self), String(decoding: token, as: UTF8.self))
                return token.hasPrefix("known") ? Array("\(host) \(token)".utf8) : nil
            }
        }
    }

    @Test func `answers a challenge for any host, and forbids caching`() throws {
        let server = try Self.server()
        let found = try #require(try exchange(server, get("\(Self.prefix)known_-123456789", host: "NewZ.example:80")))
        #expect(found.status == 200)
        #expect(String(decoding: found.body, as: UTF8.self) == "newz.example known_-123456789")
        #expect(found.fields.map(\.name) == ["date", "content-type", "cache-control", "content-length"])
        #expect(found["content-type"] == "application/octet-stream")
        #expect(found["cache-control"] == "no-store")
        let missing = try #require(try exchange(server, get("\(Self.prefix)other-challenge1")))
        #expect(missing.status == 404)
        #expect(missing["cache-control"] == "no-store")
    }

    @Test func `answers the requests before and after a challenge in order`() throws {
        let server = try Self.server()
        var client = try TestClient(server.address)
        let head = "HEAD \(Self.prefix)known-challenge0 HTTP/1.1\r\nHost: shop.example\r\n\r\n"
        try client.send(
            get("/doc") + get("\(Self.prefix)known-challenge1") + get("/doc") + head
                + get("\(Self.prefix)known-challenge2") + get("\(Self.prefix)other-challenge1") + get("/none"))
        func next(hasBody: Bool = true) throws -> (Int, Int)? {
            try client.response(hasBody: hasBody).map { ($0.status, $0.body.count) }
        }
        #expect(try #require(try next()) == (200, TestEngine.document.utf8.count))
        #expect(try #require(try next()) == (200, 29))
        #expect(try #require(try next()) == (200, TestEngine.document.utf8.count))
        #expect(try #require(try next(hasBody: false)) == (200, 0))
        #expect(try #require(try next()) == (200, 29))
        #expect(try #require(try next()) == (404, 0))
        #expect(try #require(try next()) == (404, 0))
    }

    @Test func `answers a challenge as the last request of a connection`() throws {
        let server = try Self.server()
        for (lines, version) in [("Connection: close\r\n", "1.1"), ("", "1.0")] {
            var client = try TestClient(server.address)
            try client.send(
                "GET \(Self.prefix)known-challenge0 HTTP/\(version)\r\nHost: shop.example\r\n\(lines)\r\n" + get("/doc")
            )
            let response = try #require(try client.response())
            #expect(response.status == 200)
            #expect(response["connection"] == "close")
            #expect(try client.response() == nil)
        }
    }

    @Test(arguments: [
        ("known-challenge0", true), (String(repeating: "k", count: 128), true),
        (String(repeating: "k", count: 129), false), (String(repeating: "k", count: 15), false), ("", false),
        ("known-challenge0/", false), ("known-challenge0.txt", false), ("%6bnown-challenge", false),
        ("../../known-challenge0", false), ("known-challenge0=", false), ("known-chall/enge0", false),
    ])
    func `accepts only 16 to 128 base64url characters as a token`(token: String, isToken: Bool) {
        let path = Array((Self.prefix + token).utf8)
        #expect((ChallengeQuestion.token(of: path.span) != nil) == isToken)
        #expect(ChallengeQuestion.token(of: Array("/.well-known/acme/\(token)".utf8).span) == nil)
    }
}
