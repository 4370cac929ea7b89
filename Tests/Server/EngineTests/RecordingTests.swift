// What a running engine records about requests and connections: counts, times, lines and verifier fetches.

import Foundation
import HTTP
import Posix
import Telemetry
import Testing

struct RecordingTests {
    private static let association = "/.well-known/apple-app-site-association"

    @Test(arguments: [
        ("GET /doc HTTP/1.1\r\nHost: shop.example\r\n\r\n", StatusClass.success, RequestedDocument.page),
        ("HEAD /doc HTTP/1.1\r\nHost: shop.example\r\n\r\n", .success, .page),
        ("GET /doc HTTP/1.1\r\nHost: shop.example\r\nIf-None-Match: *\r\n\r\n", .redirection, .page),
        ("GET /aasa HTTP/1.1\r\nHost: shop.example\r\n\r\n", .success, .appleAssociation),
        ("GET \(association) HTTP/1.1\r\nHost: app.example\r\n\r\n", .success, .appleAssociation),
        ("GET \(association) HTTP/1.1\r\nHost: shop.example\r\n\r\n", .clientError, .appleAssociation),
        ("GET \(association) HTTP/1.1\r\nHost: unknown.example\r\n\r\n", .clientError, .appleAssociation),
        ("GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: app.example\r\n\r\n", .clientError, .statementList),
        ("GET /.well-known/security.txt HTTP/1.1\r\nHost: app.example\r\n\r\n", .success, .wellKnown),
        ("GET /none HTTP/1.1\r\nHost: shop.example\r\n\r\n", .clientError, .none),
        ("OPTIONS * HTTP/1.1\r\nHost: shop.example\r\n\r\n", .success, .none),
        ("DELETE /doc HTTP/1.1\r\nHost: shop.example\r\n\r\n", .clientError, .none),
        ("LOCK /doc HTTP/1.1\r\nHost: shop.example\r\n\r\n", .notSupported, .none),
        ("GET /doc HTTP/3.0\r\nHost: shop.example\r\n\r\n", .notSupported, .none),
        ("GET /doc HTTP/1.1\r\n\r\n", .clientError, .none),
    ])
    func `counts an answer once, under its class and its document`(
        request: String, status: StatusClass, document: RequestedDocument
    ) throws {
        let server = try LoggedEngine()
        var client = try TestClient(server.address)
        try client.send(request)
        _ = try #require(try client.response(hasBody: !request.hasPrefix("HEAD")))
        #expect(eventually { server.total(.requests(status, document)) == 1 })
        let all = StatusClass.allCases.flatMap { status in
            RequestedDocument.allCases.map { server.total(.requests(status, $0)) }
        }
        #expect(all.reduce(0, +) == 1)
        #expect(server.metrics.latency.count == 1)
        #expect(eventually { server.metrics.rounds(0).count > 0 })
        #expect(try server.lines(1).count == 1)
    }

    @Test(arguments: [
        ("GET /x HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: me\r\nbad line\r\n\r\n", Rejection.malformedField, 400),
        ("GET /x HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: me\r\nHost: two\r\n\r\n", .repeatedHost, 400),
        (
            "GET /x HTTP/1.1\r\nUser-Agent: me\r\nHost: shop.example\r\nContent-Length: 9999999\r\n\r\n", .bodyTooLong,
            413
        ),
        (
            "POST /x HTTP/1.1\r\nUser-Agent: me\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            .malformedChunk, 400
        ),
    ])
    func `logs a refused request with the parts that were understood`(
        request: String, reason: Rejection, status: Int
    ) throws {
        let server = try LoggedEngine()
        var client = try TestClient(server.address)
        try client.send(request)
        #expect(try client.response()?.status == status)
        let line = try #require(try server.lines(1).first)
        #expect(line["status"] as? Int == status)
        #expect(line["path"] as? String == "/x")
        #expect(line["host"] as? String == "shop.example")
        #expect(line["userAgent"] as? String == "me")
        #expect(server.total(.refusedRequests(reason)) == 1)
    }

    @Test func `logs only the address for bytes that are no request`() throws {
        let server = try LoggedEngine()
        var client = try TestClient(server.address)
        try client.send([0x16, 0x03, 0x01, 0x00, 0x22, 0x0D, 0x0A])
        #expect(try client.response()?.status == 400)
        let line = try #require(try server.lines(1).first)
        #expect(Set(line.keys) == ["time", "remote", "port", "status", "bytes", "duration"])
        #expect(line["remote"] as? String == "127.0.0.1")
    }

    @Test func `logs a head that times out as far as it arrived`() throws {
        var limits = TestEngine.limits
        limits.headTimeoutMilliseconds = 50
        let server = try LoggedEngine(limits: limits)
        var client = try TestClient(server.address)
        try client.send("GET /late HTTP/1.1\r\nHost: shop.ex")
        #expect(try client.response()?.status == 408)
        let line = try #require(try server.lines(1).first)
        #expect(line["status"] as? Int == 408)
        #expect(line["path"] as? String == "/late")
        #expect(line["host"] == nil)
    }

    @Test func `logs requests that arrive together with a line each, in order`() throws {
        let server = try LoggedEngine()
        var client = try TestClient(server.address)
        // More than are answered in one write.
        let count = 150
        try client.send((0..<count).map { get("/doc?\($0)") }.joined())
        for _ in 0..<count { #expect(try client.response()?.status == 200) }
        let lines = try server.lines(count)
        #expect(lines.map { $0["path"] as? String } == (0..<count).map { "/doc?\($0)" })
        #expect(lines.allSatisfy { $0["bytes"] as? Int == TestEngine.document.utf8.count })
        #expect(server.total(.requests(.success, .page)) == count)
    }

    @Test func `keeps a head until its body has arrived`() throws {
        let server = try LoggedEngine()
        var client = try TestClient(server.address)
        try client.send(
            get("/doc?first")
                + "GET /doc?second HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: patient\r\nContent-Length: 5\r\n\r\n12"
        )
        #expect(try client.response()?.status == 200)
        #expect(try server.lines(1).count == 1)
        try client.send("345" + get("/doc?third"))
        for _ in 0..<2 { #expect(try client.response()?.status == 200) }
        let lines = try server.lines(3)
        #expect(lines.map { $0["path"] as? String } == ["/doc?first", "/doc?second", "/doc?third"])
        #expect(lines[1]["userAgent"] as? String == "patient")
    }

    @Test func `records an answer when the client has received it, with the bytes received`() throws {
        let server = try LoggedEngine()
        var client = try TestClient(server.address)
        try client.send(get("/large?whole", host: "large.example", "User-Agent: slow\r\n"))
        // Nothing is recorded before the client reads, because the answer exceeds the kernel's buffers.
        _ = try client.readSome()
        #expect(server.metrics.latency.count == 0)
        let body = try #require(try client.response()).body
        let whole = try #require(try server.lines(1).first)
        #expect(whole["bytes"] as? Int == body.count && body.count == TestEngine.largeBody.count)
        #expect(whole["userAgent"] as? String == "slow")

        do {
            var hasty = try TestClient(server.address)
            try hasty.send(get("/large?part", host: "large.example"))
            _ = try hasty.readSome()
        }
        let part = try #require(try server.lines(2).last)
        #expect(part["path"] as? String == "/large?part")
        let bytes = try #require(part["bytes"] as? Int)
        #expect(bytes > 0 && bytes < TestEngine.largeBody.count)
        #expect(server.total(.bytesSent) > TestEngine.largeBody.count)
    }

    @Test func `counts connections opened and closed, with the reason`() throws {
        var limits = TestEngine.limits
        limits.idleTimeoutMilliseconds = 50
        limits.requestsPerConnectionMax = 2
        let server = try LoggedEngine(limits: limits)
        for request in [
            get("/doc", "Connection: close\r\n"), get("/doc"), get("/doc") + get("/doc"), "nonsense\r\n\r\n",
        ] {
            var client = try TestClient(server.address)
            try client.send(request)
            #expect(try client.response() != nil)
            _ = try client.rest()
        }
        do {
            let client = try TestClient(server.address)
            try client.send("GET")
        }
        #expect(eventually { server.metrics.openConnections == 0 && server.total(.connectionsAccepted) == 5 })
        for reason in [CloseReason.finished, .idle, .limit, .refused, .client] {
            #expect(server.total(.connectionsClosed(reason)) == 1, "\(reason)")
        }
    }

    @Test func `counts and logs connections that are refused because the server is full`() throws {
        var limits = TestEngine.limits
        limits.connectionsMax = 16
        let server = try LoggedEngine(limits: limits)
        var clients: [Shared] = []
        for _ in 0..<16 {
            let client = Shared(try ClientSocket(to: server.address, timeoutMilliseconds: 10_000))
            // In the middle of another request, so that it cannot make room.
            try client.socket.send(Array((get("/doc") + get("/doc", "Content-Length: 2\r\n") + "a").utf8))
            _ = try client.socket.receive()
            clients.append(client)
        }
        var client = try TestClient(server.address)
        try client.send(get("/doc"))
        #expect(try client.response()?.status == 503)
        #expect(eventually { server.total(.requests(.serverError, .none)) == 1 })
        #expect(server.total(.connectionsRefused(.tooManyConnections)) == 1)
        let line = try #require(try server.lines(17).last)
        #expect(line["status"] as? Int == 503 && line["remote"] as? String == "127.0.0.1" && line["port"] != nil)
    }

    @Test func `counts the bytes on the wire`() throws {
        let server = try LoggedEngine()
        var client = try TestClient(server.address)
        let request = get("/doc", "Connection: close\r\n")
        try client.send(request)
        let answer = try client.rest()
        #expect(eventually { server.total(.bytesSent) == answer.count })
        #expect(server.total(.bytesReceived) == request.utf8.count)
    }

    @Test func `records a verifier's fetch with its result`() throws {
        let server = try LoggedEngine()
        let agents = "User-Agent: AASA-Bot/1.0.0\r\n"
        for request in [
            get(RecordingTests.association, host: "App.Example", agents),
            get(RecordingTests.association, host: "app.example:80", agents + "If-None-Match: \"t\"\r\n"),
            get("/.well-known/assetlinks.json", host: "app.example", "User-Agent: GoogleAssociationService\r\n"),
            // Not verifiers, not their documents, not served hosts.
            get(RecordingTests.association, host: "app.example", "User-Agent: curl/8\r\n"),
            get(RecordingTests.association, host: "app.example"),
            get("/.well-known/security.txt", host: "app.example", agents),
            get(RecordingTests.association, host: "unknown.example", agents),
        ] {
            var client = try TestClient(server.address)
            try client.send(request)
            _ = try #require(try client.response())
        }
        let lines = try server.lines(7)
        #expect(
            lines.map { $0["verifier"] as? String } == [
                "apple-cdn", "apple-cdn", "google-association", nil, nil, nil, "apple-cdn",
            ])
        let seen = server.verifierFetches()
        #expect(seen.map(\.host) == ["app.example", "app.example", "app.example"])
        #expect(seen.map(\.verifier) == [.appleCDN, .appleCDN, .googleAssociation])
        #expect(seen.map(\.document) == [.appleAssociation, .appleAssociation, .statementList])
        #expect(seen.map(\.status) == [200, 304, 404])
        #expect(seen.map(\.entityTag) == ["\"t\"", "\"t\"", nil])
        #expect(seen.allSatisfy { abs($0.seconds - Clock.wallSeconds()) < 60 })
        #expect(Set(seen.map { "\($0.remote)" }) == ["127.0.0.1"])
    }

    @Test func `hostile requests are logged as text, in one line each`() throws {
        let server = try LoggedEngine()
        // All bytes that a field may contain.
        let agents: [[UInt8]] =
            (0x20...0xFF).filter { $0 != 0x7F }.map { [0x61, UInt8($0), 0x62] } + [
                Array("\"}\u{2028}\u{9B}31m\\".utf8), Array("tab\there".utf8), Array(0x80...0xFF),
            ]
        for agent in agents {
            var client = try TestClient(server.address)
            try client.send(
                Array("GET /doc?\\ HTTP/1.1\r\n".replacing("\\", with: "%22&'{}|^`").utf8)
                    + Array("Host: shop.example\r\nUser-Agent: ".utf8) + agent
                    + Array("\r\nConnection: close\r\n\r\n".utf8))
            #expect(try client.response()?.status == 200)
        }
        let lines = try server.lines(agents.count)
        #expect(lines.map { $0["userAgent"] as? String } == agents.map { String(decoding: $0, as: UTF8.self) })
        #expect(lines.allSatisfy { $0["path"] as? String == "/doc?%22&'{}|^`" })
    }

    @Test func `a repeated field brings no other bytes into the log`() throws {
        let server = try LoggedEngine()
        var client = try TestClient(server.address)
        try client.send(get("/doc", "User-Agent: one\r\nAuthorization: secret\r\nUser-Agent: two\r\n"))
        #expect(try client.response()?.status == 200)
        #expect(try server.lines(1).first?["userAgent"] as? String == "one")
    }

    @Test func `logs the time and duration of the answer`() throws {
        let server = try LoggedEngine()
        let before = Date().timeIntervalSince1970
        var client = try TestClient(server.address)
        try client.send(get("/doc"))
        _ = try client.response()
        let line = try #require(try server.lines(1).first)
        let after = Date().timeIntervalSince1970
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let time = try #require((line["time"] as? String).flatMap(formatter.date)).timeIntervalSince1970
        #expect(time > before - 0.01 && time < after + 0.01)
        let duration = try #require(line["duration"] as? Double)
        #expect(duration >= 0 && duration <= after - before)
    }
}
