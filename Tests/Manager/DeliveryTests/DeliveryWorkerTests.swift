// The delivery monitor with a scripted server in the place of Apple's CDN, Google's service and a webhook.

import Client
import Database
import Foundation
import Posix
import Store
import Synchronization
import TLS
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Delivery

struct DeliveryWorkerTests {
    static let host = "shop.example.com"
    static let apple = "{\"applinks\":{\"details\":[]}}"
    private static let statements = """
        [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",
        "package_name":"com.a","sha256_cert_fingerprints":["AA"]}}]
        """
    private static let answers = """
        {"statements":[{"source":{"web":{"site":"https://shop.example.com."}},
        "relation":"delegate_permission/common.handle_all_urls",
        "target":{"androidApp":{"packageName":"com.a","certificate":{"sha256Fingerprint":"AA"}}}}],
        "maxAge":"3599.5s"}
        """

    static let failure = Rig.reply(404, "Not Found", "Apple-Failure-Reason: SWCERR00301 Timeout\r\n")

    @Test(arguments: TestEngine.available)
    func `finds that a new host's files have arrived, and tells the webhook`(engine: TestEngine) throws {
        let rig = try Rig(
            [Self.host: [.apple: Self.apple, .google: Self.statements], "*.example.com": [.apple: Self.apple]],
            [
                "/a/v1/shop": Rig.reply(
                    200, "{ \"applinks\": { \"details\": [] } }", "Cache-Control: max-age=21600,public\r\n"),
                "/v1/statements:list?source.web.site=https://shop.example.com":
                    Rig.reply(200, Self.answers), "/hook": Rig.reply(204, ""),
            ], engine: engine)
        var worker = try rig.worker()
        try rig.work(&worker)
        let timelines = try rig.timelines()
        #expect(timelines.map(\.state) == [.equal, .equal])
        #expect(timelines.allSatisfy { $0.equalAt != nil && $0.fetched == nil })
        #expect(try rig.timelines("*.example.com").isEmpty)
        #expect(rig.requests.value.allSatisfy { $0.contains("User-Agent: associated/test\r\n") })
        var figures = try rig.figures()
        #expect(figures.hosts == [.apple: [.equal: 1], .google: [.equal: 1]])
        #expect(figures.waitingMessages == 2)

        var sender = try rig.sender()
        while try sender.step() {}
        figures = try rig.figures()
        #expect(figures.waitingMessages == 0)
        let message = try #require(rig.requests.value.last { $0.hasPrefix("POST /hook") })
        let body = try #require(message.components(separatedBy: "\r\n\r\n").last)
        let start = /{"type":"delivery.equal","timestamp":"20[0-9-]{8}T[0-9:]{8}Z","data":{"host":"shop.example.com",/
        #expect(body.prefixMatch(of: start) != nil && body.contains("\"state\":\"equal\""), "\(body)")
        let fields = try #require(
            message.firstMatch(
                of: /\r\nwebhook-id: ([0-9a-f]{32})\r\nwebhook-timestamp: ([0-9]+)\r\nwebhook-signature: (.*)\r\n/))
        let code = MessageCode.hs256.code(
            of: Array("\(fields.1).\(fields.2).\(body)".utf8), key: Array("0123456789abcdef".utf8))
        #expect(fields.3 == "v1,\(Digest.base64(code))")
        #expect(abs((Int64(fields.2) ?? 0) - Clock.wallSeconds()) < 60)
    }

    @Test func `tells an earlier version from a file of another server`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(200, Self.apple)])
        var worker = try rig.worker()
        try rig.work(&worker)
        #expect(try rig.timelines().map(\.state) == [.equal])

        rig.source.files.withLock { $0[Self.host] = [.apple: "{\"applinks\":{}}"] }
        try rig.work(&worker)
        var timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .older && timeline.detail.hasPrefix("Apple has your version of "))
        #expect(timeline.equalAt == nil)

        rig.replies.change { $0["/a/v1/"] = Rig.reply(200, "{\"applinks\":{\"details\":[1]}}") }
        try rig.work(&worker)
        // A deployment may be under way.
        #expect(try rig.timelines().map(\.state) == [.older])
        #expect(try rig.timelines().first?.detail.contains("looking again in ten minutes") == true)
        try rig.pass(milliseconds: 9 * 60_000)
        try rig.work(&worker, rounds: 1)
        #expect(try rig.timelines().map(\.state) == [.older])
        try rig.pass(milliseconds: 2 * 60_000)
        let other = RemoteAddress(family: .ipv4, high: 0, low: 0x0909_0909, port: 0)
        rig.outside.change { $0 = [(other, .file(Array("{}".utf8)))] }
        try rig.work(&worker, rounds: 1)
        timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .foreign)
        #expect(timeline.detail.contains("; from outside: 9.9.9.9 answers with another file; something in front of"))
        #expect(rig.log.value.contains { $0.hasPrefix("error: shop.example.com: Apple: foreign: ") })

        rig.replies.change { $0["/a/v1/"] = Rig.reply(200, "{\"applinks\":{}}") }
        try rig.work(&worker)
        timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .equal && timeline.equalAt != nil)

        rig.source.files.withLock { $0 = [:] }
        try rig.work(&worker)
        #expect(try rig.timelines().isEmpty)
        #expect(try rig.figures() == DeliveryFigures(waiting: 4))
        try rig.pass(milliseconds: 61 * 60_000)
        try rig.work(&worker, rounds: 1)
        var store = try rig.database.store()
        let left: Int64 = try store.read { transaction throws(DatabaseError) in
            try transaction.query("select count(*) from work where kind like 'delivery/%'")[0][0]
        }
        #expect(left == 0)
    }

    @Test func `a copy that is newer than the store is not from another server`() throws {
        let newer = "{\"applinks\":{}}"
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(200, Self.apple)])
        var worker = try rig.worker()
        try rig.work(&worker)
        let known = rig.source.digest
        rig.source.files.withLock { $0[Self.host] = [.apple: newer] }
        rig.replies.change { $0["/a/v1/"] = Rig.reply(200, newer) }
        // The manager has not heard of the change.
        try rig.work(&worker, served: known)
        var timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .equal && timeline.detail.contains("newer than the one in the manager's store"))
        #expect(!rig.log.value.contains { $0.contains("foreign") })

        try rig.work(&worker)
        timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .equal && timeline.detail.isEmpty && timeline.equalAt != nil)
    }

    /// Each row: the state, the days since the version was published, whether it has arrived, the hours since the state changed,
    /// and whether it is late.
    @Test(
        arguments: [
            (.older, 2, false, 1, true), (.failing, 2, false, 1, true), (.absent, 2, false, 30, true),
            (.older, 2, true, 1, false), (.older, 2, true, 30, true), (.older, 0, false, 30, false),
            (.equal, 2, true, 30, false), (.foreign, 2, false, 30, false), (.unknown, 2, false, 30, false),
        ] as [(DeliveryState, Int64, Bool, Int64, Bool)])
    func `a version is late if it has not arrived, whatever the state was in the meantime`(
        state: DeliveryState, days: Int64, hasArrived: Bool, hours: Int64, isLate: Bool
    ) throws {
        let rig = try Rig([:], [:])
        var store = try rig.database.store()
        try store.write { transaction throws(DatabaseError) in
            try DeliveryRecord.publish(Self.host, .apple, tag: "\"1\"", digest: [1], in: transaction)
            try Observation.record(
                Self.host, .apple, state: state, detail: "", in: transaction)
            try transaction.execute(
                "update delivery set published = published - ?, equal_at = ?", days * 86_400_000,
                hasArrived ? 1 : nil as Int64?)
            try transaction.execute("update observation set since = since - ?", hours * 3_600_000)
        }
        #expect(try rig.figures().late[.apple] == (isLate ? 1 : 0))
        let timeline = try #require(try rig.timelines().first)
        #expect(timeline.equalSince == (state == .equal ? timeline.since : nil))
    }

    @Test func `quotes Apple's reason for a failure`() throws {
        let fields = """
            Apple-Failure-Reason: SWCERR00301 Timeout\r\nApple-Failure-Details: {"cause":"Connection timed out"}\r
            Cache-Control: max-age=3600,public\r\n
            """
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(404, "Not Found", fields)])
        var worker = try rig.worker()
        try rig.work(&worker)
        let timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .failing)
        #expect(timeline.detail.contains("SWCERR00301 Timeout") && timeline.detail.contains("cold starts"))
    }

    @Test func `leaves a service alone that asks to wait`() throws {
        let rig = try Rig(
            [Self.host: [.apple: Self.apple], "b.example.com": [.apple: Self.apple]],
            ["/a/v1/": Rig.reply(429, "", "Retry-After: 600\r\n")])
        var worker = try rig.worker()
        try rig.work(&worker, rounds: 6)
        #expect(rig.requests.value.count == 1)
        #expect(try rig.outages() == [.apple: "it answers 429"])
        #expect(rig.log.value.count { $0.contains("cannot ask Apple for copies: it answers 429") } == 1)
        #expect(try rig.timelines().map(\.state) == [.unknown])
        #expect(try rig.figures().hosts == [.apple: [.unknown: 2]])

        // Another process, which has not seen the refusal.
        rig.replies.change { $0["/a/v1/"] = Rig.reply(200, Self.apple) }
        var other = try rig.worker(.apple, number: 3)
        _ = try other.round(now: rig.now)
        #expect(rig.requests.value.count == 1)
        var store = try rig.database.store()
        let outages = try store.read { transaction throws(DatabaseError) in try DeliveryOutage.all(in: transaction) }
        #expect(outages.map(\.verifier) == [.apple] && outages.map(\.problem) == ["it answers 429"])
        let list = try store.read { transaction throws(DatabaseError) in
            try DeliveryList([.unknown], countMax: 9, in: transaction)
        }
        #expect(list.count == 2 && Set(list.entries.map(\.detail)) == ["", "Apple: it answers 429"])

        try rig.pass(milliseconds: 3_600_000)
        try rig.work(&worker)
        #expect(try rig.outages().isEmpty)
        #expect(try rig.timelines().map(\.state) == [.equal])
    }

    @Test func `a name that the service does not accept stops no requests`() throws {
        let rig = try Rig([Self.host: [.google: Self.statements]], ["/v1/": Rig.reply(400, "{}")])
        var worker = try rig.worker()
        try rig.work(&worker, rounds: 6)
        #expect(rig.requests.value.count == 6)
        #expect(try rig.outages().isEmpty)
        #expect(try rig.timelines().map(\.state) == [.unknown])
    }

    /// An answer that says nothing about the host.
    private static func oddReply(_ kind: String) -> String {
        switch kind {
        case "page": Rig.reply(200, "<!DOCTYPE html><p>Sign in")
        case "forbidden": Rig.reply(403, "{}")
        case "no reason": Rig.reply(404, "Not Found")
        case "broken": Rig.reply(500, "oops")
        case "endless": "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: " ", count: 6_000_000)
        default: "no HTTP at all"
        }
    }

    @Test(arguments: ["page", "forbidden", "no reason", "broken", "endless", "nonsense"])
    func `an odd answer is no state of the host`(kind: String) throws {
        let reply = Self.oddReply(kind)
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": reply])
        var worker = try rig.worker()
        try rig.work(&worker, rounds: 1)
        #expect(try rig.timelines().map(\.state) == [.unknown])
        // What was known before stays.
        rig.replies.change { $0["/a/v1/"] = Rig.reply(200, Self.apple) }
        try rig.work(&worker, rounds: 3)
        #expect(try rig.timelines().map(\.state) == [.equal])
        rig.replies.change { $0["/a/v1/"] = reply }
        try rig.work(&worker, rounds: 1)
        #expect(try rig.timelines().map(\.state) == [.equal])
    }

    @Test func `a state that nothing confirms for a week is unknown`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Self.failure])
        var worker = try rig.worker()
        try rig.work(&worker)
        rig.replies.change { $0["/a/v1/"] = Rig.reply(400, "") }
        for (days, state) in [(6, DeliveryState.failing), (2, .unknown)] as [(Int64, DeliveryState)] {
            try rig.pass(milliseconds: days * 86_400_000)
            try rig.work(&worker, rounds: 1)
            #expect(try rig.timelines().map(\.state) == [state])
        }
    }

    @Test func `a process that is killed during a look leaves it to the next one`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(200, Self.apple)])
        var worker = try rig.worker()
        rig.status.noteServed(rig.source.digest)
        _ = try worker.register.round(now: rig.now)
        var store = try rig.database.store()
        try store.write { transaction throws(DatabaseError) in
            _ = try Work.claim(DeliveryVerifier.apple.workKind, by: "n/0/1", in: transaction)
        }
        try rig.work(&worker, rounds: 1)
        #expect(rig.requests.value.isEmpty)
        // All connections end with the process, and the next one opens the database again.
        _ = consume worker
        _ = consume store
        var reopened = try rig.database.store()
        try reopened.write { transaction throws(DatabaseError) in
            try Work.freeClaims(ofHolders: "n/", in: transaction)
        }
        var next = try rig.worker()
        try rig.work(&next, rounds: 1)
        #expect(try rig.timelines().map(\.state) == [.equal])
        #expect(rig.requests.value.count { $0.hasPrefix("GET /a/v1/") } == 1)
    }

    @Test func `a refusal does not end the alert of a host`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Self.failure])
        var worker = try rig.worker()
        try rig.work(&worker)
        rig.replies.change { $0["/a/v1/"] = Rig.reply(429, "") }
        try rig.work(&worker)
        #expect(try rig.outages() == [.apple: "it answers 429"])
        #expect(try rig.figures().hosts == [.apple: [.failing: 1]])
    }

    @Test func `an outage of both services gets one line`() throws {
        let rig = try Rig(
            [Self.host: [.apple: Self.apple, .google: Self.statements]],
            ["/a/v1/": Rig.reply(502, ""), "/v1/": Rig.reply(502, "")])
        var worker = try rig.worker()
        try rig.work(&worker, rounds: 8)
        #expect(try rig.outages().keys.sorted { $0.rawValue < $1.rawValue } == [.apple, .google])
        let lines = rig.log.value.filter { $0.contains("cannot ask ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("cannot ask Apple and Google for copies: it answers 502") == true)
    }

    /// A firewall drops what is sent, or rejects it. Both services are behind it.
    @Test(arguments: [true, false])
    func `blocked outgoing traffic gets one line, and what is known stays`(isRejected: Bool) throws {
        let replies = ["/a/v1/": Rig.reply(200, Self.apple), "/v1/": Rig.reply(200, "{}")]
        let hosts = [Self.host, "b.example.com", "c.example.com"]
        let file: [DeliveryVerifier: String] = [.apple: Self.apple, .google: Self.statements]
        let rig = try Rig([Self.host: file], replies)
        var known = try rig.worker()
        try rig.work(&known)
        #expect(try rig.figures().hosts[.apple] == [.equal: 1])
        rig.log.change { $0 = [] }
        if isRejected {
            // Nothing listens there.
            let closed = "http://127.0.0.1:1"
            rig.rules.apple = try #require(WebLocation("\(closed)/a/v1/"))
            rig.rules.google = try #require(WebLocation("\(closed)/v1/"))
        } else {
            rig.replies.change { $0 = ["/a/v1/": Rig.stall, "/v1/": Rig.stall] }
            rig.timeoutMilliseconds = 20
        }
        rig.source.files.withLock { files in for host in hosts { files[host] = file } }
        var blocked = try rig.worker()
        try rig.work(&blocked, rounds: 20)
        let lines = rig.log.value.filter { $0.hasPrefix("warning:") || $0.hasPrefix("error:") }
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.contains("cannot ask Apple and Google for copies: ") == true)
        #expect(lines.first?.contains("allow this machine to connect to ports 443 and 53") == true)
        #expect(try rig.outages().count == 2)
        #expect(try rig.figures().hosts[.apple] == [.equal: 1, .unknown: 2])
        #expect(try rig.figures().failing.values.allSatisfy { $0 == 0 })
    }

    @Test func `a host that an old configuration lacks keeps its history for an hour`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(200, Self.apple)])
        var worker = try rig.worker()
        try rig.work(&worker)
        let before = try #require(try rig.timelines().first)
        let files = rig.source.files.withLock { $0 }
        rig.source.files.withLock { $0 = [:] }
        try rig.work(&worker)
        #expect(try rig.timelines().isEmpty)
        rig.source.files.withLock { $0 = files }
        try rig.work(&worker, rounds: 2)
        let after = try #require(try rig.timelines().first)
        #expect(after.equalAt == before.equalAt && after.since == before.since && after.published == before.published)
    }

    /// Each row: what Apple has, what the server has sent lately, and the state.
    @Test(
        arguments: [
            ("{\"v\":2}", ["{\"v\":2}"], .older), ("{\"v\":2}", ["{\"v\":3}"], .foreign), ("{\"v\":2}", [], .foreign),
        ] as [(String, [String], DeliveryState)])
    func `a version that was served for seconds is not from another server`(
        copy: String, sent: [String], state: DeliveryState
    ) throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(200, Self.apple)])
        var worker = try rig.worker()
        try rig.work(&worker)
        rig.replies.change { $0["/a/v1/"] = Rig.reply(200, copy) }
        rig.source.recent.withLock {
            $0 = sent.map { text in
                let digits = Digest.sha256(Array(text.utf8)).prefix(16).map { String(format: "%02x", $0) }.joined()
                return (tag: "\"\(digits)\"", day: "2026-11-22")
            }
        }
        try rig.work(&worker, rounds: 1)
        try rig.pass(milliseconds: 11 * 60_000)
        try rig.work(&worker, rounds: 1)
        #expect(try rig.timelines().map(\.state) == [state])
    }

    @Test func `asks a host from outside when its copy has been old for hours`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Self.failure])
        let ours = RemoteAddress(family: .ipv4, high: 0, low: 0x0808_0808, port: 0)
        let closed = RemoteAddress(family: .ipv4, high: 0, low: 0x0A00_0001, port: 0)
        rig.outside.change { $0 = [(ours, .other("answers 403")), (closed, .file([]))] }
        var worker = try rig.worker()
        try rig.work(&worker)
        #expect(rig.outsideRequests.value.isEmpty)
        try rig.pass(milliseconds: 4 * 3_600_000)
        try rig.work(&worker, rounds: 1)
        let detail = try #require(try rig.timelines().first?.detail)
        #expect(detail.contains("SWCERR00301"))
        #expect(detail.hasSuffix("; from outside: 8.8.8.8 answers 403; 10.0.0.1 is not an address of the internet"))
        #expect(rig.outsideRequests.value == [ours])
    }

    @Test func `waits for the host's certificate before it makes Apple fetch the file`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(200, Self.apple)])
        rig.certificateWait.change { $0 = 60_000 }
        var worker = try rig.worker()
        try rig.work(&worker)
        #expect(rig.requests.value.isEmpty)
        #expect(try rig.timelines().map(\.detail) == ["waiting for the host's certificate"])
        rig.certificateWait.change { $0 = nil }
        try rig.work(&worker)
        #expect(try rig.timelines().map(\.state) == [.equal])
    }

    @Test func `notes when Apple's fetcher has taken the current file`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Self.failure])
        rig.source.note(Self.host, 1_700_000_000)
        var worker = try rig.worker()
        try rig.work(&worker)
        let timeline = try #require(try rig.timelines().first)
        #expect(timeline.fetched == 1_700_000_000_000 && timeline.state == .failing)
    }

    @Test func `takes a fetch of a version that the store does not have yet`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Self.failure])
        var worker = try rig.worker()
        try rig.work(&worker)
        let known = rig.source.digest
        rig.source.files.withLock { $0[Self.host] = [.apple: "{}"] }
        let now = Clock.wallSeconds()
        rig.source.note(Self.host, now - 30, file: "{}")
        // Later fetches, which are taken before the manager has heard of the change.
        rig.source.note("b.example.com", now)
        try rig.work(&worker, served: known)
        #expect(try rig.timelines().map(\.fetched) == [nil])
        try rig.work(&worker)
        #expect(try rig.timelines().map(\.fetched) == [(now - 30) * 1_000])
    }

    @Test func `a fetch by an unknown client is none by Apple, and causes one look in an hour`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Self.failure])
        var worker = try rig.worker()
        try rig.work(&worker)
        let fetch = ServiceFetch(
            host: Self.host, verifier: .apple, tag: "\"\(Self.apple.hashValue)\"", seconds: 5, isConfirmed: false)
        var store = try rig.database.store()
        // The minutes since the last look, and the minutes until the next one.
        for (looked, due) in [(59, 1_440), (61, 1)] as [(Int64, Int64)] {
            let found = try store.write { transaction throws(DatabaseError) -> Int64 in
                let now = try transaction.now()
                try transaction.execute("update work set priority = 0, due = ?", now + 1_440 * 60_000)
                try transaction.execute("update observation set looked = ?", now - looked * 60_000)
                try DeliveryRecord.note(fetch, in: transaction)
                let planned: Int64 = try transaction.query("select due from work where priority = 0")[0][0]
                return (planned - now + 30_000) / 60_000
            }
            #expect(found == due)
        }
        #expect(try rig.timelines().map(\.fetched) == [nil])
    }

    @Test func `the next request is planned from the beginning of the round`() throws {
        let rig = try Rig(
            [Self.host: [.apple: Self.apple], "b.example.com": [.apple: Self.apple]],
            ["/a/v1/": Rig.reply(200, Self.apple)])
        var worker = try rig.worker()
        rig.status.noteServed(rig.source.digest)
        let first = try worker.round(now: rig.now)
        #expect(first == DeliveryVerifier.paceMilliseconds)
        // Other nodes have taken the tokens of almost two seconds.
        var store = try rig.database.store()
        try store.write { transaction throws(DatabaseError) in
            try transaction.execute("update bucket set tokens = -0.9, at = ?", try transaction.now())
        }
        rig.now += DeliveryVerifier.paceMilliseconds
        let limited = try worker.round(now: rig.now)
        #expect(limited > DeliveryVerifier.paceMilliseconds)
        #expect(rig.requests.value.count == 1)
    }

    @Test func `all services together get one request a second`() throws {
        let hosts = (0..<6).map { "h\($0).example.com" }
        let files = hosts.map { ($0, [DeliveryVerifier.apple: Self.apple]) }
        let rig = try Rig(Dictionary(uniqueKeysWithValues: files), ["/a/v1/": Rig.reply(200, Self.apple)])
        var worker = try rig.worker()
        rig.status.noteServed(rig.source.digest)
        // Three parts of the list, and the limit is in the store.
        for _ in 0..<10 {
            rig.now += 60_000
            _ = try worker.round(now: rig.now)
        }
        let seconds = 1 + (Clock.monotonicMilliseconds() - (rig.now - 600_000)) / 1_000
        #expect(rig.requests.value.count >= 1 && rig.requests.value.count <= seconds + 1)
        #expect(try rig.figures().hosts[.apple]?.values.reduce(0, +) == 6)
    }
}

extension DeliveryFigures {
    fileprivate init(waiting: Int) {
        self.init()
        waitingMessages = waiting
    }
}
