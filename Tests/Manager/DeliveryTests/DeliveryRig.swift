// A server whose hosts are watched, and scripted services: what the tests of the delivery monitor work with.

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

extension DeliveryWorkerTests {
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
                (name: name, tags: (files[name] ?? [:]).mapValues { "\"\($0.hashValue)\"" })
            }
            return ("\(files.hashValue)", Array(hosts), later.count > pageCount)
        }

        func file(of host: String, for verifier: DeliveryVerifier) throws(DeliverySourceFailure) -> [UInt8]? {
            files.withLock { $0[host]?[verifier] }.map { Array($0.utf8) }
        }

        let recent = Mutex<[RecentVersion]>([])

        func recentVersions(
            of host: String, for verifier: DeliveryVerifier, since seconds: Int64
        ) -> [RecentVersion] { recent.withLock { $0 } }

        /// Two fetches in each answer.
        func fetches(since seconds: Int64) throws(DeliverySourceFailure) -> (fetches: [ServiceFetch], hasMore: Bool) {
            try check()
            let all = fetched.withLock { $0 }.filter { $0.seconds >= seconds }.sorted { $0.seconds < $1.seconds }
            return (Array(all.prefix(2)), all.count > 2)
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
        let status: DeliveryStatus
        var control: WorkControl { status.control }
        /// How long to wait for the certificate of each host; nil if it has one.
        let certificateWait = Shared<Int64?>(nil)
        var rules: DeliveryRules
        var targets: [WebhookTarget]
        /// For one request to a service.
        var timeoutMilliseconds = 15_000
        /// What the addresses of all hosts answer.
        let outside = Shared<[(RemoteAddress, OutsideCheck.Answer)]>([])
        let outsideRequests = Shared<[RemoteAddress]>([])

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
                if reply == Rig.stall { return .stall([]) }
                return .text(reply ?? Rig.reply(404, "no"))
            }
            let control = try WorkControl(workerCount: 4) { level, text in log.change { $0.append("\(level): \(text)") }
            }
            status = DeliveryStatus(
                control, tenant: { $0 }, certificateWait: { [certificateWait] _, _, _ in certificateWait.value })
            let base = "http://\(server.address)"
            var rules = DeliveryRules(
                apple: try #require(WebLocation("\(base)/a/v1/")),
                google: try #require(WebLocation("\(base)/v1/statements:list")), userAgent: "associated/test")
            targets = [try Rig.target("\(base)/hook")]
            rules.messages = WebhookQueue(targets)
            self.rules = rules
        }

        /// In place of an answer: there is none until the client gives up.
        static let stall = "stall"

        static func reply(_ status: Int, _ body: String, _ fields: String = "") -> String {
            "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
        }

        func worker(_ verifier: DeliveryVerifier, number: Int) throws -> DeliveryWorker {
            let (outside, requests) = (outside, outsideRequests)
            let check = OutsideCheck(
                lookUp: { _ in outside.value.isEmpty ? .failed : .found(outside.value.map(\.0)) },
                fetch: { _, address, _, _ in
                    requests.change { $0.append(address) }
                    return outside.value.first { $0.0 == address }?.1 ?? .other("is not known")
                })
            return try DeliveryWorker(
                number, verifier, rules, status, holder: "n/1", source: source, outside: check,
                timeoutMilliseconds: timeoutMilliseconds, store: database.store())
        }

        static func target(_ url: String) throws -> WebhookTarget {
            let location = try #require(WebLocation(url))
            return try #require(WebhookTarget(location, secret: "0123456789abcdef"))
        }

        /// A sender of messages.
        func sender(holder: String = "n/1") throws -> WebhookWorker {
            try WebhookWorker(
                1, targets, userAgent: rules.userAgent, proxy: nil, control, holder: holder, store: database.store())
        }

        func worker() throws -> Monitor {
            Monitor(
                register: DeliveryRegister(0, status, node: "n", source: source, store: try database.store()),
                apple: try worker(.apple, number: 1), google: try worker(.google, number: 2))
        }

        /// Why services cannot be asked for their copies.
        func outages() throws -> [DeliveryVerifier: String] {
            var store = try database.store()
            let all = try store.read { transaction throws(DatabaseError) in try DeliveryOutage.all(in: transaction) }
            return Dictionary(uniqueKeysWithValues: all.map { ($0.verifier, $0.problem) })
        }

        /// The threads of the monitor, one after the other.
        struct Monitor: ~Copyable {
            var register: DeliveryRegister
            var apple: DeliveryWorker
            var google: DeliveryWorker

            mutating func round(now: Int64) throws(DatabaseError) -> Int64 {
                let hasMore = try register.round(now: now)
                let waits = (try apple.round(now: now), try google.round(now: now))
                return hasMore ? 0 : min(waits.0, waits.1)
            }
        }

        /// Lets time pass in the store: everything that is planned, or remembered as a time, moves towards the past.
        func pass(milliseconds: Int64) throws {
            var store = try database.store()
            try store.write { transaction throws(DatabaseError) in
                try transaction.execute(
                    """
                    update work set due = due - ?, since = since - ?,
                        journal = case when kind like 'delivery/%' and journal is not null
                            then cast(cast(journal as bigint) - ? as text) else journal end
                    """, milliseconds, milliseconds, milliseconds)
                try transaction.execute(
                    "update observation set since = since - ?, looked = looked - ?", milliseconds, milliseconds)
                try transaction.execute(
                    """
                    update delivery set registered = registered - ?, published = published - ?, gone = gone - ?,
                        equal_at = equal_at - ?
                    """, milliseconds, milliseconds, milliseconds, milliseconds)
                try transaction.execute("update delivery_version set at = at - ?", milliseconds)
            }
        }

        /// Does everything that is due, as if the limit of requests and the plan allowed it.
        func work(_ worker: inout Monitor, rounds: Int = 4, served: String? = nil) throws {
            status.noteServed(served ?? source.digest)
            for _ in 0..<rounds {
                var store = try database.store()
                try store.write { transaction throws(DatabaseError) in
                    try transaction.execute("update bucket set tokens = 1")
                    try transaction.execute("update work set due = 1 where holder is null and kind <> 'breaker'")
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

        func figures() throws -> DeliveryFigures {
            var store = try database.store()
            return try store.read { transaction throws(DatabaseError) in try DeliveryFigures(in: transaction) }
        }
    }
}

extension DeliveryStatus {
    /// Of hosts that all have certificates.
    convenience init(_ control: WorkControl) {
        self.init(control, tenant: { $0 }, certificateWait: { _, _, _ in nil })
    }
}

extension TestDatabase {
    func store() throws -> Store { try store(Store.tables + DeliveryRecord.tables) }
}
