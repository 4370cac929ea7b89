// The answers of a running engine. RequestTable has those to single requests of every form.

import Catalogue
import Engine
import Glibc
import HTTP
import Posix
import Testing

struct EngineTests {
    private let server: TestEngine

    init() throws { server = try TestEngine() }

    @Test func `answers with a document and exactly its fields`() throws {
        let response = try #require(try exchange(server, get("/doc")))
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == TestEngine.document)
        #expect(
            response.fields.map(\.name) == ["date", "etag", "last-modified", "vary", "content-type", "content-length"])
        let date = Array(try #require(response["date"]).utf8)
        let seconds = HTTPDate.read(date.span, now: 0)
        #expect(abs(try #require(seconds) - Clock.wallSeconds()) < 5)
    }

    @Test func `answers HEAD like GET without the body`() throws {
        var client = try TestClient(server.address)
        try client.send(get("/doc").replacing("GET", with: "HEAD", maxReplacements: 1) + get("/doc"))
        let head = try #require(try client.response(hasBody: false))
        let full = try #require(try client.response())
        #expect(head.fields.map(\.name) == full.fields.map(\.name))
        #expect(head["content-length"] == full["content-length"])
        #expect(full.body.count == TestEngine.document.utf8.count)
    }

    @Test(arguments: [
        ("If-None-Match: \"t\"", 304), ("If-None-Match: *", 304), ("If-None-Match: W/\"t\"", 304),
        ("If-None-Match: \"x\"", 200), ("If-None-Match: \"t-gzip\"", 200),
        ("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 304),
        ("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 200),
        ("If-None-Match: \"x\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 200),
        ("Accept-Encoding: gzip\r\nIf-None-Match: \"t-gzip\"", 304),
        ("If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT", 304), ("If-Modified-Since: never", 200),
        // A date that is there twice counts as none.
        (
            "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 200
        ),
        ("If-Match: \"t\"", 200), ("If-Match: *", 200), ("If-Match: \"x\"", 412), ("If-Match: W/\"t\"", 412),
        ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 200),
        ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 412),
        ("If-Match: \"t\"\r\nIf-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 200),
        ("If-Match: \"x\"\r\nIf-None-Match: \"t\"", 412),
    ])
    func `respects the client's conditions`(lines: String, status: Int) throws {
        let response = try #require(try exchange(server, get("/doc", "\(lines)\r\n")))
        #expect(response.status == status)
        if status == 304 { #expect(response.fields.map(\.name) == ["date", "etag", "last-modified", "vary"]) }
    }

    @Test func `sends the gzip form to clients that accept it`() throws {
        let response = try #require(try exchange(server, get("/doc", "Accept-Encoding: br, gzip\r\n")))
        #expect(response["content-encoding"] == "gzip")
        #expect(response["etag"] == "\"t-gzip\"")
        #expect(response.body == [1, 2, 3])
        #expect(try exchange(server, get("/doc", "Accept-Encoding: identity;q=0\r\n"))?.status == 406)
        #expect(
            try exchange(server, get("/a%20b", "Accept-Encoding: identity;q=0\r\n"))?.status == 200,
            "there is only one form")
    }

    @Test func `answers pipelined requests in order`() throws {
        var client = try TestClient(server.address)
        try client.send((0..<500).map { get($0 % 3 == 0 ? "/none" : "/doc") }.joined())
        for number in 0..<500 { #expect(try client.response()?.status == (number % 3 == 0 ? 404 : 200)) }
    }

    @Test func `answers a request however it is split`() throws {
        let request = get("/doc", "Content-Length: 5\r\n") + "hello"
        let whole = try #require(try exchange(server, request))
        for cut in 1..<request.utf8.count {
            var client = try TestClient(server.address)
            try client.send(String(request.prefix(cut)))
            // The answer to this one proves that the first part was read separately.
            #expect(try exchange(server, get("/none"))?.status == 404)
            try client.send(String(request.dropFirst(cut)))
            #expect(try client.response() == whole, "split at \(cut)")
        }
    }

    @Test func `answers a client that waits for permission to send a body`() throws {
        var client = try TestClient(server.address)
        try client.send(get("/doc", "Content-Length: 5\r\nExpect: 100-continue\r\n"))
        let response = try #require(try client.response())
        #expect(response.status == 200)
        #expect(response["connection"] == "close")
    }

    @Test func `a large body arrives whole, also at a slow reader`() throws {
        var client = try TestClient(server.address)
        try client.send(get("/large", host: "large.example") + get("/doc"))
        // After the other requests, the first answer is stuck in full buffers.
        for _ in 0..<50 { #expect(try exchange(server, get("/doc"))?.status == 200) }
        #expect(try client.response()?.body == TestEngine.largeBody)
        #expect(try client.response()?.status == 200, "the pipelined request is answered too")
    }

    @Test func `serves a new catalogue at once, and finishes an answer under way from the old one`() throws {
        // One worker, so that it reads in the order of sending.
        let server = try TestEngine(workers: 1)
        var slow = try TestClient(server.address)
        try slow.send(get("/large", host: "large.example"))
        var sending = try TestClient(server.address)
        try sending.send(get("/doc", "Content-Length: 2\r\n"))
        #expect(try exchange(server, get("/doc"))?.status == 200)
        server.published.publish(
            TestEngine.catalogue([PreparedSite(host: "new.example", answers: [("/", TestEngine.answer(.bytes([7])))])]))
        server.engine.catalogueChanged()
        let fresh = try exchange(server, get("/", host: "new.example"))
        #expect(fresh?.status == 200)
        #expect(fresh?.body == [7])
        #expect(try exchange(server, get("/doc"))?.status == 404)
        #expect(try slow.response()?.body == TestEngine.largeBody)
        try sending.send("hi")
        #expect(try sending.response()?.status == 200)
    }

    @Test func `idle workers release a catalogue, even one that is replaced while they wake up`() throws {
        let server = try TestEngine(workers: 2)
        // Many rounds, because the publication must fall into the microsecond between two lines of the worker's code.
        for round in 0..<4_000 {
            weak let old = server.published.current
            server.published.publish(TestEngine.catalogue([]))
            server.engine.catalogueChanged()
            weak let between = server.published.current
            for _ in 0..<(round % 400) { _ = Clock.monotonicMilliseconds() }
            server.published.publish(TestEngine.catalogue([]))
            server.engine.catalogueChanged()
            // A worker that has missed it would keep it for a minute.
            let end = Clock.monotonicMilliseconds() + 10_000
            while old != nil || between != nil, Clock.monotonicMilliseconds() < end { sched_yield() }
            try #require(old == nil && between == nil, "in round \(round)")
        }
    }
}
