// One connection without a loop: how it reads heads and bodies, how much at a time, and how long it may take.

import Foundation
import Glibc
import HTTP
import Posix
import Testing

@testable import Service

struct ServiceConnectionTests {
    /// Both ends of a connection, and the calls that wait for a handler.
    private final class Pair {
        let connection: ServiceConnection
        let client: Int32
        let limits = ServiceLimits()
        var calls: [ServiceCall] = []
        let router = Router([
            Route(.get, "/quick", nil, isQuick: true) { _ in ServiceResponse(.ok, lines: ["quick"]) },
            Route(.get, "/slow", nil) { _ in ServiceResponse(.ok, lines: ["slow"]) },
            Route(.put, "/text", nil, bodyBytesMax: 40, isQuick: true) {
                ServiceResponse(.ok, ServiceResponse.plainText, $0.body)
            },
            Route(
                .put, "/full/NAME", nil, bodyBytesMax: 40,
                refuses: { ServiceResponse(.tooManyRequests, lines: $0.parameters) }
            ) { _ in ServiceResponse(.ok, lines: []) },
        ]) { _ in nil }

        init() throws {
            var pair: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
            client = pair[1]
            connection = ServiceConnection(takingOwnershipOf: pair[0], limits: limits, now: 0)
        }

        deinit { close(client) }

        @discardableResult
        func proceed(now: Int64 = 0) -> Bool {
            connection.proceed(now: now, isLast: false, router) { calls.append($0) }
        }

        func send(_ text: String) {
            let bytes = Array(text.utf8)
            #expect(write(client, bytes, bytes.count) == bytes.count)
            proceed()
        }

        /// What has arrived.
        func received() -> String {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(client, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        /// The status and the body of the only answer.
        func answer() -> (status: String, body: String) {
            let text = received()
            guard let end = text.range(of: "\r\n\r\n") else { return ("", text) }
            return (String(text.dropFirst(9).prefix(3)), String(text[end.upperBound...]))
        }
    }

    @Test func `each head has a deadline from its first byte, which further bytes do not move`() throws {
        let pair = try Pair()
        let request = Array("GET /quick HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8)
        #expect(pair.connection.deadline == pair.limits.headMilliseconds, "a silent client has it too")
        var now: Int64 = 0
        for start in [1_000, 100_000] as [Int64] {
            for (index, byte) in request.enumerated() {
                now = start + Int64(index)
                #expect(write(pair.client, [byte], 1) == 1)
                pair.proceed(now: now)
                let isWhole = index == request.count - 1
                #expect(
                    pair.connection.deadline
                        == (isWhole ? now + pair.limits.idleMilliseconds : start + pair.limits.headMilliseconds))
            }
        }
    }

    @Test func `interrupts a client that sends without end, and continues it later`() throws {
        let pair = try Pair()
        let request = Array("GET /quick HTTP/1.0\r\n\r\n".utf8)
        #expect(write(pair.client, request, request.count) == request.count)
        // As much as fits, like a client that sends without end.
        let filling = [UInt8](repeating: 0x78, count: 16_384)
        while write(pair.client, filling, filling.count) > 0 {}
        pair.proceed()
        var byte: UInt8 = 0
        let server = pair.connection.descriptor.number
        func isTaken() -> Bool { recv(server, &byte, 1, Int32(MSG_PEEK)) < 0 }
        #expect(pair.answer().body == "quick\n")
        while !isTaken() {
            let before = pair.connection.phase
            pair.proceed()
            #expect(before == .lingering)
        }
        #expect(pair.connection.phase == .lingering && pair.received().isEmpty)
    }

    @Test(
        arguments: [
            ("content-length: 5\r\n\r\nhello", "200", "hello"), ("content-length: 0\r\n\r\n", "200", ""),
            ("\r\n", "200", ""),
            ("transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n", "200", "hello"),
            ("transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nx: y\r\n\r\n", "200", "hi"),
            (
                "content-length: 40\r\n\r\n0123456789012345678901234567890123456789", "200",
                "0123456789012345678901234567890123456789"
            ),
            ("content-length: 41\r\n\r\n", "413", "malformed request\n"),
            ("content-length: x\r\n\r\n", "400", "malformed request\n"),
            ("content-length: 1\r\ncontent-length: 1\r\n\r\na", "400", "malformed request\n"),
            ("content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", "400", "malformed request\n"),
            ("transfer-encoding: gzip, chunked\r\n\r\n", "501", "malformed request\n"),
            ("transfer-encoding: chunked\r\n\r\n2\r\nhix", "400", "malformed request\n"),
            (
                "transfer-encoding: chunked\r\n\r\n29\r\n01234567890123456789012345678901234567890", "413",
                "malformed request\n"
            ),
        ] as [(String, String, String)], [1, 1_000])
    func `a body is read whole, however it arrives, or refused`(
        _ row: (lines: String, status: String, body: String), step: Int
    ) throws {
        let pair = try Pair()
        let request = Array("PUT /text HTTP/1.1\r\nhost: localhost\r\n\(row.lines)".utf8)
        for start in stride(from: 0, to: request.count, by: step) {
            let part = Array(request[start..<min(start + step, request.count)])
            #expect(write(pair.client, part, part.count) == part.count)
            pair.proceed()
        }
        let answer = pair.answer()
        #expect(answer.status == row.status && answer.body == row.body)
        #expect(pair.connection.phase == (row.status == "200" ? .readingHead : .lingering))
    }

    @Test func `a client that waits before its body is told to go on, or gets the refusal`() throws {
        for (count, line) in [(5, "HTTP/1.1 100 Continue\r\n\r\n"), (41, "HTTP/1.1 413 Content Too Large\r\n")] {
            let pair = try Pair()
            pair.send("PUT /text HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: \(count)\r\n\r\n")
            #expect(pair.received().hasPrefix(line))
            if count > 5 { continue }
            pair.send("hello")
            #expect(pair.answer().body == "hello")
        }
    }

    @Test(arguments: ["", "expect: 100-continue\r\n"])
    func `a request that its route refuses is answered before its body arrives`(line: String) throws {
        let pair = try Pair()
        pair.send("PUT /full/a HTTP/1.1\r\nhost: a\r\n\(line)content-length: 5\r\n\r\n")
        let answer = pair.answer()
        #expect(answer.status == "429" && answer.body == "a\n")
        #expect(pair.connection.phase == .lingering && pair.calls.isEmpty)
    }

    @Test func `a body has a deadline of its own, and none is read where none belongs`() throws {
        let pair = try Pair()
        pair.send("PUT /text HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhe")
        #expect(pair.connection.deadline == pair.limits.bodyMilliseconds)
        pair.connection.expire(now: pair.connection.deadline, hasBegun: false)
        #expect(pair.connection.phase == .ended)
        let other = try Pair()
        other.send("GET /quick HTTP/1.1\r\nhost: a\r\ncontent-length: 36\r\n\r\nGET /quick HTTP/1.1\r\nhost: a\r\n\r\n")
        #expect(other.answer().body == "quick\n")
        #expect(other.connection.phase == .lingering)
    }

    @Test func `waits for a handler, reads nothing meanwhile, and continues with the next request`() throws {
        let pair = try Pair()
        pair.send("GET /slow HTTP/1.1\r\nhost: a\r\n\r\nGET /quick HTTP/1.1\r\nhost: a\r\n\r\n")
        #expect(pair.connection.phase == .waiting && pair.calls.count == 1 && pair.received().isEmpty)
        // A client that has finished sending is no reason to stop.
        #expect(pair.connection.phase.interest == [] && shutdown(pair.client, Int32(SHUT_WR)) == 0)
        let call = try #require(pair.calls.first)
        pair.connection.take(call.handler(call.request), now: 0)
        pair.proceed()
        let text = pair.received()
        #expect(text.contains("\r\n\r\nslow\nHTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\nquick\n"))
        #expect(pair.calls.count == 1)
    }

    @Test(
        arguments: [
            (nil, "too busy; try again\n"), (false, "too busy; try again\n"), (true, "not done in time, and may"),
        ]
            as [(Bool?, String)])
    func `a handler that is not asked, or does not answer in time, is an answer too`(
        hasBegun: Bool?, body: String
    ) throws {
        let pair = try Pair()
        pair.send("GET /slow HTTP/1.1\r\nhost: a\r\n\r\n")
        #expect(pair.connection.deadline == pair.limits.answerMilliseconds)
        if let hasBegun {
            pair.connection.expire(now: 30_000, hasBegun: hasBegun)
        } else {
            pair.connection.take(nil, now: 0)
        }
        pair.proceed(now: 30_000)
        let text = pair.received()
        #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("\r\n\r\n\(body)"))
        // What may be done already is not asked for again.
        #expect(text.contains("\r\nretry-after: 5\r\n") == (hasBegun != true))
        #expect(text.contains("\r\nconnection: close\r\n") == (hasBegun != nil))
        // The late answer is dropped.
        pair.connection.take(ServiceResponse(.ok, lines: ["late"]), now: 30_000)
        pair.proceed(now: 30_000)
        #expect(pair.received().isEmpty)
    }

    @Test func `many requests at once are answered a few in a round, in order`() throws {
        let pair = try Pair()
        let request = "GET /quick HTTP/1.1\r\nhost: a\r\n\r\n"
        let bytes = Array(String(repeating: request, count: 20).utf8)
        #expect(write(pair.client, bytes, bytes.count) == bytes.count)
        var counts: [Int] = []
        var continues = true
        while continues {
            continues = pair.proceed()
            counts.append(pair.received().split(separator: "\r\n\r\nquick\n").count)
        }
        #expect(counts == [8, 8, 4])
    }

    @Test func `a refused head gets an answer without a body for HEAD`() throws {
        let pair = try Pair()
        pair.send("HEAD /quick HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n")
        let text = pair.received()
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.hasSuffix("\r\n\r\n"))
    }

    @Test func `a connection that ends with the process answers what is on its way`() throws {
        for hasAnswered in [false, true] {
            let pair = try Pair()
            if hasAnswered { pair.send("GET /quick HTTP/1.1\r\nhost: a\r\n\r\n") }
            pair.connection.drain()
            #expect((pair.connection.phase == .ended) == hasAnswered)
            if hasAnswered { continue }
            pair.send("GET /quick HTTP/1.1\r\nhost: a\r\n\r\n")
            #expect(pair.received().contains("\r\nconnection: close\r\n"))
        }
    }

    @Test func `an answer without content has neither type nor length`() {
        for (status, count) in [(Status.noContent, 0), (.ok, 1)] {
            let bytes = ServiceResponse(status, lines: []).encoded(wantsBody: true, closes: false)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            #expect(lines.count { $0.hasPrefix("content-length: ") } == count)
            #expect(lines.count { $0.hasPrefix("content-type: ") } == count)
        }
    }
}
