// Parsing of answers: complete, in pieces, truncated and invalid.

import Testing

@testable import Client

struct ResponseReaderTests {
    private func read(_ text: String, hasBody: Bool = true, step: Int = Int.max, ends: Bool = true) throws(FetchError)
        -> FetchedResponse
    {
        var limits = FetchLimits()
        limits.headBytesMax = 200
        limits.bodyBytesMax = 20
        var reader = ResponseReader(limits: limits, hasBody: hasBody)
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count, !reader.isComplete {
            let end = min(bytes.count, start + min(step, bytes.count))
            try reader.take(Array(bytes[start..<end]))
            start = end
        }
        if ends, !reader.isComplete { try reader.end() }
        return reader.response(firstByte: 0, total: 0)
    }

    @Test func `exactly five statuses are redirects`() throws {
        let found = try (200..<400).filter { try read("HTTP/1.1 \($0) Status\r\ncontent-length: 0\r\n\r\n").isRedirect }
        #expect(found == [301, 302, 303, 307, 308])
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc", "abc"), ("HTTP/1.0 200\r\n\r\nabc", "abc"),
        ("HTTP/1.1 200 OK\ncontent-length: 3\n\nabcd", "abc"), ("HTTP/1.1 204 No\r\ncontent-length: 3\r\n\r\n", ""),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na", "a"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n",
            "abcde"
        ),
        ("HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\nabcdefghijklmnopqrstuvwxyzabcd", "abcdefghijklmnopqrst"),
        ("HTTP/1.1 200 OK\r\n\r\nabcdefghijklmnopqrstuvwxyzabcd", "abcdefghijklmnopqrst"),
    ])
    func `reads an answer that arrives in any pieces`(text: String, body: String) throws {
        for step in [Int.max, 1, 2, 7] {
            let response = try read(text, step: step)
            #expect(String(decoding: response.body, as: UTF8.self) == body)
            #expect(response.isTruncated == (body.utf8.count == 20))
            #expect([200, 204].contains(response.status))
        }
    }

    @Test(arguments: [Int.max, 1, 7])
    func `accepts a head up to its limit, in any pieces`(step: Int) throws {
        func answer(_ count: Int) -> String {
            let rest = "HTTP/1.1 200 OK\r\nX: \r\n\r\n".utf8.count
            return "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: count - rest))\r\n\r\n"
        }
        #expect(try read(answer(200), step: step).status == 200)
        #expect(throws: FetchError.self) { try read(answer(201), step: step) }
    }

    @Test(arguments: [Int.max, 1, 7])
    func `accepts ten interim answers`(step: Int) throws {
        func answer(_ count: Int) -> String {
            String(repeating: "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", count: count)
                + "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na"
        }
        #expect(try read(answer(10), step: step).status == 200)
        let error = #expect(throws: FetchError.self) { try read(answer(11), step: step) }
        if case .malformed? = error {} else { Issue.record("\(String(describing: error))") }
    }

    /// The limit is that of the head and that of the body together.
    @Test(arguments: [
        (start: "1\r\na\r\n0\r\n", line: "x: y\r\n", most: 35), (start: "1\r\na\r\n", line: "\r\n", most: 105),
    ])
    func `limits the framing of a body`(start: String, line: String, most: Int) throws {
        func answer(_ count: Int) -> String {
            let end = start.contains("0") ? "\r\n" : "0\r\n\r\n"
            return "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + start
                + String(repeating: line, count: count) + end
        }
        #expect(try read(answer(most)).body == Array("a".utf8))
        let error = #expect(throws: FetchError.self) { try read(answer(most + 1)) }
        if case .malformed? = error {} else { Issue.record("\(String(describing: error))") }
    }

    /// Each byte is looked at once: a head of 64 KiB in single bytes takes no longer than two of half the size, but for noise.
    @Test func `a head in single bytes takes time in proportion to its length`() throws {
        func time(_ count: Int) throws -> Duration {
            var reader = ResponseReader(limits: FetchLimits(), hasBody: false)
            let bytes = Array("HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: count))\r\n\r\n".utf8)
            return try ContinuousClock().measure { for byte in bytes { try reader.take([byte]) } }
        }
        let short = try time(4_000)
        let long = try (0..<3).map { _ in try time(64_000) }.min() ?? .zero
        #expect(long < short * 100, "\(short), \(long)")
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ])
    func `reports an answer that ends too early`(text: String) {
        let error = #expect(throws: FetchError.self) { try read(text) }
        if case .connectionEnded? = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.6\r\n", "\u{0}\u{1}", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nx: \(String(repeating: "y", count: 300))",
    ])
    func `reports an answer that is not HTTP`(text: String) {
        let error = #expect(throws: FetchError.self) { try read(text, ends: false) }
        if case .malformed? = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func `the first line has no control characters`() throws {
        let end = "\r\nContent-Length: 0\r\n\r\n"
        #expect(try read("HTTP/1.1 200 \u{1B}[2J\u{7F}OK\u{8}\(end)").statusLine == "HTTP/1.1 200 [2JOK")
        let error = #expect(throws: FetchError.self) { try read("HTTP/1.1 2\u{1B}[2J0 OK\(end)") }
        if case .malformed(_, line: "HTTP/1.1 2[2J0 OK")? = error {} else { Issue.record("the line is not shown") }
    }

    @Test func `an answer to HEAD has no body`() throws {
        let response = try read("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX: a\r\nx: b\r\n\r\n", hasBody: false)
        #expect(response.body.isEmpty)
        #expect(response["content-length"] == "3")
        #expect(response["x"] == "a, b")
    }
}
