// The delivery monitor with a scripted server in the place of Apple's CDN, Google's service and a webhook.

import Client
import Database
import Foundation
import Posix
import Synchronization
import TLS
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Manager

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

    /// The server whose hosts are watched.
    final class Source: DeliverySource {
        let files: Mutex<[String: [DeliveryVerifier: String]]>
        let fetched = Mutex<[ServiceFetch]>([])

        /// Why it does not answer; nil if it does.
        let problem = Mutex<String?>(nil)
        let pageCount: Int

        /// - Parameter pageCount: the hosts in each answer.
        init(_ files: [String: [DeliveryVerifier: String]], pageCount: Int = 2) {
            self.files = Mutex(files)
            self.pageCount = pageCount
        }

        private func check() throws(DeliverySourceFailure) {
            if let problem = problem.withLock({ $0 }) { throw DeliverySourceFailure(problem) }
        }

        func documents(after name: String) throws(DeliverySourceFailure) -> ServedVersions {
            try check()
            let files = files.withLock { $0 }
            let later = files.keys.sorted().filter { $0 > name }
            let hosts = later.prefix(pageCount).map { name in
                ServedVersions.Host(name: name, tags: (files[name] ?? [:]).mapValues { "\"\($0.hashValue)\"" })
            }
            return ServedVersions(digest: "\(files.hashValue)", hosts: hosts, hasMore: later.count > pageCount)
        }

        func file(of host: String, for verifier: DeliveryVerifier) throws(DeliverySourceFailure) -> [UInt8]? {
            files.withLock { $0[host]?[verifier] }.map { Array($0.utf8) }
        }

        /// Two fetches in each answer.
        func fetches(since seconds: Int64) throws(DeliverySourceFailure) -> ServiceFetches {
            try check()
            let all = fetched.withLock { $0 }.filter { $0.seconds >= seconds }.sorted { $0.seconds < $1.seconds }
            return ServiceFetches(Array(all.prefix(2)), hasMore: all.count > 2)
        }

        func note(_ host: String, _ seconds: Int64, file: String = DeliveryWorkerTests.apple, isConfirmed: Bool = true)
        {
            let fetch = ServiceFetch(
                host: host, verifier: .apple, tag: "\"\(file.hashValue)\"", seconds: seconds, isConfirmed: isConfirmed)
            fetched.withLock { $0.append(fetch) }
        }

        var digest: String { "\(files.withLock { $0 }.hashValue)" }
    }

    /// The services, and what they were asked.
    final class Rig {
        let source: Source
        let database: TestDatabase
        let requests: Shared<[String]>
        let replies: Shared<[String: String]>
        let server: ScriptedServer
        let log: Shared<[String]>
        let control: ManagerControl
        let rules: DeliveryRules

        /// - Parameter replies: by the beginning of the path.
        init(
            _ files: [String: [DeliveryVerifier: String]], _ replies: [String: String],
            engine: TestEngine = .sqlite
        ) throws {
            source = Source(files)
            database = try TestDatabase(engine)
            let (requests, shared, log) = (Shared<[String]>([]), Shared(replies), Shared<[String]>([]))
            (self.requests, self.replies, self.log) = (requests, shared, log)
            server = try ScriptedServer(certificates: nil) { request in
                requests.change { $0.append(request) }
                let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let reply = shared.value.first { path.hasPrefix($0.key) }?.value
                return .text(reply ?? Rig.reply(404, "no"))
            }
            control = try ManagerControl(workerCount: 2) { level, text in log.change { $0.append("\(level): \(text)") }
            }
            let base = "http://\(server.address)"
            var rules = DeliveryRules(
                apple: try #require(WebLocation("\(base)/a/v1/")),
                google: try #require(WebLocation("\(base)/v1/statements:list")), userAgent: "associated/test")
            rules.webhooks = [
                WebhookTarget(try #require(WebLocation("\(base)/hook")), secret: Array("0123456789abcdef".utf8))
            ]
            self.rules = rules
        }

        static func reply(_ status: Int, _ body: String, _ fields: String = "") -> String {
            "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
        }

        func worker() throws -> DeliveryWorker {
            try DeliveryWorker(0, rules, control, node: "n", holder: "n/1", source: source, store: database.store())
        }

        /// Does everything that is due, as if the limit of requests and the plan allowed it.
        func work(_ worker: inout DeliveryWorker, rounds: Int = 4, served: String? = nil) throws {
            control.noteServed(served ?? source.digest)
            for _ in 0..<rounds {
                var store = try database.store()
                try store.write { transaction throws(DatabaseError) in
                    try transaction.execute("update bucket set tokens = 1")
                    try transaction.execute("update work set due = 1 where holder is null")
                }
                // A minute later, so that each service has its turn.
                now += 60_000
                _ = try worker.round(now: now)
            }
        }

        var now = Clock.monotonicMilliseconds()

        func timelines(_ host: String = DeliveryWorkerTests.host) throws -> [DeliveryTimeline] {
            var store = try database.store()
            return try store.read { transaction throws(DatabaseError) in
                try DeliveryTimeline.load(host, in: transaction)
            }
        }

        func figures(unreachable: Set<DeliveryVerifier> = []) throws -> DeliveryFigures {
            var store = try database.store()
            return try store.read { transaction throws(DatabaseError) in
                try DeliveryFigures(unreachable: unreachable, in: transaction)
            }
        }
    }

    @Test(arguments: TestEngine.available)
    func `finds that a new host's files have arrived, and tells the webhook`(engine: TestEngine) throws {
        let rig = try Rig(
            [Self.host: [.apple: Self.apple, .google: Self.statements], "*.example.com": [.apple: Self.apple]],
            [
                "/a/v1/shop": Rig.reply(
                    200, "{ \"applinks\": { \"details\": [] } }", "Cache-Control: max-age=21600,public\r\n"),
                "/v1/statements:list?source.web.site=https://shop.example.com&relation=delegate_permission/common":
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

        var sender = try WebhookWorker(1, rig.rules, rig.control, holder: "n/1", store: try rig.database.store())
        while try sender.step() {}
        figures = try rig.figures()
        #expect(figures.waitingMessages == 0)
        let message = try #require(rig.requests.value.last { $0.hasPrefix("POST /hook") })
        let body = try #require(message.components(separatedBy: "\r\n\r\n").last)
        #expect(body.contains("\"state\":\"equal\"") && body.contains("\"host\":\"shop.example.com\""))
        let code = MessageCode.hs256.code(of: Array(body.utf8), key: Array("0123456789abcdef".utf8))
        let digits = code.map { String(format: "%02x", $0) }.joined()
        #expect(message.contains("\r\nAssociated-Signature: sha256=\(digits)\r\n"))
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
        #expect(try rig.timelines().map(\.state) == [.foreign])
        #expect(rig.log.value.contains { $0.hasPrefix("error: shop.example.com: Apple: foreign: ") })

        rig.replies.change { $0["/a/v1/"] = Rig.reply(200, "{\"applinks\":{}}") }
        try rig.work(&worker)
        timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .equal && timeline.equalAt != nil)

        rig.source.files.withLock { $0 = [:] }
        try rig.work(&worker)
        #expect(try rig.timelines().isEmpty)
        #expect(try rig.figures() == DeliveryFigures(waiting: 4))
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
                Self.host, "apple", state: state.rawValue, digest: nil, detail: "", in: transaction)
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

    @Test func `leaves a service alone that asks to wait, and calls everything unknown`() throws {
        let rig = try Rig(
            [Self.host: [.apple: Self.apple], "b.example.com": [.apple: Self.apple]],
            ["/a/v1/": Rig.reply(429, "", "Retry-After: 600\r\n")])
        var worker = try rig.worker()
        try rig.work(&worker, rounds: 6)
        #expect(rig.requests.value.count == 1)
        #expect(rig.control.deliveryProblems == [.apple: "it answers 429"])
        #expect(rig.log.value.count { $0.contains("cannot ask Apple for its copies: it answers 429") } == 1)
        #expect(try rig.timelines().map(\.state) == [.unknown])
        #expect(try rig.figures(unreachable: [.apple]).hosts == [.apple: [.unknown: 2]])

        rig.replies.change { $0["/a/v1/"] = Rig.reply(200, Self.apple) }
        rig.now += 3_600_000
        try rig.work(&worker)
        #expect(rig.control.deliveryProblems.isEmpty)
        #expect(try rig.timelines().map(\.state) == [.equal])
    }

    @Test func `a name that the service does not accept stops no requests`() throws {
        let rig = try Rig([Self.host: [.google: Self.statements]], ["/v1/": Rig.reply(400, "{}")])
        var worker = try rig.worker()
        try rig.work(&worker, rounds: 6)
        #expect(rig.requests.value.count == 6)
        #expect(rig.control.deliveryProblems.isEmpty)
        #expect(try rig.timelines().map(\.state) == [.unknown])
    }

    /// An answer that says nothing about the host.
    private static func oddReply(_ kind: String) -> String {
        switch kind {
        case "page": Rig.reply(200, "<!DOCTYPE html><p>Sign in")
        case "forbidden": Rig.reply(403, "{}")
        case "broken": Rig.reply(500, "oops")
        case "endless": "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: " ", count: 6_000_000)
        default: "no HTTP at all"
        }
    }

    @Test(arguments: ["page", "forbidden", "broken", "endless", "nonsense"])
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

    @Test func `waits for the host's certificate before it makes Apple fetch the file`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(200, Self.apple)])
        var store = try rig.database.store()
        try store.write { transaction throws(DatabaseError) in
            try Work.add(
                CertificateWork.kind, Self.host, state: IssuanceState.waitingForDNS.rawValue, due: 0, in: transaction)
        }
        var worker = try rig.worker()
        try rig.work(&worker)
        #expect(rig.requests.value.isEmpty)
        #expect(try rig.timelines().map(\.detail) == ["waiting for the host's certificate"])
        try store.write { transaction throws(DatabaseError) in
            try transaction.execute("update work set state = 'issued' where kind = ?", CertificateWork.kind)
        }
        try rig.work(&worker)
        #expect(try rig.timelines().map(\.state) == [.equal])
    }

    @Test func `notes when Apple's fetcher has taken the current file`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(404, "")])
        rig.source.note(Self.host, 1_700_000_000)
        var worker = try rig.worker()
        try rig.work(&worker)
        let timeline = try #require(try rig.timelines().first)
        #expect(timeline.fetched == 1_700_000_000_000 && timeline.state == .absent)
    }

    @Test func `takes a fetch of a version that the store does not have yet`() throws {
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(404, "")])
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
        let rig = try Rig([Self.host: [.apple: Self.apple]], ["/a/v1/": Rig.reply(404, "")])
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
        rig.control.noteServed(rig.source.digest)
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
        rig.control.noteServed(rig.source.digest)
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
